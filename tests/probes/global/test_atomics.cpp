// Atomics in numbers, held against doing them one by one, and what is said of contention.

#include <string>
#include <vector>

#include "engine/access/site.hpp"
#include "probes/global/atomics/atomics.hpp"
#include "tests/catch.hpp"
#include "tests/probes/global/global_cases.hpp"

namespace gpumem::test_atomics {

using global::AtomicsLaunch;
using global::test::kinds_of;
using global::test::numbers_of;
using global::test::within;

namespace {

/// The words of one block, or of the grid, after doing what the kernel does; adds up what was returned.
std::vector<std::uint32_t> simulate(const AtomicsLaunch& launch, std::uint32_t& returned) {
  const std::uint32_t threads = (launch.in_shared ? 1 : launch.blocks) * global::atomics_threads;
  const std::uint32_t units = threads / launch.unit_lanes;
  std::vector<std::uint32_t> words(launch.addresses, 0);
  for (std::uint32_t turn = 0; turn < launch.turns; ++turn) {
    for (std::uint32_t thread = 0; thread < threads; ++thread) {
      std::uint32_t& word = words[(thread / launch.unit_lanes + std::uint64_t{turn} * units) % launch.addresses];
      returned += word;
      word += launch.value;
    }
  }
  return words;
}

Outcome atomics(const std::string& per, std::uint64_t addresses, double rate) {
  return test::outcome("atomics", {{"address_per", per}, {"addresses", addresses}}, rate);
}

}  // namespace

TEST_CASE("every address gets its share of the updates, and old values add up, in any order", "[atomics]") {
  for (const bool in_shared : {false, true}) {
    for (const std::uint32_t lanes : {1U, 32U}) {
      for (const std::uint32_t addresses : {1U, 2U, 5U, 32U, 33U, 1000U, 4096U, 100'000U}) {
        INFO(in_shared << " " << lanes << " " << addresses);
        AtomicsLaunch launch;
        launch.in_shared = in_shared;
        launch.returns = true;
        launch.unit_lanes = lanes;
        launch.addresses = addresses;
        launch.blocks = 3;
        launch.turns = 8;
        std::uint32_t returned = 0;
        const std::vector<std::uint32_t> words = simulate(launch, returned);
        for (std::uint32_t i = 0; i < addresses; ++i) {
          REQUIRE(words[i] == static_cast<std::uint32_t>(launch.updates_of(i)) * launch.value);
        }
        CHECK(launch.returned() == returned * (in_shared ? launch.blocks : 1));
      }
    }
  }
}

TEST_CASE("atomics are requests of their space, of which nothing else is predicted", "[atomics]") {
  for (const char* space : {"global", "shared"}) {
    const Case tested = test::any_case("atomics", {{"space", space}, {"addresses", std::uint64_t{50}}});
    const Workload workload = tested.probe->describe(tested, test::some_device());
    CHECK_FALSE(workload.modelled());
    CHECK(workload.useful_bytes() == 0);
    const access::Site& site = workload.sites.front();
    CHECK(site.op == access::Op::atomic);
    CHECK(access::to_string(site.space) == space);
    CHECK(site.requests % (132 * 32 * global::atomics_in_a_row) == 0);
    const auto rate = tested.probe->headline.from_seconds(workload, 2.0);
    REQUIRE(rate);
    CHECK(*rate == Approx(static_cast<double>(site.requests) * 32 / 2 * 1e-9));
    CHECK(workload.shared_bytes_per_block == (site.space == access::Space::shared ? 200U : 0U));
  }
}

TEST_CASE("a block reads its sums of shared memory at the end, the last request in part", "[atomics]") {
  AtomicsLaunch launch;
  launch.addresses = 50;
  CHECK(launch.requests_of_sums() == 2);
  CHECK(launch.request_of_sums(0).active == ~0U);
  CHECK(launch.request_of_sums(1).active == (1U << 18U) - 1);
  CHECK(launch.request_of_sums(3).address[0] == 128);
}

TEST_CASE("the advice on atomics says what contention costs", "[atomics]") {
  CHECK(
      test::advice({atomics("lane", 1, 2), atomics("lane", 32, 60), atomics("lane", 8192, 2000), atomics("warp", 1, 2),
                    atomics("warp", 32, 50), atomics("warp", 8192, 200)}) ==
      "Add up within the warp first: lanes that meet at an address cost 10 x. With an address per lane, more are still "
      "faster: 8192 reach 2000 giga atomics per s, 1000 x the rate of 1. With an address per warp, more are still "
      "faster: 8192 reach 200 giga atomics per s, 100 x the rate of 1. All threads of the GPU on one address do 2.00 "
      "giga atomics per s.");
  CHECK(test::advice({atomics("lane", 32, 60)}) == "An address per lane, 32 in all, allows 60.0 giga atomics per s.");
  CHECK(test::advice({atomics("lane", 1, 2)}) == "All threads of the GPU on one address do 2.00 giga atomics per s.");
  CHECK(test::advice({atomics("warp", 32, 60), atomics("warp", 64, 61)}) ==
        "With an address per warp, more than 32 gain nothing: 61.0 giga atomics per s.");
}

TEST_CASE("facts on atomics say how many addresses suffice", "[atomics]") {
  const Conclusion saturated =
      test::conclusion({atomics("lane", 2, 100), atomics("lane", 32, 390), atomics("lane", 128, 400)});
  REQUIRE(kinds_of(saturated) == std::vector{FactKind::saturates_at});
  const Fact& fact = saturated.facts.front();
  CHECK(numbers_of(fact, "addresses") == std::vector{32.0});
  CHECK(numbers_of(fact, "fewest_addresses") == std::vector{2.0});
  CHECK(numbers_of(fact, "gain_ratio") == std::vector{4.0});
  CHECK(fact.outcomes == std::vector<std::size_t>{2, 0, 1});
  CHECK(report::say(fact) ==
        "With an address per lane, 32 suffice for the best rate: 400 giga atomics per s, 4.00 x that of 2.");

  const Conclusion noisy =
      test::conclusion({within(atomics("lane", 2, 60), 50, 72), within(atomics("lane", 32, 70), 62, 79),
                        within(atomics("warp", 2, 60), 50, 72), within(atomics("warp", 32, 66), 55, 77)});
  CHECK(kinds_of(noisy) == std::vector{FactKind::as_fast_as, FactKind::as_fast_as});
}

}  // namespace gpumem::test_atomics
