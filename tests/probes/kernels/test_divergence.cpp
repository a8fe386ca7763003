// Lanes that part: the work is the same however it is split, what loads touch, and what is concluded.

#include <set>
#include <string>
#include <vector>

#include "probes/kernels/divergence/divergence.hpp"
#include "tests/catch.hpp"
#include "tests/probes/any_case.hpp"

using namespace gpumem;

namespace {

constexpr unsigned every_number[] = {1, 2, 4, 8, 16, 32};

Case divergent_case(const std::string& divergence, std::uint64_t paths) {
  return test::any_case("divergence", {{"divergence", divergence}, {"paths", paths}});
}

Outcome reading(const std::string& divergence, std::uint64_t paths, double cycles) {
  return {.one = divergent_case(divergence, paths), .headline = cycles, .seconds = 1e-3};
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
    const Case one = divergent_case("predicated", every_number[i]);
    const Workload workload = one.probe->describe(one, test::some_device());
    REQUIRE(workload.sites.size() == 1);
    CHECK(workload.sites[0].requests == 132 * 32 * kernels::divergence_steps);
    CHECK(access::summarise(workload.sites[0]).cost.sectors_per_request == sectors[i]);
    CHECK(workload.useful_bytes_read == workload.sites[0].requests * 128 / every_number[i]);
    CHECK_FALSE(workload.modelled());
  }
  for (const char* divergence : {"lanes", "warps", "loops", "syncwarp"}) {
    const Case one = divergent_case(divergence, 32);
    const Workload workload = one.probe->describe(one, test::some_device());
    CHECK(workload.sites.empty());
    CHECK(workload.useful_bytes() == 0);
  }
}

TEST_CASE("divergence: the advice relates each way to one path of its own", "[divergence]") {
  const std::vector<Outcome> outcomes = {
      reading("lanes", 1, 0.5),    reading("lanes", 4, 2),       reading("lanes", 32, 16),
      reading("warps", 1, 0.5),    reading("warps", 32, 0.5),    reading("loops", 1, 0.5),
      reading("loops", 32, 1),     reading("predicated", 1, 1),  reading("predicated", 32, 1),
      reading("syncwarp", 1, 0.5), reading("syncwarp", 32, 16.5)};
  const Conclusion conclusion = outcomes.front().one.probe->conclude(outcomes);
  CHECK(conclusion.advice ==
        "Lanes of a warp on 32 paths take 32 x the time of one path: the warp runs one path after another. With "
        "__syncwarp() after them, 32 paths take 33 x the time of one: it brings lanes together, and saves none of the "
        "paths. Warps that each have one of 32 paths take 1.00 x the time of one path. Lanes in loops of 32 lengths "
        "take 2.00 x the time of equal loops with as many trips in all: the warp waits for its longest. Loads by one "
        "lane in 32 at a time take 1.00 x the time of loads by all lanes. Arrange work so that the 32 lanes of a warp "
        "take the same path.");
  REQUIRE(conclusion.found.size() == 5);
  CHECK(conclusion.found[0].value == 32);
  CHECK(conclusion.found[0].outcomes == std::vector<std::size_t>{0, 2});
  CHECK(test::advice({reading("lanes", 4, 2)}).empty());
  CHECK(test::advice({reading("predicated", 1, 1.6), reading("predicated", 32, 2.4)}) ==
        "Loads by one lane in 32 at a time take 1.50 x the time of loads by all lanes: that they move fewer sectors "
        "saves nothing.");
}
