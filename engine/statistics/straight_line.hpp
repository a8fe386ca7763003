#pragma once
// Straight lines through readings: for quantities that grow in proportion, and for work that takes a fixed time and a
// time per byte.

#include <optional>
#include <span>

#include "engine/statistics/statistics.hpp"

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

/// Fits the line whose relative errors have the least sum of squares. With absolute errors, the largest of readings
/// that span powers of two would decide alone. The line is not finite for readings with fewer than two different x.
[[nodiscard]] StraightLine fit_straight_line(std::span<const Point2D> readings);

/// time = fixed + bytes / asymptotic rate.
struct LinearCost {
  Seconds fixed{};
  double bytes_per_s = 0;  ///< the asymptotic rate, which no size reaches

  [[nodiscard]] Seconds time_of(double bytes) const { return fixed + Seconds(bytes / bytes_per_s); }
  /// The size at which half of the asymptotic rate is reached: where bytes / rate is as long as the fixed time.
  /// (n_1/2 of Hockney, Parallel Computing 17, 1991.)
  [[nodiscard]] double half_size_bytes() const { return fixed.count() * bytes_per_s; }
};

struct TimedSize {
  double bytes = 0;
  Seconds time{};
};

/// Fits both terms so that the sum of the squared relative errors is least. Sizes and times span many powers of two, of
/// which the largest would otherwise decide alone. Absent when the readings do not support it: fewer than three sizes,
/// a largest less than 16 times the smallest, a term that is not positive, or a reading that the fit misses by more
/// than a third, which says that the cost has another form.
[[nodiscard]] std::optional<LinearCost> fit_linear_cost(std::span<const TimedSize> readings);

}  // namespace gpumem::measure
