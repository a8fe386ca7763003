#pragma once
// Text that people read: quantities with as many digits as they deserve, and sentences.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace gpumem {

/// Written out because the functions of <cctype> depend on the locale.
[[nodiscard]] constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Returns a size to a tenth of the largest binary unit that it reaches: "1 GiB", "139.8 KiB", "100 bytes".
[[nodiscard]] std::string size_text(std::uint64_t bytes);
/// Returns the exact size: "1 GiB", "1.5 MiB", "1 GB", "100 bytes".
[[nodiscard]] std::string size_in_words(std::uint64_t bytes);
/// Returns a size of traffic in powers of ten: "2.14 GB", "0 bytes".
[[nodiscard]] std::string decimal_size(double bytes);
/// Two sizes that are not equal, told apart: in bytes where the texts above would be the same.
[[nodiscard]] std::pair<std::string, std::string> sizes_apart(std::uint64_t one_bytes, std::uint64_t other_bytes);

/// `digits` significant digits, but never fewer than the integer part: 4224, 91.3, 0.0312.
[[nodiscard]] std::string significant(double value, int digits);
[[nodiscard]] std::string fixed(double value, int decimals);
/// At most `decimals` decimals, without trailing zeros: 4, 4.5.
[[nodiscard]] std::string trimmed(double value, int decimals);
/// Decimals that give the smallest non-zero value `significant` digits, at most `maximum`.
[[nodiscard]] int decimals_for(std::span<const double> values, int significant, int maximum);

/// Returns a time in the unit that leaves an integer part: "2.4 us", "155 ms".
[[nodiscard]] std::string duration_words(double seconds, int digits = 2);
struct TimeUnit {
  std::string name;
  double per_second = 1;
};
/// The largest of s, ms, us and ns that gives at least one.
[[nodiscard]] TimeUnit time_unit(double seconds);
/// "75 x", "2.55 x", "0.97 x": two decimals below 10, for ratios near 1 differ in the second.
[[nodiscard]] std::string times_words(double ratio);

/// "4550 GB/s", "91.3 GB/s": three digits, but for a longer integer part.
[[nodiscard]] std::string rate_words(double gb_per_s);

/// True if the word is among words that are separated by spaces.
[[nodiscard]] bool is_among(std::string_view word, std::string_view words);
/// In lower case, as far as it is ASCII.
[[nodiscard]] std::string lower(std::string_view text);
[[nodiscard]] std::string capitalised(std::string_view text);
/// "1, 2 and 3"
[[nodiscard]] std::string join_in_words(std::span<const std::string> parts);
/// The sentences that are not empty, one after another.
[[nodiscard]] std::string paragraph(std::span<const std::string> sentences);

}  // namespace gpumem
