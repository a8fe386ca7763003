#pragma once
// The JSON documents that gpumem knows, told apart by their members: somebody who names the wrong file is told what it
// is and what takes it.

#include <string>
#include <string_view>

#include "engine/base/error.hpp"

namespace gpumem {

/// Throws the usage error for a text that is another document than the one wanted ("report", "suite", "GPU profile",
/// "suite or report"), with the command that takes it, and for one that is none of them. Returns where it may be what
/// is wanted, and is wrong in itself.
void refuse_other_document(std::string_view text, const std::string& source, std::string_view wanted);

/// What `read` makes of the text. Throws what it throws, but for another document what that is.
template <class Read>
[[nodiscard]] auto read_document(std::string_view text, const std::string& source, std::string_view wanted,
                                 const Read& read) {
  try {
    return read();
  } catch (const Error&) {
    refuse_other_document(text, source, wanted);
    throw;
  }
}

/// What a text that is no JSON is instead, and what makes JSON of it: compressed, or in UTF-16. Empty where that is not
/// known.
[[nodiscard]] std::string foreign_text(std::string_view text, const std::string& source);

}  // namespace gpumem
