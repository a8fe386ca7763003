// The probe's description of a chase beside traffic, and its conclusions from latencies that were made up.

#include <map>
#include <string>
#include <vector>

#include "probes/hierarchy/loaded_latency/loaded_latency.hpp"
#include "probes/hierarchy/loaded_latency/traffic.hpp"
#include "tests/catch.hpp"
#include "tests/probes/any_case.hpp"

namespace gpumem::test_loaded_latency {

using test::advice;
using test::some_device;

namespace {

Case a_case(std::uint64_t traffic, std::uint64_t written = 0, const std::string& level = "memory") {
  return test::any_case("loaded-latency",
                        {{"traffic_percent", traffic}, {"written_percent", written}, {"busy_level", level}});
}

Workload described(const Case& tested) { return tested.probe->describe(tested, some_device()); }

/// Cycles by percent of the traffic, which reaches 3000 GB/s.
std::vector<Outcome> sweep(const std::map<std::uint64_t, double>& cycles, std::uint64_t written = 0,
                           bool measured = true) {
  std::vector<Outcome> outcomes;
  for (const auto& [percent, latency] : cycles) {
    Outcome outcome{.tested = a_case(percent, written), .headline = latency};
    if (measured) outcome.metrics = {{"traffic_gb_per_s", 30.0 * static_cast<double>(percent)}};
    outcomes.push_back(outcome);
  }
  return outcomes;
}

}  // namespace

TEST_CASE("loaded-latency: beside traffic that is held back, the queue's rates are needed", "[loaded-latency]") {
  const Workload idle = described(a_case(0));
  REQUIRE(idle.about<Chase>());
  CHECK(idle.about<Chase>()->level == "memory");
  CHECK(idle.about<Chase>()->traffic_share == 0);
  CHECK(model::needed_rates(*idle.about<Chase>()).empty());

  const Workload half = described(a_case(80, 25));
  REQUIRE(half.about<Chase>());
  CHECK(half.about<Chase>()->traffic_share == 0.8);
  CHECK(half.about<Chase>()->written_share == 0.25);
  CHECK(model::needed_rates(*half.about<Chase>()).size() == 4);
  // The nodes, and two arrays of eight times L2.
  const std::uint64_t l2 = some_device().l2_bytes;
  CHECK(half.allocated_bytes > 4 * l2 + 2 * 8 * l2);
  CHECK(half.allocated_bytes < 4 * l2 + 2 * 8 * l2 + (2U << 20U));
  CHECK(described(a_case(80, 0, "l2")).allocated_bytes < l2);
}

TEST_CASE("loaded-latency: nothing is predicted beside traffic that nothing holds back", "[loaded-latency]") {
  const Workload all = described(a_case(100));
  CHECK_FALSE(all.about<Chase>());
  CHECK_FALSE(all.modelled());
}

TEST_CASE("loaded-latency: a warp's chunks are loaded and stored in the mix asked for", "[loaded-latency]") {
  using hierarchy::PacedTraffic;
  using hierarchy::TrafficWalk;
  for (const std::uint32_t written : {0U, 25U, 50U, 99U, 100U}) {
    CAPTURE(written);
    const PacedTraffic traffic{.chunks = 1000, .warps = 96, .written_percent = written};
    std::uint32_t stored = 0;
    TrafficWalk walk(7);
    for (unsigned k = 0; k < 400; ++k) {
      CHECK(walk.chunk == (7 + 96 * k) % 1000);
      if (walk.stores(traffic)) ++stored;
      walk.advance(traffic);
    }
    CHECK(stored == 4 * written);
  }
}

TEST_CASE("loaded-latency: warps begin at random within the time of a chunk", "[loaded-latency]") {
  const hierarchy::PacedTraffic traffic{.chunks = 1000, .warps = 96, .interval_cycles = 10'000};
  double sum = 0;
  for (std::uint32_t warp = 0; warp < 4096; ++warp) {
    CHECK(traffic.begin(warp) < 10'000);
    sum += static_cast<double>(traffic.begin(warp));
  }
  CHECK(sum / 4096 == Approx(5000).epsilon(0.05));
}

TEST_CASE("loaded-latency: the knee lies on the line between two cases", "[loaded-latency]") {
  CHECK(advice(sweep({{0, 600}, {60, 700}, {80, 1000}, {90, 1400}, {100, 2000}})) ==
        "A load takes 600 cycles while memory is idle. Beside loads it takes twice as long from 2550 GB/s on (85 % of "
        "their best rate), and at most 2000 cycles (at 100 %).");
  CHECK(
      advice(sweep({{0, 600}, {80, 1000}, {90, 1400}}, 100, false)) ==
      "A load takes 600 cycles while memory is idle. Beside stores it takes twice as long from 85 % of their best rate "
      "on, and at most 1400 cycles (at 90 %).");
  CHECK(
      advice(sweep({{0, 600}, {80, 1000}}, 50)) ==
      "A load takes 600 cycles while memory is idle, and never twice as long: beside 50 % stores at most 1000 cycles, "
      "at 80 % of their best rate.");
}

TEST_CASE("loaded-latency: without a case beside no traffic nothing is said", "[loaded-latency]") {
  CHECK(advice(sweep({{20, 600}, {80, 1000}})).empty());
  CHECK(advice(sweep({{0, 600}})).empty());
}

}  // namespace gpumem::test_loaded_latency
