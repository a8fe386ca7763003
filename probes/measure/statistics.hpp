#pragma once
// Statistics of repeated timings, host code only: order statistics, because timings are skewed and a median is not.

#include <chrono>
#include <cstddef>
#include <span>

namespace gpumem::measure {

using Seconds = std::chrono::duration<double>;

struct Summary {
  Seconds median{};
  Seconds ci95_low{};   ///< the order statistics that hold the median with at least 95 % confidence
  Seconds ci95_high{};
  Seconds min{};
  Seconds p05{};
  Seconds p95{};
  std::size_t count = 0;

  /// Width of the interval relative to the median, (high - low) / median. 0.005 is "within 0.5 %".
  [[nodiscard]] double relative_width() const;
};

/// Summarises samples in any order. Fewer than 6 samples cannot give a 95 % interval; it then spans all of them.
/// Throws std::invalid_argument without samples.
[[nodiscard]] Summary summarise(std::span<const Seconds> samples);

/// When to stop repeating a measurement.
struct StoppingRule {
  double ci_width = 0.005;          ///< relative width of the interval to reach
  Seconds time_budget{2.0};         ///< measuring time after which to stop whatever the interval
  std::size_t minimum_samples = 15;
  std::size_t maximum_samples = 10000;

  enum class Decision { more, converged, out_of_budget };
  [[nodiscard]] Decision decide(std::span<const Seconds> samples, Seconds elapsed) const;
};

}  // namespace gpumem::measure
