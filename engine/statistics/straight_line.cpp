#include "engine/statistics/straight_line.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

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

LinearCost solve(std::span<const TimedSize> readings) {
  std::vector<Point2D> points;
  for (const TimedSize& reading : readings) points.push_back({reading.bytes, reading.time.count()});
  const StraightLine line = fit_straight_line(points);
  return {Seconds(line.at_zero), 1 / line.slope};
}

}  // namespace

/// Minimises the sum of (at_zero u + slope v - 1)^2 with u = 1 / y and v = x / y: linear least squares of the relative
/// errors. Cramer's rule on the normal equations; their determinant is positive for x that differ.
StraightLine fit_straight_line(std::span<const Point2D> readings) {
  double u = 0;
  double v = 0;
  double uu = 0;
  double uv = 0;
  double vv = 0;
  for (const auto& [x, y] : readings) {
    const double a = 1 / y;
    const double b = x / y;
    u += a;
    v += b;
    uu += a * a;
    uv += a * b;
    vv += b * b;
  }
  const double determinant = uu * vv - uv * uv;
  return {(u * vv - v * uv) / determinant, (v * uu - u * uv) / determinant};
}

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
