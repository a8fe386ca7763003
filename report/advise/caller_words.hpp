#pragma once
// Names the caller of a kernel of a user's program, and the places where the arrays that it touches were made.

#include <string>

#include "report/record/record.hpp"

namespace gpumem::report {

/// Returns "asked for by model.py:57 in forward". If no line of the program itself is known, names the operator
/// instead. Empty if neither is known.
[[nodiscard]] std::string caller_words(const Record& record);
/// Returns the same as a sentence, with the operator and the program's own lines further out. Empty if caller_words()
/// is.
[[nodiscard]] std::string caller_sentences(const Record& record);
/// Returns " of the 64 MiB made at model.py:42". Empty if the place is unknown.
[[nodiscard]] std::string array_words(const SiteRecord& site);

}  // namespace gpumem::report
