#pragma once
// Text that people read: quantities with as many digits as they deserve, and sentences.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace gpumem {

/// To a tenth of the largest binary unit that it has one of: "1 GiB", "139.8 KiB", "100 bytes".
[[nodiscard]] std::string size_text(std::uint64_t bytes);
/// Two sizes that are not equal, told apart: in bytes where the texts above would be the same.
[[nodiscard]] std::pair<std::string, std::string> sizes_apart(std::uint64_t one_bytes, std::uint64_t other_bytes);

/// `digits` significant digits, but never fewer than the integer part: 4224, 91.3, 0.0312.
[[nodiscard]] std::string significant(double value, int digits);
/// In the unit that leaves an integer part: "2.4 us", "155 ms".
[[nodiscard]] std::string duration_words(double seconds, int digits = 2);
/// "75 x", "2.55 x", "0.97 x": two decimals below 10, for ratios near 1 differ in the second.
[[nodiscard]] std::string times_words(double ratio);

[[nodiscard]] std::string capitalised(std::string_view text);
/// "1, 2 and 3"
[[nodiscard]] std::string join_in_words(std::span<const std::string> parts);
/// The sentences that are not empty, one after another.
[[nodiscard]] std::string paragraph(std::span<const std::string> sentences);

}  // namespace gpumem
