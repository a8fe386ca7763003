#include "engine/statistics/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <vector>

namespace gpumem::measure {

namespace {

using Values = std::vector<double>;

Values in_seconds(std::span<const Seconds> samples) {
  Values values;
  values.reserve(samples.size());
  for (const Seconds sample : samples) values.push_back(sample.count());
  return values;
}

/// P(B = n / 2, rounded down) of B ~ binomial(n, 1/2).
double central_probability(std::size_t n) {
  const std::size_t half = n / 2;
  const auto k = static_cast<double>(half);
  const auto trials = static_cast<double>(n);
  return std::exp(std::lgamma(trials + 1) - std::lgamma(k + 1) - std::lgamma(trials - k + 1) -
                  trials * std::numbers::ln2);
}

/// Rank, counted from 0, of the interval's lower end; the upper end is as far from the other side. The interval from
/// the r-th smallest to the r-th largest sample misses the median with probability 2 P(B < r), so the answer is the
/// largest r with P(B < r) <= 2.5 % less one. Summed from the centre outwards that takes about sqrt(n) steps, and no
/// term underflows.
std::size_t interval_rank(std::size_t n) {
  if (n < fewest_samples) return 0;
  double probability = central_probability(n);                // P(B = k)
  double at_most = n % 2 == 0 ? 0.5 + probability / 2 : 0.5;  // P(B <= k)
  std::size_t k = n / 2;
  while (at_most > 0.025) {
    at_most -= probability;
    probability *= static_cast<double>(k) / static_cast<double>(n - k + 1);
    --k;
  }
  return k;
}

/// Puts the values of these ascending ranks where sorting would.
void place(Values& values, std::initializer_list<std::size_t> ranks) {
  auto first = values.begin();
  for (const std::size_t rank : ranks) {
    const auto target = values.begin() + static_cast<std::ptrdiff_t>(rank);
    if (target < first) continue;  // the rank before it is the same
    std::nth_element(first, target, values.end());
    first = target + 1;
  }
}

double median_of_placed(const Values& values) {
  const std::size_t n = values.size();
  return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

/// Quantile of sorted values, linear between order statistics (Hyndman and Fan's type 7).
double quantile(const Values& sorted, double p) {
  const double position = static_cast<double>(sorted.size() - 1) * p;
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (position - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

double relative(double width, double median) {
  if (width == 0) return 0;
  return median > 0 ? width / median : std::numeric_limits<double>::infinity();
}

/// Returns summarise(samples).relative_width() in linear time: it is asked for after every batch of samples.
double relative_width_of(Values values) {
  const std::size_t n = values.size();
  const std::size_t low = interval_rank(n);
  const std::size_t high = n - 1 - low;
  place(values, {low, (n - 1) / 2, n / 2, high});
  return relative(values[high] - values[low], median_of_placed(values));
}

}  // namespace

double Summary::relative_width() const { return relative((ci95_high - ci95_low).count(), median.count()); }

Summary summarise(std::span<const Seconds> samples) {
  if (samples.empty()) throw std::invalid_argument("a summary needs at least one sample");
  Values sorted = in_seconds(samples);
  std::ranges::sort(sorted);
  const std::size_t low = interval_rank(sorted.size());
  Summary summary;
  summary.median = Seconds(median_of_placed(sorted));
  summary.ci95_low = Seconds(sorted[low]);
  summary.ci95_high = Seconds(sorted[sorted.size() - 1 - low]);
  summary.min = Seconds(sorted.front());
  summary.p05 = Seconds(quantile(sorted, 0.05));
  summary.p95 = Seconds(quantile(sorted, 0.95));
  summary.count = sorted.size();
  return summary;
}

Estimate estimate_median(std::span<const double> samples) {
  if (samples.empty()) throw std::invalid_argument("a median needs at least one sample");
  Values sorted(samples.begin(), samples.end());
  std::ranges::sort(sorted);
  Estimate estimate{.median = median_of_placed(sorted)};
  if (sorted.size() < fewest_samples) return estimate;
  const std::size_t low = interval_rank(sorted.size());
  estimate.ci95_low = sorted[low];
  estimate.ci95_high = sorted[sorted.size() - 1 - low];
  return estimate;
}

StoppingRule::Decision StoppingRule::decide(std::span<const Seconds> samples, Seconds elapsed) const {
  return decide(in_seconds(samples), elapsed);
}

StoppingRule::Decision StoppingRule::decide(std::span<const double> samples, Seconds elapsed) const {
  if (samples.empty()) return Decision::more;
  // Convergence first: a measurement that is good when its budget ends is not out of budget.
  if (samples.size() >= std::max(minimum_samples, fewest_samples) &&
      relative_width_of({samples.begin(), samples.end()}) <= ci_width) {
    return Decision::converged;
  }
  const bool ended = elapsed >= time_budget || samples.size() >= maximum_samples;
  return ended ? Decision::out_of_budget : Decision::more;
}

}  // namespace gpumem::measure
