// Lanes that part: the work is the same however it is split, what loads touch, and what is concluded.

#include <set>
#include <string>
#include <vector>

#include "probes/kernels/divergence/divergence.hpp"
#include "tests/catch.hpp"
#include "tests/probes/any_case.hpp"

namespace gpumem::test_divergence {

namespace {

constexpr unsigned every_number[] = {1, 2, 4, 8, 16, 32};

Case divergent_case(const std::string& divergence, std::uint64_t paths) {
  return test::any_case("divergence", {{"divergence", divergence}, {"paths", paths}});
}

Outcome reading(const std::string& divergence, std::uint64_t paths, double cycles) {
  return {.tested = divergent_case(divergence, paths), .headline = cycles, .seconds = 1e-3};
}

}  // namespace

TEST_CASE("divergence: every lane takes every path equally often, and does as much in unequal loops", "[divergence]") {
  for (const unsigned paths : every_number) {
    for (unsigned lane = 0; lane < 32; ++lane) {
      std::vector<unsigned> taken(paths);
      unsigned trips = 0;
      for (unsigned round = 0; round < kernels::divergence_rounds; ++round) {
        const unsigned path = kernels::path_of(lane, round, paths);
        ++taken.at(path);
        trips += kernels::unequal_trips(path, paths);
      }
      for (const unsigned times : taken) CHECK(times == kernels::divergence_rounds / paths);
      CHECK(trips == kernels::divergence_rounds * kernels::trips);
    }
  }
}

TEST_CASE("divergence: paths differ in both constants", "[divergence]") {
  std::set<std::uint32_t> multipliers;
  std::set<std::uint32_t> increments;
  for (unsigned path = 0; path < 32; ++path) {
    multipliers.insert(kernels::multiplier(path));
    increments.insert(kernels::increment(path));
    CHECK(kernels::increment(path) < 1U << 31U);
  }
  CHECK(multipliers.size() == 32);
  CHECK(increments.size() == 32);
}

TEST_CASE("divergence: only predicated loads touch memory, with the sectors of the lanes that load", "[divergence]") {
  const double sectors[] = {4, 4, 4, 4, 2, 1};
  for (unsigned i = 0; i < 6; ++i) {
    const Case tested = divergent_case("predicated", every_number[i]);
    const Workload workload = tested.probe->describe(tested, test::some_device());
    REQUIRE(workload.sites.size() == 1);
    CHECK(workload.sites[0].requests == 132 * 32 * kernels::divergence_steps);
    CHECK(access::summarise(workload.sites[0]).cost.sectors_per_request == sectors[i]);
    CHECK(workload.useful_bytes_read == workload.sites[0].requests * 128 / every_number[i]);
    CHECK_FALSE(workload.modelled());
  }
  for (const char* divergence : {"lanes", "warps", "loops", "syncwarp"}) {
    const Case tested = divergent_case(divergence, 32);
    const Workload workload = tested.probe->describe(tested, test::some_device());
    CHECK(workload.sites.empty());
    CHECK(workload.useful_bytes() == 0);
  }
}

TEST_CASE("divergence: the advice relates many paths to one path of the same kind", "[divergence]") {
  const std::vector<Outcome> outcomes = {
      reading("lanes", 1, 0.5),    reading("lanes", 4, 2),       reading("lanes", 32, 16),
      reading("warps", 1, 0.5),    reading("warps", 32, 0.5),    reading("loops", 1, 0.5),
      reading("loops", 32, 1),     reading("predicated", 1, 1),  reading("predicated", 32, 1),
      reading("syncwarp", 1, 0.5), reading("syncwarp", 32, 16.5)};
  CHECK(test::advice(outcomes) ==
        "Arrange work so that the lanes of a warp take the same path: 32 paths, one after another, take 32 x the time "
        "of one. __syncwarp() brings lanes together and saves no path: 32 take 33 x the time of one. Warps that each "
        "have one of 32 paths take no longer than on one path. Lanes in loops of 32 lengths take 2.00 x the time of "
        "equal loops with as many trips in all: the warp waits for its longest. Loads by one lane in 32 at a time take "
        "no longer than loads by all lanes.");
  const Conclusion conclusion = test::conclusion(outcomes);
  REQUIRE(conclusion.quantities.size() == 5);
  CHECK(conclusion.quantities[0].value == 32);
  CHECK(conclusion.quantities[0].outcomes == std::vector<std::size_t>{0, 2});
  REQUIRE(conclusion.facts.size() == 5);
  CHECK(conclusion.facts[0].kind == FactKind::costs);
  CHECK(conclusion.facts[0].outcomes == std::vector<std::size_t>{0, 2});
  CHECK(std::get<double>(conclusion.facts[0].values[0].items[0]) == 32);
  CHECK(conclusion.facts[2].kind == FactKind::as_fast_as);
  CHECK(test::advice({reading("lanes", 4, 2)}).empty());
  CHECK(test::advice({reading("predicated", 1, 1.6), reading("predicated", 32, 2.4)}) ==
        "Loads by one lane in 32 at a time take 1.50 x the time of loads by all lanes, although they move fewer "
        "sectors.");
}

TEST_CASE("divergence: paths cost nothing where intervals overlap", "[divergence]") {
  Outcome single = reading("warps", 1, 1);
  Outcome many = reading("warps", 32, 1.1);
  single.interval = {0.9, 1.2};
  many.interval = {1.05, 1.15};
  CHECK(test::advice({single, many}) == "Warps that each have one of 32 paths take no longer than on one path.");
  single.predicted = 1;
  many.predicted = 1;
  single.interval = {0.98, 1.02};
  CHECK(test::advice({single, many}) ==
        "Warps that each have one of 32 paths take 1.10 x (predicted 1.00 x) the time of one path: their code may "
        "exceed the instruction cache.");
}

}  // namespace gpumem::test_divergence
