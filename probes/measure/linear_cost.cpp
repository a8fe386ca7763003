#include "probes/measure/linear_cost.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace gpumem::measure {

namespace {

constexpr std::size_t fewest_sizes = 3;
constexpr double least_span = 16;
constexpr double largest_error = 1.0 / 3;

bool spans_enough(std::span<const TimedSize> readings) {
  std::set<double> sizes;
  for (const TimedSize& reading : readings) {
    if (reading.time.count() <= 0 || reading.bytes <= 0) return false;
    sizes.insert(reading.bytes);
  }
  return sizes.size() >= fewest_sizes && *sizes.rbegin() >= least_span * *sizes.begin();
}

/// Minimises the sum of (fixed u + per_byte v - 1)^2 with u = 1 / time and v = bytes / time: linear least squares of
/// the relative errors. Cramer's rule on the normal equations; their determinant is positive for sizes that differ.
LinearCost solve(std::span<const TimedSize> readings) {
  double u = 0;
  double v = 0;
  double uu = 0;
  double uv = 0;
  double vv = 0;
  for (const TimedSize& reading : readings) {
    const double a = 1 / reading.time.count();
    const double b = reading.bytes / reading.time.count();
    u += a;
    v += b;
    uu += a * a;
    uv += a * b;
    vv += b * b;
  }
  const double determinant = uu * vv - uv * uv;
  return {Seconds((u * vv - v * uv) / determinant), determinant / (v * uu - u * uv)};
}

}  // namespace

std::optional<LinearCost> fit_linear_cost(std::span<const TimedSize> readings) {
  if (!spans_enough(readings)) return std::nullopt;
  const LinearCost cost = solve(readings);
  if (!(cost.fixed.count() > 0) || !(cost.bytes_per_s > 0) || !std::isfinite(cost.bytes_per_s)) return std::nullopt;
  const bool close = std::ranges::all_of(readings, [&](const TimedSize& reading) {
    return std::abs(cost.time_of(reading.bytes) / reading.time - 1) <= largest_error;
  });
  return close ? std::optional(cost) : std::nullopt;
}

}  // namespace gpumem::measure
