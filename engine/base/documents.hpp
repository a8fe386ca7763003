#pragma once
// The JSON documents that gpumem knows, told apart by their members. A user who names the wrong file is told what it is
// and which command takes it.

#include <string>
#include <string_view>

#include "engine/base/error.hpp"

namespace gpumem {

/// Throws a usage error if the text is another document than the one wanted ("report", "suite", "GPU profile", "suite
/// or report"), with the command that takes it, or is no document of gpumem's. Returns if it may be the wanted one with
/// an error inside.
void refuse_other_document(std::string_view text, const std::string& source, std::string_view wanted);

/// Returns what `read` makes of the text. If it throws because the text is another document, the error says which one.
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

/// Says what a text is instead of JSON (compressed, or in UTF-16), and which command makes JSON of it. Empty if that is
/// not known.
[[nodiscard]] std::string foreign_text(std::string_view text, const std::string& source);

}  // namespace gpumem
