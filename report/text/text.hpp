#pragma once
// Text for people: widths, wrapping, and numbers with as many digits as they deserve.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpumem::report {

/// Columns a UTF-8 text takes on a terminal, every character counted as one column.
[[nodiscard]] std::size_t display_width(std::string_view text);

/// The text, or its beginning and an ellipsis where it is wider than `width` columns.
[[nodiscard]] std::string truncated(std::string_view text, std::size_t width);

/// The text with what would steer a terminal (control characters, marks that turn the direction of writing) replaced by
/// spaces, and bytes that are no UTF-8 by question marks. Line breaks stay.
[[nodiscard]] std::string without_controls(std::string_view text);

/// The same without line breaks.
[[nodiscard]] std::string one_line(std::string_view text);

/// Lines of at most `width` columns, broken at spaces; a longer word stands on its own line.
[[nodiscard]] std::vector<std::string> wrapped(std::string_view text, std::size_t width);

[[nodiscard]] std::string join(std::span<const std::string> parts, std::string_view separator);

/// Exactly: "1 GiB", "1.5 MiB", "1 GB", "100 bytes".
[[nodiscard]] std::string size_in_words(std::uint64_t bytes);

/// Of traffic, in powers of ten: "2.14 GB", "0 bytes".
[[nodiscard]] std::string decimal_size(double bytes);

/// Decimals that give the smallest non-zero value `significant` digits, at most `maximum`.
[[nodiscard]] int decimals_for(std::span<const double> values, int significant, int maximum);

[[nodiscard]] std::string fixed(double value, int decimals);

/// At most `decimals` decimals, without trailing zeros: 4, 4.5.
[[nodiscard]] std::string trimmed(double value, int decimals);

struct TimeUnit {
  std::string name;
  double per_second = 1;
};
/// The largest of s, ms, us and ns that gives at least one.
[[nodiscard]] TimeUnit time_unit(double seconds);

/// A count and its noun: "1 case", "33 cases".
[[nodiscard]] std::string counted(std::size_t count, std::string_view noun);

}  // namespace gpumem::report
