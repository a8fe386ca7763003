#include <cmath>
#include <vector>

#include "engine/statistics/straight_line.hpp"
#include "tests/catch.hpp"

namespace gpumem::test_linear_cost {

using gpumem::measure::fit_linear_cost;
using gpumem::measure::LinearCost;
using gpumem::measure::Seconds;
using gpumem::measure::TimedSize;

namespace {

constexpr double kib = 1024;

std::vector<TimedSize> readings(const LinearCost& cost, const std::vector<double>& sizes) {
  std::vector<TimedSize> result;
  for (const double bytes : sizes) result.push_back({bytes, cost.time_of(bytes)});
  return result;
}

double error(const LinearCost& cost, const std::vector<TimedSize>& all) {
  double sum = 0;
  for (const TimedSize& timed : all) sum += std::pow(cost.time_of(timed.bytes) / timed.time - 1, 2);
  return sum;
}

}  // namespace

TEST_CASE("a linear cost is found again, over all sizes", "[linear cost]") {
  const LinearCost truth{Seconds(2.5e-6), 55e9};
  const auto found = fit_linear_cost(readings(truth, {4 * kib, 64 * kib, 1024 * kib, 1024 * 1024 * kib}));
  REQUIRE(found.has_value());
  CHECK(found->fixed.count() == Approx(2.5e-6));
  CHECK(found->bytes_per_s == Approx(55e9));
  CHECK(found->half_size_bytes() == Approx(137500));
  // Half of the asymptotic rate at the half size: that is what it says.
  const double half = found->half_size_bytes();
  CHECK(half / found->time_of(half).count() == Approx(55e9 / 2));
}

TEST_CASE("of all linear costs the one with the least relative errors is found", "[linear cost]") {
  // Queued copies to an H200 from pinned memory, in microseconds.
  const std::vector<TimedSize> all = {{4 * kib, Seconds(2.6e-6)},
                                      {64 * kib, Seconds(3.7e-6)},
                                      {256 * kib, Seconds(7.1e-6)},
                                      {1024 * kib, Seconds(22.8e-6)},
                                      {4096 * kib, Seconds(79.4e-6)},
                                      {65536 * kib, Seconds(1212e-6)},
                                      {1024 * 1024 * kib, Seconds(19337e-6)}};
  const auto found = fit_linear_cost(all);
  REQUIRE(found.has_value());
  for (const double fixed : {0.99, 1.0, 1.01}) {
    for (const double rate : {0.99, 1.0, 1.01}) {
      if (fixed == 1.0 && rate == 1.0) continue;
      const LinearCost other{found->fixed * fixed, found->bytes_per_s * rate};
      CHECK(error(other, all) > error(*found, all));
    }
  }
  CHECK(found->fixed.count() == Approx(2.51e-6).epsilon(0.01));
  CHECK(found->bytes_per_s == Approx(54.8e9).epsilon(0.01));
}

TEST_CASE("no linear cost where the readings do not support one", "[linear cost]") {
  const LinearCost cost{Seconds(1e-6), 10e9};
  CHECK_FALSE(fit_linear_cost({}).has_value());
  CHECK_FALSE(fit_linear_cost(readings(cost, {4 * kib, 1024 * kib})).has_value());
  CHECK_FALSE(fit_linear_cost(readings(cost, {4 * kib, 1024 * kib, 1024 * kib})).has_value());
  CHECK_FALSE(fit_linear_cost(readings(cost, {4 * kib, 8 * kib, 60 * kib})).has_value());
  CHECK(fit_linear_cost(readings(cost, {4 * kib, 8 * kib, 64 * kib})).has_value());

  SECTION("a fixed cost below nothing") {
    const LinearCost superlinear{Seconds(-1e-7), 10e9};
    CHECK_FALSE(fit_linear_cost(readings(superlinear, {4 * kib, 64 * kib, 1024 * kib})).has_value());
  }
  SECTION("times that do not grow") {
    const std::vector<TimedSize> flat = {
        {4 * kib, Seconds(3e-6)}, {64 * kib, Seconds(2e-6)}, {1024 * kib, Seconds(1e-6)}};
    CHECK_FALSE(fit_linear_cost(flat).has_value());
  }
  SECTION("a rate that falls: pageable copies to an H200") {
    const std::vector<TimedSize> pageable = {{4 * kib, Seconds(7.2e-6)},        {64 * kib, Seconds(21.6e-6)},
                                             {1024 * kib, Seconds(78e-6)},      {4096 * kib, Seconds(264e-6)},
                                             {65536 * kib, Seconds(4050e-6)},   {262144 * kib, Seconds(28500e-6)},
                                             {1024 * 1024 * kib, Seconds(0.12)}};
    CHECK_FALSE(fit_linear_cost(pageable).has_value());
  }
  SECTION("a time that is not one") {
    auto all = readings(cost, {4 * kib, 64 * kib, 1024 * kib});
    all[1].time = Seconds(0);
    CHECK_FALSE(fit_linear_cost(all).has_value());
  }
}

}  // namespace gpumem::test_linear_cost
