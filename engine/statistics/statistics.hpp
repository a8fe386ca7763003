#pragma once
// Statistics of repeated timings, host code only: order statistics, because timings are skewed and a median is not.

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>

namespace gpumem::measure {

using Seconds = std::chrono::duration<double>;

/// With fewer samples even the interval from the smallest to the largest holds the median with less than 95 %:
/// 1 - 2 / 2^5 = 93.75 %.
inline constexpr std::size_t fewest_samples = 6;

struct Summary {
  Seconds median{};    ///< mean of the two middle samples when their number is even
  Seconds ci95_low{};  ///< two of the samples, which enclose the true median with at least 95 % confidence
  Seconds ci95_high{};
  Seconds min{};
  Seconds p05{};  ///< quantiles linear between samples: R's type 7, NumPy's default
  Seconds p95{};
  std::size_t count = 0;

  /// Width of the interval relative to the median, (high - low) / median: 0.005 is "0.5 % wide". 0 for an interval
  /// without width; infinite when it has one around a median of 0.
  [[nodiscard]] double relative_width() const;
};

/// Summarises samples in any order. The interval runs from the r-th smallest to the r-th largest sample, with the
/// largest r whose exact binomial coverage, 1 - 2 P(B < r) for B ~ binomial(n, 1/2), is at least 95 % (Conover,
/// Practical Nonparametric Statistics, 3.2); it assumes independent samples and nothing about their distribution. Fewer
/// than 6 samples cannot give a 95 % interval; it then spans all of them. Throws std::invalid_argument without samples.
[[nodiscard]] Summary summarise(std::span<const Seconds> samples);

/// The median of samples of any unit and its 95 % confidence interval, made in the same way; absent with fewer than 6.
struct Estimate {
  double median = 0;
  std::optional<double> ci95_low = {};
  std::optional<double> ci95_high = {};
};
[[nodiscard]] Estimate estimate_median(std::span<const double> samples);

/// When to stop repeating a measurement: when the interval is narrow enough, or when the budget (time or samples) ends.
/// There is always at least one sample.
struct StoppingRule {
  double ci_width = 0.005;              ///< relative width of the interval to reach
  Seconds time_budget{2.0};             ///< measuring time after which to stop, even below minimum_samples
  std::size_t minimum_samples = 15;     ///< to converge; never fewer than the 6 that a 95 % interval needs
  std::size_t maximum_samples = 10000;  ///< stop here, even when minimum_samples is larger

  enum class Decision {
    more,          ///< take more samples
    converged,     ///< enough samples, and the interval is at most ci_width wide
    out_of_budget  ///< stop although the interval is wider
  };
  /// Linear in the number of samples, so it can be asked after every batch. `elapsed` is the time spent measuring.
  [[nodiscard]] Decision decide(std::span<const Seconds> samples, Seconds elapsed) const;
  [[nodiscard]] Decision decide(std::span<const double> samples, Seconds elapsed) const;  ///< of any unit
};

}  // namespace gpumem::measure
