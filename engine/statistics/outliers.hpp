#pragma once
// Compares values that should be alike: machines of a fleet, pairs of GPUs of a node.
//
// The measure is the modified z-score of Iglewicz and Hoaglin (How to Detect and Handle Outliers, 1993):
//   z = (x - median) / (1.4826 MAD),  MAD = median of |x - median|,
// in which 1.4826 makes the MAD of normally distributed values their standard deviation. They propose |z| > 3.5. Median
// and MAD hardly move while less than half of the values are off; mean and standard deviation do. In values that agree
// very well, z alone would mark differences that do not matter, and if half of them are the same, the MAD is 0. So an
// outlier also has to be off by more than a tolerance, a share of the median.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "engine/base/quantity.hpp"

namespace gpumem::measure {

inline constexpr double outlier_z = 3.5;
inline constexpr double outlier_tolerance = 0.01;    ///< unless asked for another
inline constexpr std::size_t fewest_comparable = 5;  ///< with fewer, half of them off is one or two

/// Statistics of positive values.
struct Spread {
  std::size_t count = 0;  ///< if 0, all others are 0 too
  double median = 0;
  double mad = 0;
  double min = 0;
  double max = 0;
  bool judged = false;   ///< there are enough of them to call one an outlier
  double least_off = 0;  ///< share of the median beyond which a value is an outlier
};

[[nodiscard]] Spread spread_of(std::span<const double> values, double tolerance = outlier_tolerance);

/// The distance of one value from the others.
struct Deviation {
  double relative = 0;      ///< value / median - 1
  double loss = 0;          ///< share of the median's speed that is lacking; negative where it is better
  std::optional<double> z;  ///< absent where the MAD is 0
  bool outlier = false;     ///< never where they are too few to be judged

  [[nodiscard]] bool is_worse() const { return loss > 0; }
};

[[nodiscard]] Deviation deviation_of(double value, const Spread& others, Better better);

struct Unlike {
  std::size_t index = 0;  ///< into the values
  Deviation by;
};

/// The outliers of positive values, in their order. None where the values are too few to tell.
[[nodiscard]] std::vector<Unlike> unlike_the_others(std::span<const double> values, Better better,
                                                    double tolerance = outlier_tolerance);

}  // namespace gpumem::measure
