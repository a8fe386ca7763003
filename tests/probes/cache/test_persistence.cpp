// A hot set beside a stream: what a launch reads, and what is said of what is kept.

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "engine/access/site.hpp"
#include "engine/base/error.hpp"
#include "tests/catch.hpp"
#include "tests/probes/any_case.hpp"

namespace gpumem::test_persistence {

namespace {

constexpr std::uint64_t mib = 1U << 20U;

Case hot_case(const std::string& way, std::uint64_t hot = 16 * mib) {
  return test::any_case("persistence", {{"persistence", way}, {"hot_set_bytes", hot}});
}

Outcome reading(const std::string& way, double bytes_per_cycle) {
  return {.tested = hot_case(way), .headline = bytes_per_cycle, .seconds = 1e-3};
}

}  // namespace

TEST_CASE("a hot set is read in every round, the stream once", "[persistence]") {
  const Case beside = hot_case("beside");
  const Workload workload = beside.probe->describe(beside, test::some_device());
  REQUIRE(workload.sites.size() == 1);
  CHECK(workload.sites[0].requests * 512 == 8 * 136 * mib);
  CHECK(workload.useful_bytes_read == 8 * 136 * mib);
  CHECK(workload.allocated_bytes == 976 * mib + std::uint64_t{132} * 1024 * 4);
  const auto first_byte = [&](std::uint64_t request) { return workload.sites[0].request(request).address[0]; };
  constexpr std::uint64_t hot = 16 * mib / 512;
  constexpr std::uint64_t round = 136 * mib / 512;
  CHECK(first_byte(0) == 0);
  CHECK(first_byte(hot) == 16 * mib);
  CHECK(first_byte(round) == 0);
  CHECK(first_byte(round + hot) == 136 * mib);

  const Case alone = hot_case("alone", 528);
  const Workload little = alone.probe->describe(alone, test::some_device());
  CHECK(little.sites[0].requests == 8 * 2);
  CHECK(little.sites[0].request(2).active == ~0U);
  CHECK(little.sites[0].request(3).active == 1);
}

TEST_CASE("GPUs without cache policies skip what needs them", "[persistence]") {
  Device device = test::some_device();
  device.compute_capability = "7.5";
  const Case tested = hot_case("evict-first");
  CHECK_THROWS_AS(tested.probe->describe(tested, device), Error);
  const Case beside = hot_case("beside");
  CHECK_NOTHROW(beside.probe->describe(beside, device));
}

TEST_CASE("persistence: what each way gains, the most first", "[persistence]") {
  const std::vector<Outcome> outcomes = {reading("alone", 4000), reading("beside", 1600), reading("window", 3200),
                                         reading("evict-first", 2000)};
  CHECK(test::advice(outcomes) ==
        "Set a persisting window: what is read again after twice the L2 is faster, 16 MiB 2.00 x. Load the stream "
        "evict-first: what is read again after twice the L2 is faster, 16 MiB 1.25 x.");
  const std::vector<Fact> facts = test::conclusion(outcomes).facts;
  REQUIRE(facts.size() == 2);
  CHECK(facts[0].kind == FactKind::fastest);
  CHECK(facts[0].outcomes == std::vector<std::size_t>{2, 1});
  CHECK(std::get<double>(facts[0].values.at(1).items.front()) == 2);

  CHECK(test::advice({reading("beside", 1600), reading("window", 1640), reading("evict-first", 2000)}) ==
        "Load the stream evict-first: what is read again after twice the L2 is faster, 16 MiB 1.25 x. Persisting "
        "windows gain nothing for 16 MiB.");
  CHECK(test::advice({reading("alone", 4000), reading("beside", 1600)}).empty());
  CHECK(test::advice({reading("alone", 4000), reading("window", 3600)}).empty());
}

TEST_CASE("persistence: sizes that gain are told from those that do not, as far as intervals tell", "[persistence]") {
  std::vector<Outcome> outcomes;
  for (const std::uint64_t hot : {4 * mib, 8 * mib}) {
    outcomes.push_back({.tested = hot_case("beside", hot), .headline = 1600, .interval = std::pair(1500, 1700)});
    outcomes.push_back({.tested = hot_case("evict-first", hot), .headline = 2000, .interval = std::pair(1900, 2100)});
  }
  outcomes.back().interval = {1650, 2300};
  const Conclusion conclusion = test::conclusion(outcomes);
  REQUIRE(conclusion.facts.size() == 2);
  CHECK(conclusion.facts[1].kind == FactKind::as_fast_as);
  CHECK(report::say(conclusion.facts) ==
        "Load the stream evict-first: what is read again after twice the L2 is faster, 4 MiB 1.25 x. Loading the "
        "stream evict-first gains nothing for 8 MiB.");
}

}  // namespace gpumem::test_persistence
