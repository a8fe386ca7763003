// Bounds learned from samples keep their promises: the rate of false alarms, and the slowdown that they find.

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <stdexcept>
#include <vector>

#include "engine/statistics/criteria.hpp"
#include "engine/statistics/outliers.hpp"
#include "tests/catch.hpp"

namespace gpumem::test_criteria {

using measure::Criterion;
using measure::learn_criterion;
using measure::rate_of_one;
using measure::robust_deviation;
using measure::student_quantile;

namespace {

constexpr double typical = 4500;
constexpr double noise = 0.02;  // so much that the least margin of 1 % plays no part

using Draw = std::function<double(std::mt19937_64&)>;

double normal(std::mt19937_64& random) { return std::normal_distribution<double>()(random); }

std::vector<double> sample(std::size_t count, std::mt19937_64& random, const Draw& draw = normal) {
  std::vector<double> values(count);
  for (double& value : values) value = typical * std::exp(noise * draw(random));
  return values;
}

/// The probability that a machine of the normal distribution that is slower by a share misses a bound.
double missing(const Criterion& criterion, double slower = 0) {
  const double deviations = (std::log(criterion.bound / typical) - std::log1p(-slower)) / noise;
  return std::erfc(-deviations / std::sqrt(2.0)) / 2;
}

/// Qn as it is defined, by all distances.
double by_all_distances(const std::vector<double>& values, double factor) {
  std::vector<double> distances;
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) distances.push_back(std::abs(values[i] - values[j]));
  }
  std::ranges::sort(distances);
  const std::size_t half = values.size() / 2 + 1;
  return 2.2219 * factor * distances[half * (half - 1) / 2 - 1];
}

}  // namespace

TEST_CASE("the robust deviation is a quarter of the distances, whatever the number of values") {
  std::mt19937_64 random(1);
  for (const auto& [count, factor] : {std::pair(8U, 0.669), {9U, 0.872}, {20U, 20 / 23.8}, {101U, 101 / 102.4}}) {
    const std::vector<double> values = sample(count, random);
    CHECK(robust_deviation(values) == Approx(by_all_distances(values, factor)).epsilon(1e-9));
  }
  const std::vector<double> equal = {3, 3, 3, 3, 3, 3, 5, 7};
  CHECK(robust_deviation(equal) == 0);
  const std::vector<double> ties = {1, 1, 2, 2, 3, 3, 4, 4};
  CHECK(robust_deviation(ties) == Approx(by_all_distances(ties, 0.669)));
}

TEST_CASE("the robust deviation of a normal distribution is its standard deviation") {
  std::mt19937_64 random(2);
  for (const std::size_t count : {8U, 33U, 500U}) {
    double sum = 0;
    constexpr int samples = 2000;
    for (int i = 0; i < samples; ++i) {
      std::vector<double> values(count);
      for (double& value : values) value = normal(random);
      sum += robust_deviation(values);
    }
    CHECK(sum / samples == Approx(1).margin(0.02));
  }
}

TEST_CASE("quantiles of Student's distribution are those of the tables") {
  CHECK(student_quantile(0.05, 1) == Approx(6.3138).epsilon(1e-4));
  CHECK(student_quantile(0.001, 3) == Approx(10.2145).epsilon(1e-4));
  CHECK(student_quantile(0.025, 10) == Approx(2.2281).epsilon(1e-4));
  CHECK(student_quantile(0.001, 1e7) == Approx(3.0902).epsilon(1e-4));  // the normal distribution's
}

TEST_CASE("the rates of independent cases add up to that of all") {
  CHECK(rate_of_one(0.001, 1) == Approx(0.001));
  CHECK(1 - std::pow(1 - rate_of_one(0.05, 32), 32) == Approx(0.05));
}

TEST_CASE("healthy machines miss a bound no more often than promised, whatever the number that it is learned from") {
  std::mt19937_64 random(3);
  constexpr int samples = 1500;
  for (const std::size_t count : {8U, 9U, 12U, 20U, 50U, 200U}) {
    for (const double rate : {0.01, 0.001, 0.00003}) {
      double missed = 0;
      double found = 0;
      for (int i = 0; i < samples; ++i) {
        const Criterion criterion = learn_criterion(sample(count, random), Better::more, rate);
        missed += missing(criterion);
        found += missing(criterion, criterion.finds);
      }
      INFO(count << " values, rate " << rate);
      CHECK(missed / samples <= rate);
      CHECK(missed / samples > 0);
      CHECK(found / samples >= measure::certainty_of_finding - 0.005);
    }
  }
}

TEST_CASE("a bound keeps its rate for machines with the tails of Student's distribution with 10 degrees") {
  std::mt19937_64 random(4);
  std::student_t_distribution<double> heavy(10);
  const Draw draw = [&](std::mt19937_64& source) { return heavy(source); };
  constexpr double rate = 0.001;
  const Criterion criterion = learn_criterion(sample(5000, random, draw), Better::more, rate);
  const std::vector<double> others = sample(1'000'000, random, draw);
  const auto missed = std::ranges::count_if(others, [&](double value) { return value < criterion.bound; });
  CHECK(missed < 1'150);
  CHECK(missed > 500);
}

TEST_CASE("less is bounded from above as more is from below") {
  std::mt19937_64 random(5);
  const std::vector<double> bandwidths = sample(40, random);
  std::vector<double> times;
  for (const double bandwidth : bandwidths) times.push_back(1 / bandwidth);
  const Criterion more = learn_criterion(bandwidths, Better::more, 0.001);
  const Criterion less = learn_criterion(times, Better::less, 0.001);
  CHECK(less.bound == Approx(1 / more.bound));
  CHECK(less.median == Approx(1 / more.median));
  CHECK(less.finds == Approx(more.finds));
  CHECK(more.bound < more.median);
}

TEST_CASE("faulty machines hardly move the bound, and are counted") {
  std::mt19937_64 random(6);
  std::vector<double> values = sample(200, random);
  const Criterion clean = learn_criterion(values, Better::more, 0.001);
  CHECK(clean.left_out == 0);
  for (std::size_t i = 0; i < 20; ++i) values[i] *= 0.7;
  const Criterion faulty = learn_criterion(values, Better::more, 0.001);
  CHECK(faulty.left_out == 20);
  CHECK(faulty.bound == Approx(clean.bound).epsilon(0.01));
  CHECK(faulty.count == 200);
  CHECK_FALSE(faulty.groups);
}

TEST_CASE("two groups are told, and the bound fails neither") {
  std::mt19937_64 random(7);
  for (const std::size_t slow : {30U, 50U, 80U}) {
    std::vector<double> values = sample(100, random);
    for (std::size_t i = 0; i < slow; ++i) values[i] *= 0.8;
    const Criterion criterion = learn_criterion(values, Better::more, 0.001);
    REQUIRE(criterion.groups);
    CHECK(criterion.groups->slower == slow);
    CHECK(criterion.groups->faster == 100 - slow);
    CHECK(criterion.groups->slower_median == Approx(0.8 * typical).epsilon(0.02));
    CHECK(criterion.bound < 0.8 * typical * (1 - 3 * noise));
    CHECK(criterion.finds > 0.2);
    CHECK(missing(criterion, criterion.finds) > 0.9);
  }
}

TEST_CASE("one group is not taken for two, whatever its shape") {
  std::mt19937_64 random(8);
  std::uniform_real_distribution<double> uniform(-2, 2);
  std::exponential_distribution<double> exponential;
  const std::vector<Draw> shapes = {normal, [&](std::mt19937_64& source) { return uniform(source); },
                                    [&](std::mt19937_64& source) { return -exponential(source); }};
  for (const Draw& shape : shapes) {
    for (const std::size_t count : {10U, 30U, 300U}) {
      int divided = 0;
      for (int i = 0; i < 500; ++i) {
        if (learn_criterion(sample(count, random, shape), Better::more, 0.001).groups) ++divided;
      }
      INFO(count << " values");
      CHECK(divided <= 5);
    }
  }
}

TEST_CASE("values that agree have a bound that is 1 % away") {
  const std::vector<double> equal(10, 2.5);
  const Criterion criterion = learn_criterion(equal, Better::more, 0.001);
  CHECK(criterion.deviation == 0);
  CHECK(criterion.bound == Approx(2.5 * (1 - measure::outlier_tolerance)));
  CHECK(criterion.finds == Approx(measure::outlier_tolerance));
}

TEST_CASE("too few values are no sample") {
  const std::vector<double> few(measure::fewest_to_learn - 1, 1);
  CHECK_THROWS_AS(learn_criterion(few, Better::more, 0.001), std::invalid_argument);
}

}  // namespace gpumem::test_criteria
