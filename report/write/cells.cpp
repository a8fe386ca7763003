#include "report/write/cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "engine/base/words.hpp"

namespace gpumem::report {

std::vector<std::string> aligned(const std::vector<std::optional<double>>& values, int digits, int most_decimals) {
  constexpr double many = 1e3;
  std::vector<double> magnitudes;  // but zero
  for (const auto& value : values) {
    if (value && *value != 0) magnitudes.push_back(std::abs(*value));
  }
  const bool own = !magnitudes.empty() && std::ranges::max(magnitudes) > many * std::ranges::min(magnitudes);
  const int common = decimals_for(magnitudes, digits, most_decimals);
  std::vector<std::string> cells;
  for (const auto& value : values) {
    if (!value) {
      cells.emplace_back();
      continue;
    }
    const int decimals = own ? decimals_for(std::span(&*value, 1), digits, most_decimals) : common;
    const bool vanishes = *value != 0 && std::abs(*value) < 0.5 * std::pow(10, -decimals);
    cells.push_back(vanishes ? significant(*value, 2) : fixed(*value, decimals));
  }
  return cells;
}

std::string percent_off(double ratio, int decimals) {
  const double value = (ratio - 1) * 100;
  const bool vanishes = std::abs(value) < 0.5 * std::pow(10, -decimals);
  return vanishes ? fixed(0, decimals) : fmt::format("{:+.{}f}", value, decimals);
}

Heading in_percent(const Heading& share) {
  const std::size_t space = share.name.rfind(' ');
  if (space == std::string::npos) return {share.name, "%"};
  return {share.name.substr(0, space), share.name.substr(space + 1) + " %"};
}

}  // namespace gpumem::report
