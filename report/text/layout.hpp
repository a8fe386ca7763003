#pragma once
// Pieces of text layout that help, lists and error lines share.

#include <cstddef>
#include <string>
#include <string_view>

namespace gpumem::report {

/// Breaks `text` at spaces so that no line passes column `width`, unless a single word does. Every line starts at
/// column `indent`, the first one without the spaces that lead there. No newline at the end.
[[nodiscard]] std::string wrap(std::string_view text, std::size_t width, std::size_t indent);

/// A left column padded to `column` and a text wrapped beside it, or below it when the left one is too long. Ends with
/// a newline.
[[nodiscard]] std::string two_columns(std::string_view left, std::string_view text, std::size_t width,
                                      std::size_t column);

/// Quoted for a shell if it has to be, on one line whatever it holds.
[[nodiscard]] std::string shell_quoted(std::string_view argument);

}  // namespace gpumem::report
