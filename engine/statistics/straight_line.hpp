#pragma once
// The straight line through readings over which a quantity grows in proportion.

#include <span>

namespace gpumem::measure {

struct StraightLine {
  double at_zero = 0;
  double slope = 0;

  [[nodiscard]] double at(double x) const { return at_zero + slope * x; }
};

struct Point2D {
  double x = 0;
  double y = 0;  ///< positive
};

/// The line whose relative errors have the least sum of squares: of readings that span powers of two the largest would
/// otherwise decide alone. Of readings with fewer than two different x the line is not finite.
[[nodiscard]] StraightLine fit_straight_line(std::span<const Point2D> readings);

}  // namespace gpumem::measure
