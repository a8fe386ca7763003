#include "engine/statistics/criteria.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "engine/statistics/outliers.hpp"
#include "engine/statistics/statistics.hpp"

namespace gpumem::measure {

namespace {

/// Degrees of freedom of a fleet's tails.
constexpr double tail_degrees = 10;

/// One of so many values may be left out.
constexpr std::size_t one_in = 10;

/// 1 / (sqrt(2) x the normal distribution's quantile of 5/8).
constexpr double deviations_per_distance = 2.2219;

/// Makes Qn of so many normally distributed values right on average.
double small_sample_factor(std::size_t count) {
  constexpr std::array<double, 10> tabled = {1, 1, 0.399, 0.994, 0.512, 0.844, 0.611, 0.857, 0.669, 0.872};
  if (count < tabled.size()) return tabled[count];
  const auto n = static_cast<double>(count);
  return n / (n + (count % 2 == 1 ? 1.4 : 3.8));
}

/// Returns the number of pairs that are at most `distance` apart.
std::size_t pairs_within(std::span<const double> sorted, double distance) {
  std::size_t pairs = 0;
  std::size_t first = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    while (sorted[i] - sorted[first] > distance) ++first;
    pairs += i - first;
  }
  return pairs;
}

/// The continued fraction of the incomplete beta function, evaluated by the method of Lentz (W. H. Press and others,
/// Numerical Recipes, 6.4). Converges quickly for x < (a + 1) / (a + b + 2).
double beta_fraction(double a, double b, double x) {
  constexpr int most_steps = 1000;
  constexpr double precise = 1e-14;
  double c = 1;
  double d = 1 / (1 - (a + b) * x / (a + 1));
  double result = d;
  for (int m = 1; m < most_steps; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / (1 + even * d);
    c = 1 + even / c;
    result *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / (1 + odd * d);
    c = 1 + odd / c;
    result *= d * c;
    if (std::abs(d * c - 1) < precise) break;
  }
  return result;
}

/// The regularized incomplete beta function of x, whose complement is given as well: one of them may be tiny.
double incomplete_beta(double a, double b, double x, double complement) {
  const double front =
      std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log(complement));
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, complement) / b;
}

/// The probability that Student's distribution exceeds t > 0.
double student_tail(double t, double degrees) {
  const double sum = degrees + t * t;
  return incomplete_beta(degrees / 2, 0.5, degrees / sum, t * t / sum) / 2;
}

double degrees_for(std::size_t count) { return std::min(tail_degrees, 0.7 * static_cast<double>(count) - 2); }

/// Logarithms of speeds, sorted, with their location and deviation.
struct Learned {
  std::vector<double> speeds;
  double median = 0;
  double deviation = 0;
  double margin = 0;   ///< from the median to the bound
  double certain = 0;  ///< beyond the bound: slower machines miss it almost surely
};

Learned learn_all(std::vector<double> speeds, double false_alarms) {
  Learned learned{.speeds = std::move(speeds)};
  const auto n = static_cast<double>(learned.speeds.size());
  const double degrees = degrees_for(learned.speeds.size());
  // The median has an error of its own: pi / 2n of a normal distribution's variance.
  const double with_median = std::sqrt(1 + std::numbers::pi / (2 * n));
  learned.median = estimate_median(learned.speeds).median;
  learned.deviation = robust_deviation(learned.speeds);
  const double unit = learned.deviation * with_median;
  learned.margin = std::max(student_quantile(false_alarms, degrees) * unit, -std::log1p(-outlier_tolerance));
  learned.certain = student_quantile(1 - certainty_of_finding, degrees) * unit;
  return learned;
}

/// Learns without the values that miss the bound, unless they are too many.
Learned learn_usual(const std::vector<double>& speeds, double false_alarms) {
  constexpr int most_rounds = 20;
  const std::size_t fewest = std::max(speeds.size() - speeds.size() / one_in, fewest_to_learn);
  const Learned all = learn_all(speeds, false_alarms);
  Learned usual = all;
  for (int round = 0; round < most_rounds; ++round) {
    std::vector<double> near;
    std::ranges::copy_if(speeds, std::back_inserter(near),
                         [&](double speed) { return std::abs(speed - usual.median) <= usual.margin; });
    if (near.size() < fewest) return all;
    if (near.size() == usual.speeds.size()) break;
    usual = learn_all(std::move(near), false_alarms);
  }
  return usual;
}

/// Returns how many of the sorted speeds are the slower of two groups; 0 if they are one group.
std::size_t slower_group(const std::vector<double>& sorted) {
  constexpr std::size_t fewest = 5;
  const std::size_t least = std::max(fewest, (sorted.size() + one_in - 1) / one_in);
  const auto n = static_cast<double>(sorted.size());
  const double mean = std::accumulate(sorted.begin(), sorted.end(), 0.0) / n;
  double total = 0;
  for (const double speed : sorted) total += (speed - mean) * (speed - mean);
  double best = 0;
  std::size_t division = 0;
  double below = 0;  // sum of the distances from the mean
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    below += sorted[i - 1] - mean;
    if (i < least || sorted.size() - i < least) continue;
    const auto slower = static_cast<double>(i);
    const double between = below * below * n / (slower * (n - slower));
    if (between <= best) continue;
    best = between;
    division = i;
  }
  const double critical = std::max(0.8, 0.7 + 1.1 / std::sqrt(n));
  if (total <= 0 || best / total <= critical) return 0;
  const std::span<const double> all = sorted;
  const double apart = estimate_median(all.subspan(division)).median - estimate_median(all.first(division)).median;
  return apart > -std::log1p(-outlier_tolerance) ? division : 0;
}

}  // namespace

double robust_deviation(std::span<const double> values) {
  if (values.size() < 2) return 0;
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  const std::size_t half = sorted.size() / 2 + 1;
  const std::size_t wanted = half * (half - 1) / 2;
  // Halving an interval takes the time of sorting; all distances would take the square of that.
  constexpr int halvings = 100;
  double low = 0;
  double high = sorted.back() - sorted.front();
  if (pairs_within(sorted, low) >= wanted) return 0;
  for (int i = 0; i < halvings && high - low > 1e-12 * high; ++i) {
    const double middle = low + (high - low) / 2;
    (pairs_within(sorted, middle) >= wanted ? high : low) = middle;
  }
  return deviations_per_distance * small_sample_factor(sorted.size()) * high;
}

double student_quantile(double tail, double degrees) {
  constexpr int halvings = 200;
  double low = 0;
  double high = 1;
  while (student_tail(high, degrees) > tail) high *= 2;
  for (int i = 0; i < halvings && high - low > 1e-12 * high; ++i) {
    const double middle = low + (high - low) / 2;
    (student_tail(middle, degrees) > tail ? low : high) = middle;
  }
  return high;
}

double rate_of_one(double false_alarms, std::size_t cases) {
  return -std::expm1(std::log1p(-false_alarms) / static_cast<double>(std::max<std::size_t>(cases, 1)));
}

Criterion learn_criterion(std::span<const double> values, Better better, double false_alarms) {
  if (values.size() < fewest_to_learn) throw std::invalid_argument("too few values to learn from");
  const double sign = better == Better::less ? -1 : 1;
  const auto value_of = [&](double speed) { return std::exp(sign * speed); };
  std::vector<double> speeds;
  speeds.reserve(values.size());
  for (const double value : values) speeds.push_back(sign * std::log(value));
  std::ranges::sort(speeds);
  Learned learned = learn_usual(speeds, false_alarms);
  Criterion criterion{.count = values.size(), .left_out = values.size() - learned.speeds.size()};
  criterion.median = value_of(learned.median);
  criterion.deviation = learned.deviation;
  double lost = learned.margin + learned.certain;
  if (const std::size_t slower = slower_group(learned.speeds)) {
    const auto middle = learned.speeds.begin() + static_cast<std::ptrdiff_t>(slower);
    const std::vector<double> fast(middle, learned.speeds.end());
    const double faster_median = estimate_median(fast).median;
    const auto faster = fast.size();
    learned = learn_usual({learned.speeds.begin(), middle}, false_alarms);
    criterion.left_out += slower - learned.speeds.size();
    criterion.groups = {slower, faster, value_of(learned.median), value_of(faster_median)};
    criterion.deviation = learned.deviation;
    lost = faster_median - learned.median + learned.margin + learned.certain;
  }
  criterion.bound = value_of(learned.median - learned.margin);
  criterion.finds = -std::expm1(-lost);
  return criterion;
}

}  // namespace gpumem::measure
