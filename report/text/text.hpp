#pragma once
// Text as it is laid out: what it may hold, how wide it is, where it breaks, how a shell takes it.

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gpumem::report {

/// Columns a UTF-8 text takes on a terminal, every character counted as one column.
[[nodiscard]] std::size_t display_width(std::string_view text);

/// The text and as many blanks as it lacks for `width` columns.
[[nodiscard]] std::string padded(std::string text, std::size_t width);

/// The text, or its beginning and an ellipsis where it is wider than `width` columns. No number is cut in two.
[[nodiscard]] std::string truncated(std::string_view text, std::size_t width);

/// The text with what would steer a terminal (control characters, marks that turn the direction of writing) replaced by
/// spaces, and bytes that are no UTF-8 by question marks. Line breaks stay.
[[nodiscard]] std::string without_controls(std::string_view text);

/// The same without line breaks.
[[nodiscard]] std::string one_line(std::string_view text);

/// The text with every byte that is part of no valid UTF-8 sequence, and every character that is barred, replaced by
/// U+FFFD.
[[nodiscard]] std::string valid_utf8(std::string_view text, bool (*is_barred)(char32_t) = nullptr);

/// The text with characters replaced by what stands for them in some format: {{'<', "&lt;"}}.
[[nodiscard]] std::string escaped(std::string_view text,
                                  std::initializer_list<std::pair<char, std::string_view>> replacements);

/// The text fit for an attribute or a text of XML or HTML. XML 1.0 has no control characters but tab and line breaks,
/// which an attribute would lose, nor U+FFFE and U+FFFF.
[[nodiscard]] std::string xml_escaped(std::string_view text);

/// Lines of at most `width` columns, broken at spaces; a longer word stands on its own line.
[[nodiscard]] std::vector<std::string> wrapped(std::string_view text, std::size_t width);

/// Breaks `text` at spaces so that no line passes column `width`, unless a single word does. Every line starts at
/// column `indent`, the first one without the spaces that lead there. No newline at the end.
[[nodiscard]] std::string wrap(std::string_view text, std::size_t width, std::size_t indent);

/// A left column padded to `column` and a text wrapped beside it, or below it when the left one is too long. Ends with
/// a newline.
[[nodiscard]] std::string two_columns(std::string_view left, std::string_view text, std::size_t width,
                                      std::size_t column);

/// Quoted for a shell if it has to be, on one line whatever it holds.
[[nodiscard]] std::string shell_quoted(std::string_view argument);

/// The words of a command line, each as a shell takes it.
[[nodiscard]] std::string command_line(std::span<const std::string> words);
[[nodiscard]] std::string join(std::span<const std::string> parts, std::string_view separator);
/// The first parts, and how many more there are: "a, b, and 3 more".
[[nodiscard]] std::string join_first(std::span<const std::string> parts, std::size_t most);
/// The parts between separators, empty ones too; one part if there is none.
[[nodiscard]] std::vector<std::string> split(std::string_view text, char separator);

/// A count and its noun: "1 case", "33 cases".
[[nodiscard]] std::string counted(std::size_t count, std::string_view noun);

/// "87 %".
[[nodiscard]] std::string whole_percent(double fraction);
/// "3.1 %".
[[nodiscard]] std::string percent_with_tenths(double fraction);

/// Without its full stop.
[[nodiscard]] std::string first_sentence(const std::string& text);

}  // namespace gpumem::report
