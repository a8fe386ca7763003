#pragma once
// Holds a value against earlier ones of the same machine: how much worse it may be before noise no longer explains it.

#include <cstddef>
#include <span>

namespace gpumem::measure {

/// The chance that Student's t with so many degrees of freedom exceeds `t`, for t >= 0 and `degrees` >= 1: the finite
/// series of Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.3 and 26.7.4.
[[nodiscard]] double student_t_tail(double t, std::size_t degrees);

/// The t that Student's t exceeds with this chance, which is above 0 and at most 0.5.
[[nodiscard]] double student_t_quantile(double chance, std::size_t degrees);

/// The least slowdown that a limit finds, as a share. Runs of one GPU differ by less, but with heavier tails than those
/// of a normal distribution: L2 of an H200 was 1.7 % slower in one of 83 runs, whose spread was 0.2 % (docs/suites.md).
inline constexpr double least_slowdown = 0.02;

/// The lowest value that noise explains, from earlier values of which more is better.
struct NoiseLimit {
  double median = 0;
  double spread = 0;  ///< standard deviation from run to run, as a share of the median
  double lowest = 0;  ///< a value below this one is worse than noise explains
};

/// Returns the limit for one more value. `earlier` has at least two positive values in any order. `least_spread` is a
/// share of the value below which no spread is believed: what a single measurement is uncertain by. `chance` is that
/// of a false alarm if the values are normally distributed.
///
/// The limit is a prediction interval about the median: median - t spread sqrt(1 + pi / (2 n)), in which pi / (2 n) is
/// the variance of a median of n normal values. A tenth of the values, those farthest from the median, is left out of
/// the spread, because a run may have been slow and not have failed. A normal distribution that is cut at its central
/// nine tenths has 0.789 of the whole one's standard deviation. The limit is at least `least_slowdown` below the
/// median.
[[nodiscard]] NoiseLimit noise_limit(std::span<const double> earlier, double least_spread, double chance);

}  // namespace gpumem::measure
