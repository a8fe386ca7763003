#pragma once
// Learns from many machines of a kind what one of them has to reach: a bound that healthy machines miss at a chosen
// rate, and the least slowdown that it finds.
//
// Everything is computed from the logarithm of the speed, in which a quantity that is better when it is less is as
// symmetric as one that is better when it is more. The location is the median. The deviation is Qn of P. J. Rousseeuw
// and C. Croux (Alternatives to the Median Absolute Deviation, Journal of the American Statistical Association 88,
// 1993): of all distances between two values the one at a quarter, made consistent with the standard deviation of a
// normal distribution. Like the MAD it holds while less than half of the values are off. It needs fewer values for the
// same precision: 82 % of them do their part in normally distributed values, and 37 % with the MAD.
//
// The bound is the median less t deviations, in which t is a quantile of Student's distribution. It has 0.7 n - 2
// degrees of freedom, because few values tell the deviation badly: this was fitted to the quantiles that samples of 5
// to 300 values from a normal distribution needed for one false alarm in 100 to 30,000. It never has more than 10
// degrees, because machines are no normal distribution: such tails hold more values. With them, a bound for one false
// alarm in 30,000 is at 6.5 deviations instead of 4.0.

#include <cstddef>
#include <optional>
#include <span>

#include "engine/base/quantity.hpp"

namespace gpumem::measure {

inline constexpr std::size_t fewest_to_learn = 8;  ///< values; with fewer, a bound is so far off that it finds nothing
inline constexpr double certainty_of_finding = 0.95;

/// Qn with the corrections for small samples of C. Croux and P. J. Rousseeuw (Time-Efficient Algorithms for Two Highly
/// Robust Estimators of Scale, 1992), in the unit of the values. 0 for fewer than two values, and if more than a
/// quarter of all pairs are equal.
[[nodiscard]] double robust_deviation(std::span<const double> values);

/// Returns the t that Student's distribution exceeds with probability `tail`, which is in (0, 0.5). `degrees` is
/// positive and need not be whole.
[[nodiscard]] double student_quantile(double tail, double degrees);

/// Returns the rate of false alarms of one case, so that `cases` independent ones together have the rate
/// `false_alarms`: 1 - (1 - rate)^(1 / cases), by Z. Sidak (1967). Cases that rise and fall together have less.
[[nodiscard]] double rate_of_one(double false_alarms, std::size_t cases);

/// Values that are in two places. The medians are in the unit of the values.
struct TwoGroups {
  std::size_t slower = 0;  ///< values of the slower group
  std::size_t faster = 0;
  double slower_median = 0;
  double faster_median = 0;
};

/// A bound, and the facts that it rests on. Values that the bound itself would fail, or that are as much too fast, are
/// left out and the rest is learned from anew, as long as these are at most a tenth of all: faulty machines are among
/// those that are learned from. If more miss it, they are no exception, and all values stay.
struct Criterion {
  std::size_t count = 0;     ///< values that it was learned from
  std::size_t left_out = 0;  ///< values that miss it
  double median = 0;         ///< of the others, in their unit
  double deviation = 0;      ///< share of the median; with two groups, of the slower one's
  double bound = 0;          ///< the slowest value that passes, in the unit of the values
  double finds = 0;          ///< share of the median's speed; a machine slower by it fails with certainty_of_finding
  /// If the values are in two groups, the bound is that of the slower one, so that it fails neither.
  std::optional<TwoGroups> groups = {};
};

/// Learns from positive values of at least fewest_to_learn machines, one each. `false_alarms` is the rate at which
/// healthy machines may miss the bound, in (0, 0.5). The bound is never closer to the median than outlier_tolerance,
/// because smaller differences do not matter. Throws std::invalid_argument for too few values.
///
/// Values are in two groups if the best division of the sorted values into two explains more than 80 % of their
/// variance, and the groups' medians differ by more than outlier_tolerance. Each group has at least a tenth of the
/// values and 5 of them. The best division explains 64 % of a normal distribution, 75 % of a uniform one, and 80 % of
/// two equal normal distributions that are four of their standard deviations apart. With fewer than 121 values the
/// share has to be higher, 0.7 + 1.1 / sqrt(n), because chance divides few values well. At
/// most one in a hundred samples that are normally, uniformly or exponentially distributed is taken for two groups.
[[nodiscard]] Criterion learn_criterion(std::span<const double> values, Better better, double false_alarms);

}  // namespace gpumem::measure
