#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "engine/statistics/statistics.hpp"
#include "tests/catch.hpp"

namespace gpumem::test_statistics {

using gpumem::measure::Seconds;
using gpumem::measure::StoppingRule;
using gpumem::measure::summarise;
using gpumem::measure::Summary;
using Decision = StoppingRule::Decision;

namespace {

std::vector<Seconds> seconds(const std::vector<double>& values) {
  std::vector<Seconds> result;
  for (const double value : values) result.emplace_back(value);
  return result;
}

/// 1, 2, ..., n: a value is its own rank.
std::vector<Seconds> ranks(std::size_t n) {
  std::vector<Seconds> result;
  for (std::size_t i = 1; i <= n; ++i) result.emplace_back(static_cast<double>(i));
  return result;
}

/// P(B < r) for B ~ binomial(n, 1/2), each term on its own from the logarithms of factorials.
long double below(std::size_t n, std::size_t r) {
  const auto log_factorial = [](std::size_t m) { return std::lgamma(static_cast<long double>(m) + 1); };
  long double sum = 0;
  for (std::size_t k = 0; k < r; ++k) {
    sum += std::exp(log_factorial(n) - log_factorial(k) - log_factorial(n - k) -
                    static_cast<long double>(n) * std::log(2.0L));
  }
  return sum;
}

}  // namespace

TEST_CASE("summarise: known values", "[statistics]") {
  const Summary five = summarise(seconds({3, 1, 5, 2, 4}));
  CHECK(five.median.count() == 3);
  CHECK(five.min.count() == 1);
  CHECK(five.count == 5);
  CHECK(five.p05.count() == Approx(1.2));  // numpy.quantile([1, 2, 3, 4, 5], 0.05)
  CHECK(five.p95.count() == Approx(4.8));
  CHECK(five.ci95_low.count() == 1);
  CHECK(five.ci95_high.count() == 5);
  CHECK(five.relative_width() == Approx(4.0 / 3.0));

  const Summary four = summarise(seconds({10, 40, 20, 30}));
  CHECK(four.median.count() == 25);
  CHECK(four.p05.count() == Approx(11.5));
  CHECK(four.p95.count() == Approx(38.5));

  const Summary eleven = summarise(ranks(11));
  CHECK(eleven.median.count() == 6);
  CHECK(eleven.p05.count() == Approx(1.5));
  CHECK(eleven.p95.count() == Approx(10.5));
}

TEST_CASE("summarise: one and two samples", "[statistics]") {
  const Summary one = summarise(seconds({7}));
  for (const Seconds value : {one.median, one.ci95_low, one.ci95_high, one.min, one.p05, one.p95}) {
    CHECK(value.count() == 7);
  }
  CHECK(one.relative_width() == 0);

  const Summary two = summarise(seconds({4, 2}));
  CHECK(two.median.count() == 3);
  CHECK(two.ci95_low.count() == 2);
  CHECK(two.ci95_high.count() == 4);
}

TEST_CASE("summarise: no sample is the caller's mistake", "[statistics]") {
  CHECK_THROWS_AS(summarise({}), std::invalid_argument);
}

TEST_CASE("summarise: the interval's ranks are those of published tables", "[statistics]") {
  // {n, rank of the lower end counted from 1}: tables of the sign test (Conover; Hollander and Wolfe), 95 %.
  const std::vector<std::pair<std::size_t, std::size_t>> table = {
      {1, 1},   {5, 1},   {6, 1},   {7, 1},   {8, 1},   {9, 2},   {10, 2},  {11, 2},  {12, 3},  {13, 3},  {14, 3},
      {15, 4},  {16, 4},  {17, 5},  {18, 5},  {19, 5},  {20, 6},  {21, 6},  {22, 6},  {23, 7},  {24, 7},  {25, 8},
      {30, 10}, {35, 12}, {40, 14}, {45, 16}, {50, 18}, {60, 22}, {70, 27}, {80, 31}, {90, 36}, {100, 40}};
  for (const auto& [n, rank] : table) {
    INFO("n = " << n);
    const Summary summary = summarise(ranks(n));
    CHECK(summary.ci95_low.count() == static_cast<double>(rank));
    CHECK(summary.ci95_high.count() == static_cast<double>(n + 1 - rank));
  }
}

TEST_CASE("summarise: the interval covers 95 % and is the narrowest that does", "[statistics]") {
  std::vector<std::size_t> sizes(300);
  std::iota(sizes.begin(), sizes.end(), 6);
  sizes.insert(sizes.end(), {999, 1000, 1075, 2000, 4095, 10000});  // 0.5^n underflows a double beyond 1074
  for (const std::size_t n : sizes) {
    INFO("n = " << n);
    const auto rank = static_cast<std::size_t>(summarise(ranks(n)).ci95_low.count());
    CHECK(1 - 2 * below(n, rank) >= 0.95L);
    CHECK(1 - 2 * below(n, rank + 1) < 0.95L);
  }
}

TEST_CASE("summarise: the interval holds the true median of any distribution", "[statistics]") {
  struct Distribution {
    std::string name;
    double median;
    std::function<double(std::mt19937_64&)> draw;
  };
  const std::vector<Distribution> distributions = {
      {"uniform", 0.5, [](auto& engine) { return std::uniform_real_distribution<>()(engine); }},
      {"normal", 10, [](auto& engine) { return std::normal_distribution<>(10, 1)(engine); }},
      {"exponential", std::log(2.0), [](auto& engine) { return std::exponential_distribution<>(1)(engine); }},
      {"lognormal", 1, [](auto& engine) { return std::lognormal_distribution<>(0, 2)(engine); }},
      {"Cauchy", 3, [](auto& engine) { return std::cauchy_distribution<>(3, 1)(engine); }},
      {"two modes", 0.75,  // a third of the mass far above the rest, as from a GPU that throttles
       [](auto& engine) {
         const double u = std::uniform_real_distribution<>()(engine);
         return u < 2.0 / 3.0 ? 1.5 * u : 100 + u;
       }},
  };
  constexpr int repetitions = 4000;
  std::mt19937_64 engine(20'240'229);
  for (const auto& [name, median, draw] : distributions) {
    for (const std::size_t n : {6U, 9U, 15U, 20U, 101U}) {
      int held = 0;
      for (int repetition = 0; repetition < repetitions; ++repetition) {
        std::vector<Seconds> samples;
        for (std::size_t i = 0; i < n; ++i) samples.emplace_back(draw(engine));
        const Summary summary = summarise(samples);
        if (summary.ci95_low.count() <= median && median <= summary.ci95_high.count()) ++held;
      }
      const auto rank = static_cast<std::size_t>(summarise(ranks(n)).ci95_low.count());
      const double coverage = 1 - 2 * static_cast<double>(below(n, rank));
      const double deviation = std::sqrt(coverage * (1 - coverage) / repetitions);
      INFO(name << ", n = " << n);
      CHECK(std::abs(static_cast<double>(held) / repetitions - coverage) < 4.5 * deviation);
    }
  }
}

TEST_CASE("summarise: order of the samples does not matter", "[statistics]") {
  std::mt19937_64 engine(7);
  std::vector<Seconds> samples;
  for (int i = 0; i < 50; ++i) samples.emplace_back(std::lognormal_distribution<>(0, 1)(engine));
  const Summary before = summarise(samples);
  for (int i = 0; i < 20; ++i) {
    std::ranges::shuffle(samples, engine);
    const Summary after = summarise(samples);
    CHECK(after.median == before.median);
    CHECK(after.ci95_low == before.ci95_low);
    CHECK(after.ci95_high == before.ci95_high);
    CHECK(after.min == before.min);
    CHECK(after.p05 == before.p05);
    CHECK(after.p95 == before.p95);
  }
}

TEST_CASE("summarise: its figures are in order", "[statistics]") {
  std::mt19937_64 engine(11);
  for (std::size_t n = 1; n <= 60; ++n) {
    std::vector<Seconds> samples;
    for (std::size_t i = 0; i < n; ++i) samples.emplace_back(std::exponential_distribution<>(1)(engine));
    const Summary summary = summarise(samples);
    CHECK(summary.min <= summary.ci95_low);
    CHECK(summary.ci95_low <= summary.median);
    CHECK(summary.median <= summary.ci95_high);
    CHECK(summary.min <= summary.p05);
    CHECK(summary.p05 <= summary.p95);
  }
}

TEST_CASE("relative width around a median of zero", "[statistics]") {
  CHECK(summarise(seconds({0, 0, 0})).relative_width() == 0);
  CHECK(summarise(seconds({0, 0, 1})).relative_width() == std::numeric_limits<double>::infinity());
}

TEST_CASE("stopping rule: converges on a narrow interval of enough samples", "[statistics]") {
  const StoppingRule rule{.ci_width = 0.01, .time_budget = Seconds(1), .minimum_samples = 15, .maximum_samples = 100};
  std::vector<Seconds> samples(14, Seconds(2));
  CHECK(rule.decide(samples, Seconds(0.5)) == Decision::more);
  samples.emplace_back(2);
  CHECK(rule.decide(samples, Seconds(0.5)) == Decision::converged);
}

TEST_CASE("stopping rule: the interval decides, as the summary states it", "[statistics]") {
  std::mt19937_64 engine(5);
  for (std::size_t n = 6; n <= 80; ++n) {
    std::vector<Seconds> samples;
    for (std::size_t i = 0; i < n; ++i) samples.emplace_back(1 + std::exponential_distribution<>(10)(engine));
    const double width = summarise(samples).relative_width();
    StoppingRule rule{.ci_width = width, .time_budget = Seconds(1), .minimum_samples = 1, .maximum_samples = 100};
    INFO("n = " << n);
    CHECK(rule.decide(samples, Seconds(0)) == Decision::converged);
    rule.ci_width = std::nextafter(width, 0);
    CHECK(rule.decide(samples, Seconds(0)) == Decision::more);
    CHECK(rule.decide(samples, Seconds(1)) == Decision::out_of_budget);
  }
}

TEST_CASE("stopping rule: budgets end it", "[statistics]") {
  const StoppingRule rule{.ci_width = 0.01, .time_budget = Seconds(1), .minimum_samples = 15, .maximum_samples = 20};
  const std::vector<Seconds> wide = ranks(20);
  const auto first = [&](std::size_t n) { return std::span(wide).first(n); };
  CHECK(rule.decide(first(19), Seconds(0.5)) == Decision::more);
  CHECK(rule.decide(first(20), Seconds(0.5)) == Decision::out_of_budget);
  CHECK(rule.decide(first(16), Seconds(1)) == Decision::out_of_budget);
  // Below the minimum, but never without a sample.
  CHECK(rule.decide(first(1), Seconds(1)) == Decision::out_of_budget);
  CHECK(rule.decide(std::span<const Seconds>(), Seconds(100)) == Decision::more);
  // Samples that have converged by the end of the budget count as converged.
  CHECK(rule.decide(std::vector(15, Seconds(2)), Seconds(100)) == Decision::converged);
}

TEST_CASE("stopping rule: fewer than 6 samples have no 95 % interval to converge", "[statistics]") {
  const StoppingRule rule{.ci_width = 0.01, .time_budget = Seconds(1), .minimum_samples = 1, .maximum_samples = 100};
  CHECK(rule.decide(std::vector(5, Seconds(2)), Seconds(0)) == Decision::more);
  CHECK(rule.decide(std::vector(6, Seconds(2)), Seconds(0)) == Decision::converged);
}

TEST_CASE("stopping rule: the maximum holds even below the minimum", "[statistics]") {
  const StoppingRule rule{.ci_width = 0.01, .time_budget = Seconds(1), .minimum_samples = 15, .maximum_samples = 3};
  CHECK(rule.decide(ranks(3), Seconds(0)) == Decision::out_of_budget);
}

}  // namespace gpumem::test_statistics
