// Limits from earlier values: against tables of Student's t, and against noise that is drawn.

#include <algorithm>
#include <cstddef>
#include <random>
#include <vector>

#include "engine/statistics/earlier_values.hpp"
#include "tests/catch.hpp"

namespace gpumem::measure::test_earlier_values {

namespace {

constexpr std::size_t cases = 32;
constexpr double chance = 0.0005 / cases;  // as report/check/against_history.hpp asks for

/// The checks of `cases` cases that fail although one more run is like the earlier ones. The spread of a case is 2 %,
/// so that the least tolerance decides nothing.
std::size_t false_alarms(std::size_t runs, std::size_t checks) {
  std::mt19937_64 random(20261128);
  std::normal_distribution<double> noise;
  std::size_t failed = 0;
  std::vector<double> earlier(runs);
  for (std::size_t i = 0; i < checks; ++i) {
    bool any = false;
    for (std::size_t j = 0; j < cases; ++j) {
      for (double& value : earlier) value = 4000 * (1 + 0.02 * noise(random));
      any = 4000 * (1 + 0.02 * noise(random)) < noise_limit(earlier, 0, chance).lowest || any;
    }
    failed += any ? 1 : 0;
  }
  return failed;
}

}  // namespace

TEST_CASE("Student's t has the quantiles of tables") {
  // NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2.
  CHECK(student_t_quantile(0.025, 1) == Approx(12.706).epsilon(1e-4));
  CHECK(student_t_quantile(0.025, 2) == Approx(4.303).epsilon(1e-4));
  CHECK(student_t_quantile(0.025, 5) == Approx(2.571).epsilon(2e-4));
  CHECK(student_t_quantile(0.025, 10) == Approx(2.228).epsilon(2e-4));
  CHECK(student_t_quantile(0.001, 4) == Approx(7.173).epsilon(2e-4));
  CHECK(student_t_tail(0, 7) == Approx(0.5));
}

TEST_CASE("Healthy noise fails less than one check of 1000, over all of its cases") {
  // One of 2000 is asked for, so that 6 of all these are expected.
  constexpr std::size_t checks = 4'000;
  CHECK(false_alarms(5, checks) + false_alarms(10, checks) + false_alarms(20, checks) < 3 * checks / 1000);
}

TEST_CASE("A slowdown beyond the noise is below the limit, and more runs find a smaller one") {
  const std::vector<double> five = {1000, 1003, 997, 1001, 999};
  std::vector<double> many;
  for (int i = 0; i < 8; ++i) many.insert(many.end(), five.begin(), five.end());
  const NoiseLimit of_five = noise_limit(five, 0, chance);
  const NoiseLimit of_many = noise_limit(many, 0, chance);
  CHECK(of_five.median == 1000);
  CHECK(of_five.lowest < 960);
  CHECK(of_five.lowest > 900);
  CHECK(of_many.lowest > of_five.lowest);
  CHECK(of_many.lowest == Approx(980));
}

TEST_CASE("No limit is nearer than two per cent, and none trusts a spread below that of a single run") {
  const std::vector<double> same(40, 500.0);
  CHECK(noise_limit(same, 0, chance).lowest == Approx(490));
  CHECK(noise_limit(same, 0.02, chance).spread == 0.02);
  CHECK(noise_limit(same, 0.02, chance).lowest < 460);
}

TEST_CASE("A tenth of the runs may have been slow without moving the limit far") {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal(1000, 5);
  std::vector<double> values(20);
  for (double& value : values) value = normal(random);
  const double lowest = noise_limit(values, 0, chance).lowest;
  values[3] = values[11] = 500;
  CHECK(noise_limit(values, 0, chance).lowest > lowest - 20);
}

}  // namespace gpumem::measure::test_earlier_values
