#include "engine/statistics/straight_line.hpp"

namespace gpumem::measure {

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

}  // namespace gpumem::measure
