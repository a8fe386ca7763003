#include "report/text/sparkline.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace gpumem::report {

std::string sparkline(std::span<const double> values) {
  constexpr std::array<const char*, 8> blocks = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  if (values.empty()) return {};
  const auto [low, high] = std::ranges::minmax(values);
  std::string line;
  for (const double value : values) {
    const double height = high > low ? (value - low) / (high - low) : 1;
    line += blocks.at(static_cast<std::size_t>(std::lround(height * (blocks.size() - 1))));
  }
  return line;
}

}  // namespace gpumem::report
