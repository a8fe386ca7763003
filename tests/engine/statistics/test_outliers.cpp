#include <vector>

#include "engine/statistics/outliers.hpp"
#include "tests/catch.hpp"

namespace gpumem::test_outliers {

using gpumem::measure::deviation_of;
using gpumem::measure::fewest_comparable;
using gpumem::measure::Spread;
using gpumem::measure::spread_of;
using gpumem::measure::Unlike;
using gpumem::measure::unlike_the_others;

TEST_CASE("a spread is median, MAD and range of values in any order") {
  const std::vector<double> values = {104, 100, 98, 101, 99};
  const Spread spread = spread_of(values, 0.01);
  CHECK(spread.count == 5);
  CHECK(spread.median == 100);
  CHECK(spread.mad == 1);
  CHECK(spread.min == 98);
  CHECK(spread.max == 104);
  CHECK(spread.judged);
  CHECK(spread.least_off == Approx(3.5 * 1.4826 * 0.01));
}

TEST_CASE("no values have no spread") {
  const Spread spread = spread_of({}, 0.01);
  CHECK(spread.count == 0);
  CHECK_FALSE(spread.judged);
}

TEST_CASE("a deviation says how far a value is off, and in which direction") {
  const std::vector<double> values = {104, 100, 98, 101, 99};
  const Spread spread = spread_of(values, 0.01);
  const auto slow = deviation_of(80, spread, Better::more);
  CHECK(slow.relative == Approx(-0.2));
  CHECK(slow.loss == Approx(0.2));
  CHECK(slow.z.value() == Approx(-20 / 1.4826));
  CHECK(slow.outlier);
  CHECK(slow.is_worse());
  // A time that is a quarter longer is a fifth of the speed less.
  const auto late = deviation_of(125, spread, Better::less);
  CHECK(late.relative == Approx(0.25));
  CHECK(late.loss == Approx(0.2));
  CHECK(late.is_worse());
  CHECK_FALSE(deviation_of(80, spread, Better::less).is_worse());
  CHECK_FALSE(deviation_of(104, spread, Better::more).outlier);  // 4 % off, of which 5.2 % are usual
}

TEST_CASE("what is unlike the others is found in its place, better ones included") {
  const std::vector<double> values = {381, 379, 210, 380, 380, 382, 500};
  const std::vector<Unlike> unlike = unlike_the_others(values, Better::more, 0.01);
  REQUIRE(unlike.size() == 2);
  CHECK(unlike[0].index == 2);
  CHECK(unlike[0].by.is_worse());
  CHECK(unlike[1].index == 6);
  CHECK_FALSE(unlike[1].by.is_worse());
}

TEST_CASE("values that agree are told apart only beyond the tolerance") {
  const std::vector<double> values = {100, 100, 100, 100, 102};
  CHECK(unlike_the_others(values, Better::more, 0.05).empty());
  const std::vector<Unlike> unlike = unlike_the_others(values, Better::more, 0.01);
  REQUIRE(unlike.size() == 1);
  CHECK_FALSE(unlike[0].by.z.has_value());  // the MAD is 0
}

TEST_CASE("too few values are not judged") {
  std::vector<double> values = {10};
  values.resize(fewest_comparable - 1, 100);
  CHECK(unlike_the_others(values, Better::more, 0.01).empty());
  values.push_back(100);
  CHECK(unlike_the_others(values, Better::more, 0.01).size() == 1);
}

}  // namespace gpumem::test_outliers
