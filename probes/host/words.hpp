#pragma once
// Quantities as conclusions say them, with as many digits as they deserve.

#include <string>

namespace gpumem::host {

/// Two significant digits, but never fewer than the integer part: 155, 12, 2.4, 0.031.
[[nodiscard]] std::string two_digits(double value);
/// Two digits in the unit that leaves an integer part: "2.4 us", "155 ms".
[[nodiscard]] std::string duration_words(double seconds);
/// "75 x", "2.55 x", "0.97 x": two decimals below 10, for ratios near 1 differ in the second.
[[nodiscard]] std::string times_words(double ratio);

}  // namespace gpumem::host
