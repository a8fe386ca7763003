// Runs of elements per thread: which lane accesses what and when, and what is concluded from how fast that is.

#include <algorithm>

#include "probes/global/blocked/blocked.hpp"
#include "tests/probes/global/global_cases.hpp"

namespace gpumem::global::test_blocked {

using namespace gpumem::global::test;

namespace {

Case blocked(std::uint64_t run, const std::string& op = "read", std::uint64_t word_bytes = 4) {
  return case_of("blocked", {{"run_elements", run}, {"op", op}, {"word_bytes", word_bytes}});
}

std::string advice_on(std::initializer_list<std::pair<std::uint64_t, double>> rates) {
  std::vector<Outcome> outcomes;
  for (const auto& [run, gb_per_s] : rates) outcomes.push_back(outcome_of(blocked(run), gb_per_s));
  return advice(outcomes);
}

}  // namespace

TEST_CASE("blocked: every run accesses each element once", "[blocked]") {
  for (std::uint32_t run = 1; run <= 64; ++run) {
    INFO(run);
    elements_of(BlockedPlacement(run, 4, 37));
  }
}

TEST_CASE("blocked: a lane goes through its run from turn to turn, lanes are a run apart", "[blocked]") {
  for (const std::uint32_t run : {1U, 2U, 3U, 5U, 8U, 64U}) {
    const BlockedPlacement placement(run, 4, 1024);
    for (std::uint64_t turn = 0; turn < 1000; ++turn) {
      for (const std::uint64_t lane : {0U, 1U, 31U}) {
        const std::uint64_t group = turn / run;
        const std::uint64_t thread = turn / BlockedPlacement::turns * 32 + lane;
        const auto which = static_cast<std::uint32_t>(turn % BlockedPlacement::turns);
        REQUIRE(placement(thread, which) == (group * 32 + lane) * run + turn % run);
      }
    }
  }
}

TEST_CASE("blocked: far into a large array the arithmetic still holds", "[blocked]") {
  constexpr std::uint64_t warps = std::uint64_t{1} << 29U;
  const BlockedPlacement placement(3, 4, warps - 1);
  const std::uint64_t warp = warps - 2;
  const std::uint64_t turn = warp * BlockedPlacement::turns + 3;
  CHECK(placement(warp * 32 + 31, 3) == (turn / 3 * 32 + 31) * 3 + turn % 3);
}

TEST_CASE("blocked: a request costs a sector for each eight elements between its first and last, up to 32",
          "[blocked]") {
  for (const std::uint64_t run : {1U, 2U, 3U, 4U, 7U, 8U, 48U, 64U}) {
    const Workload workload = describe(blocked(run));
    REQUIRE(workload.sites.size() == 1);
    INFO(run);
    CHECK(sectors_per_request(workload.sites.front()) == Approx(std::min<double>(4.0 * static_cast<double>(run), 32)));
    CHECK(workload.useful_bytes_read == 1 << 20);
    CHECK(workload.modelled());
    CHECK((workload.sites.front().fill != nullptr) == (run > 4));
  }
  CHECK(describe(blocked(1, "write")).modelled());
  CHECK_FALSE(describe(blocked(2, "write")).modelled());
}

TEST_CASE("blocked: a buffer without room for a warp's elements is refused", "[blocked]") {
  Case small = blocked(1);
  small.set("buffer_bytes", std::uint64_t{500});
  CHECK(refusal_of(small) == "--buffer 500 is less than the 128 elements that a warp takes; use at least 512");
  small.set("buffer_bytes", std::uint64_t{600});
  CHECK(refusal_of(small).empty());
  CHECK(describe(small).useful_bytes_read == 512);
}

TEST_CASE("blocked: conclusions say what runs cost", "[blocked]") {
  CHECK(advice_on({{1, 4500}, {2, 4490}, {8, 4400}, {32, 900}}) ==
        "Interleave the threads: reading then reaches 4500 GB/s. Runs of 32 elements per thread take 5.00 x as long: "
        "900 GB/s. Runs of up to 8 elements per thread are as fast as interleaved threads.");
  CHECK(advice_on({{1, 4500}, {2, 2250}}) ==
        "Interleave the threads: reading then reaches 4500 GB/s. Runs of 2 elements per thread take 2.00 x as long: "
        "2250 GB/s.");
  CHECK(advice_on({{1, 4500}, {64, 4450}}) ==
        "Reading by interleaved threads reaches 4500 GB/s. Runs of up to 64 elements per thread are as fast as "
        "interleaved threads.");
  CHECK(advice_on({{1, 4000}, {2, 4500}, {64, 900}})
            .starts_with("Reading in runs of 2 elements per thread reaches 4500 GB/s. Runs of 64 elements per thread "
                         "take 4.44 x"));
  CHECK(advice_on({{8, 4400}, {64, 550}}) ==
        "Reading in runs of 8 elements per thread reaches 4400 GB/s. Interleaved threads show what runs cost: add "
        "--run 1. Runs of 64 elements per thread take 8.00 x as long: 550 GB/s.");
  CHECK(advice_on({{1, 4500}}).starts_with("Reading by interleaved threads reaches 4500 GB/s."));
}

TEST_CASE("blocked: all cases show the longest run that costs nothing", "[blocked]") {
  const std::vector<Outcome> outcomes = {outcome_of(blocked(8), 4000), outcome_of(blocked(1), 4500),
                                         outcome_of(blocked(4), 4450)};
  const Conclusion concluded = conclusion(outcomes);
  REQUIRE(concluded.quantities.size() == 1);
  CHECK(concluded.quantities.front().name == find_probe("blocked")->concluded.front().name);
  CHECK(concluded.quantities.front().value == 4);
  CHECK(concluded.quantities.front().outcomes.size() == 3);
  REQUIRE(kinds_of(concluded) == std::vector{FactKind::fastest, FactKind::costs, FactKind::as_fast_as});
  CHECK(concluded.facts[0].outcomes == std::vector<std::size_t>{1});
  CHECK(numbers_of(concluded.facts[0], "rate_gb_per_s") == std::vector{4500.0});
  CHECK(concluded.facts[1].outcomes == std::vector<std::size_t>{0, 1});
  CHECK(numbers_of(concluded.facts[1], "slowdown_ratio") == std::vector{1.125});
  CHECK(concluded.facts[2].outcomes == std::vector<std::size_t>{1, 2});
  CHECK(numbers_of(concluded.facts[2], "run") == std::vector{4.0});
}

TEST_CASE("blocked: runs whose readings overlap with those of interleaved threads cost nothing", "[blocked]") {
  const Conclusion noisy =
      conclusion({within(outcome_of(blocked(1), 4500), 4000, 4600), within(outcome_of(blocked(8), 4100), 3900, 4300)});
  CHECK(kinds_of(noisy) == std::vector{FactKind::fastest, FactKind::as_fast_as});
  CHECK(noisy.quantities.front().value == 8);
}

}  // namespace gpumem::global::test_blocked
