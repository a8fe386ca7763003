#pragma once
// Who asked for a kernel of a user's program, and where the arrays that it touches were made, in words.

#include <string>

#include "report/record/record.hpp"

namespace gpumem::report {

/// "asked for by model.py:57 in forward"; of a step that no line of the program's own asked for, by its operator.
/// Empty where neither is known.
[[nodiscard]] std::string caller_words(const Record& record);
/// The same with the operator and the program's own lines further out, as sentences. Empty likewise.
[[nodiscard]] std::string caller_sentences(const Record& record);
/// " of the 64 MiB made at model.py:42". Empty where it is not known where.
[[nodiscard]] std::string array_words(const SiteRecord& site);

}  // namespace gpumem::report
