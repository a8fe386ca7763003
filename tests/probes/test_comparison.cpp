#include "probes/comparison.hpp"
#include "tests/catch.hpp"
#include "tests/probes/any_case.hpp"

namespace gpumem::test_comparison {

namespace {

Outcome with(double headline, std::optional<std::pair<double, double>> interval = {}) {
  Outcome outcome = test::outcome("stream", {}, headline);
  outcome.interval = interval;
  return outcome;
}

}  // namespace

TEST_CASE("Cases differ where neither the threshold nor their intervals say that they may not", "[facts]") {
  CHECK(better(with(104), with(100)));
  CHECK_FALSE(better(with(102), with(100)));
  CHECK_FALSE(better(with(100), with(104)));
  CHECK(as_good(with(100), with(102)));
  CHECK_FALSE(as_good(with(100), with(104)));
  CHECK_FALSE(better(with(110, std::pair(98.0, 122.0)), with(100, std::pair(99.0, 101.0))));
  CHECK(better(with(110, std::pair(102.0, 118.0)), with(100, std::pair(99.0, 101.0))));
  CHECK(better(with(110, std::pair(102.0, 118.0)), with(100)));
}

TEST_CASE("Less is better where the headline says so", "[facts]") {
  const auto cycles = [](double headline) { return test::outcome("bank", {}, headline); };
  CHECK(better(cycles(1), cycles(2)));
  CHECK(gain(cycles(2), cycles(1)) == 2);
  const std::vector<Outcome> all = {cycles(3), cycles(1), cycles(2)};
  CHECK(&best_of(all) == &all[1]);
  CHECK(&worst_of(all) == all.data());
}

TEST_CASE("A gain that was predicted too has both values", "[facts]") {
  Outcome from = with(100);
  Outcome to = with(205);
  CHECK_FALSE(gain_value("gain_ratio", from, to).predicted);
  from.predicted = 100;
  to.predicted = 260;
  const FactValue value = gain_value("gain_ratio", from, to);
  CHECK(std::get<double>(value.items.front()) == Approx(2.05));
  CHECK(value.predicted == 2.6);
  CHECK(headline_value("rate_gb_per_s", to).predicted == 260.0);
}

}  // namespace gpumem::test_comparison
