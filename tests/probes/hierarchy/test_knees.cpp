// Capacities found again in curves that were made up, with the scatter of measurements.

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "probes/hierarchy/working_set/knees.hpp"
#include "tests/catch.hpp"

namespace gpumem::test_knees {

using gpumem::hierarchy::fit_knees;
using gpumem::hierarchy::FootprintCost;
using gpumem::hierarchy::Knee;

namespace {

constexpr double kib = 1024;
constexpr double mib = 1024 * kib;

struct Level {
  double capacity;
  double cost;  ///< beyond it
  double sharpness;
};

double cost_of(double bytes, double first, const std::vector<Level>& levels) {
  double cost = first;
  double before = first;
  for (const Level& level : levels) {
    cost += (level.cost - before) * (1 - std::pow(std::min(level.capacity / bytes, 1.0), level.sharpness));
    before = level.cost;
  }
  return cost;
}

/// The footprints that the probe sweeps.
std::vector<double> footprints() {
  std::vector<double> all;
  for (const double k : {8, 16, 32, 64}) all.push_back(k * kib);
  for (double k = 96; k <= 320; k += 16) all.push_back(k * kib);
  for (const double k : {384, 512}) all.push_back(k * kib);
  for (const double m : {1, 2, 4, 8, 16}) all.push_back(m * mib);
  for (double m = 20; m <= 64; m += 4) all.push_back(m * mib);
  for (const double m : {80, 96}) all.push_back(m * mib);
  for (double m = 128; m <= 65536; m *= 2) all.push_back(m * mib);
  return all;
}

/// Readings with a relative scatter.
std::vector<FootprintCost> curve(double first, const std::vector<Level>& levels, double scatter, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(1, scatter);
  std::vector<FootprintCost> all;
  for (const double bytes : footprints()) all.push_back({bytes, cost_of(bytes, first, levels) * noise(random)});
  return all;
}

void check_knee(const Knee& knee, const Level& level, double before, double capacity_within) {
  CAPTURE(knee.capacity_bytes, knee.low_bytes, knee.high_bytes, level.capacity);
  CHECK(knee.capacity_bytes == Approx(level.capacity).epsilon(capacity_within));
  CHECK(knee.low_bytes <= level.capacity * 1.01);
  CHECK(knee.high_bytes >= level.capacity * 0.89);  // of a sharp one nothing is known between two footprints
  CHECK(knee.low_bytes <= knee.capacity_bytes);
  CHECK(knee.high_bytes >= knee.capacity_bytes);
  CHECK(knee.before == Approx(before).epsilon(0.05));
  CHECK(knee.after == Approx(level.cost).epsilon(0.05));
}

}  // namespace

TEST_CASE("knees: the capacities of caches and of a TLB are found again", "[knees]") {
  const std::vector<Level> levels = {
      {240 * kib, 281, 64}, {28 * mib, 512, 4}, {58 * mib, 700, 4}, {4096 * mib, 900, 1}};
  for (const double scatter : {0.0, 0.002, 0.006}) {
    CAPTURE(scatter);
    const auto knees = fit_knees(curve(33, levels, scatter));
    REQUIRE(knees.size() == levels.size());
    double before = 33;
    for (std::size_t i = 0; i < levels.size(); ++i) {
      check_knee(knees[i], levels[i], before, 0.2);
      before = levels[i].cost;
    }
  }
}

TEST_CASE("knees: a capacity between two footprints is told no closer than they lie", "[knees]") {
  const auto knees = fit_knees(curve(33, {{250 * kib, 281, 64}}, 0.001));
  REQUIRE(knees.size() == 1);
  CHECK(knees[0].low_bytes >= 239 * kib);
  CHECK(knees[0].low_bytes <= 250 * kib);
  CHECK(knees[0].high_bytes >= 248 * kib);
  CHECK(knees[0].high_bytes <= 257 * kib);
}

TEST_CASE("knees: scatter alone has none, and more of it widens the bounds", "[knees]") {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    CHECK(fit_knees(curve(280, {}, 0.01, seed)).empty());
  }
  const std::vector<Level> levels = {{30 * mib, 500, 1}};
  const auto quiet = fit_knees(curve(280, levels, 0.001));
  const auto noisy = fit_knees(curve(280, levels, 0.03));
  REQUIRE(quiet.size() == 1);
  REQUIRE(noisy.size() == 1);
  CHECK(noisy[0].high_bytes / noisy[0].low_bytes > quiet[0].high_bytes / quiet[0].low_bytes);
}

TEST_CASE("knees: the true capacity lies within the bounds, whatever the scatter does", "[knees]") {
  const std::vector<Level> levels = {{240 * kib, 281, 4}, {40 * mib, 650, 2}};
  unsigned within = 0;
  constexpr unsigned tries = 40;
  for (unsigned seed = 1; seed <= tries; ++seed) {
    const auto knees = fit_knees(curve(33, levels, 0.005, seed));
    CAPTURE(seed);
    REQUIRE(knees.size() == 2);
    for (std::size_t i = 0; i < 2; ++i) {
      // Capacities are tried in steps, and one as near as a step may be the best.
      within +=
          knees[i].low_bytes <= levels[i].capacity * 1.05 && knees[i].high_bytes >= levels[i].capacity / 1.05 ? 1 : 0;
    }
  }
  CHECK(within >= 2 * tries * 9 / 10);
}

TEST_CASE("knees: readings in any order, in any unit", "[knees]") {
  auto readings = curve(33, {{240 * kib, 281, 4}}, 0.002);
  const auto sorted = fit_knees(readings);
  std::ranges::reverse(readings);
  for (FootprintCost& reading : readings) reading.cost *= 1e-12;
  const auto reversed = fit_knees(readings);
  REQUIRE(sorted.size() == 1);
  REQUIRE(reversed.size() == 1);
  CHECK(reversed[0].capacity_bytes == Approx(sorted[0].capacity_bytes));
  CHECK(reversed[0].after == Approx(sorted[0].after * 1e-12));
}

TEST_CASE("knees: too few readings tell nothing", "[knees]") {
  auto readings = curve(33, {{240 * kib, 281, 64}}, 0);
  readings.resize(11);
  CHECK(fit_knees(readings).empty());
  CHECK(fit_knees({}).empty());
}

}  // namespace gpumem::test_knees
