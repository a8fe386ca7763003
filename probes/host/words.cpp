#include "probes/host/words.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string_view>

namespace gpumem::host {

std::string two_digits(double value) {
  // 9.96 rounds to one more digit: 10, not 10.0.
  const double size = std::abs(value);
  return fmt::format("{:.{}f}", value, size >= 9.95 ? 0 : size >= 0.995 || size == 0 ? 1 : size >= 0.0995 ? 2 : 3);
}

std::string duration_words(double seconds) {
  constexpr std::array<std::string_view, 4> units = {"s", "ms", "us", "ns"};
  std::size_t unit = 0;
  // What two digits would round up to the next unit is said in it: 0.9996 ms is 1.0 ms.
  while (unit + 1 < units.size() && std::abs(seconds) < 0.9995) {
    seconds *= 1000;
    ++unit;
  }
  return fmt::format("{} {}", two_digits(seconds), units[unit]);
}

std::string times_words(double ratio) { return fmt::format("{:.{}f} x", ratio, ratio < 9.995 ? 2 : 0); }

}  // namespace gpumem::host
