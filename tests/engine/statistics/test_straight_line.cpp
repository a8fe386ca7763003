#include <cmath>
#include <vector>

#include "engine/statistics/straight_line.hpp"
#include "tests/catch.hpp"

namespace gpumem::test_straight_line {

using gpumem::measure::fit_straight_line;
using gpumem::measure::Point2D;
using gpumem::measure::StraightLine;

TEST_CASE("a straight line is found again, whichever way it slopes", "[straight line]") {
  for (const StraightLine truth : {StraightLine{2, 3}, StraightLine{-0.5, 2}, StraightLine{100, -1}}) {
    std::vector<Point2D> points;
    for (const double x : {1.0, 2.0, 8.0, 32.0}) points.push_back({x, truth.at(x)});
    const StraightLine found = fit_straight_line(points);
    CHECK(found.at_zero == Approx(truth.at_zero));
    CHECK(found.slope == Approx(truth.slope));
  }
}

TEST_CASE("a straight line misses small readings no more than large ones", "[straight line]") {
  // Off by a tenth in turn: the largest alone would decide a fit of absolute errors.
  const std::vector<Point2D> points = {{1, 1.1}, {10, 9}, {100, 110}, {1000, 900}};
  const StraightLine line = fit_straight_line(points);
  for (const auto& [x, y] : points) CHECK(std::abs(line.at(x) / y - 1) < 0.2);
}

TEST_CASE("one x gives no line", "[straight line]") {
  const std::vector<Point2D> points = {{4, 1}, {4, 2}};
  CHECK_FALSE(std::isfinite(fit_straight_line(points).slope));
}

}  // namespace gpumem::test_straight_line
