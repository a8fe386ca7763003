#include "engine/statistics/outliers.hpp"

#include <algorithm>
#include <cmath>

#include "engine/statistics/statistics.hpp"

namespace gpumem::measure {

namespace {

/// 1 / the normal distribution's quantile of 3/4.
constexpr double sigma_per_mad = 1.4826;

}  // namespace

Spread spread_of(std::span<const double> values, double tolerance) {
  Spread spread{.count = values.size()};
  if (values.empty()) return spread;
  spread.median = estimate_median(values).median;
  spread.min = std::ranges::min(values);
  spread.max = std::ranges::max(values);
  std::vector<double> distances;
  distances.reserve(values.size());
  for (const double value : values) distances.push_back(std::abs(value - spread.median));
  spread.mad = estimate_median(distances).median;
  spread.judged = values.size() >= fewest_comparable;
  spread.least_off = std::max(tolerance, outlier_z * sigma_per_mad * spread.mad / spread.median);
  return spread;
}

Deviation deviation_of(double value, const Spread& others, Better better) {
  const double ratio = value / others.median;
  Deviation deviation{.relative = ratio - 1, .loss = 1 - (better == Better::less ? 1 / ratio : ratio), .z = {}};
  if (others.mad > 0) deviation.z = (value - others.median) / (sigma_per_mad * others.mad);
  deviation.outlier = others.judged && std::abs(deviation.relative) > others.least_off;
  return deviation;
}

std::vector<Unlike> unlike_the_others(std::span<const double> values, Better better, double tolerance) {
  const Spread spread = spread_of(values, tolerance);
  std::vector<Unlike> unlike;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Deviation deviation = deviation_of(values[i], spread, better);
    if (deviation.outlier) unlike.push_back({i, deviation});
  }
  return unlike;
}

}  // namespace gpumem::measure
