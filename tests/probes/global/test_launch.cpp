// Launches of patterns that repeat themselves: their requests do, and are counted as by evaluating them all.

#include <initializer_list>
#include <string>
#include <tuple>
#include <vector>

#include "engine/access/exact.hpp"
#include "probes/global/launch.hpp"
#include "tests/probes/global/global_cases.hpp"

namespace gpumem::global::test_launch {

using namespace gpumem::global::test;

namespace {

auto all_of(const access::SiteSummary& s) {
  const auto& [cost, f] = s;
  return std::tuple(cost.sectors_per_request, cost.lines_per_request, cost.wavefronts_per_request,
                    cost.addresses_per_request, cost.efficiency, f.sectors, f.partial_sectors, f.atoms, f.partial_atoms,
                    f.lines, f.line_pairs, f.channels);
}

bool repeats_itself(const access::Site& site) {
  for (std::uint64_t k = 0; k + site.period_requests < site.regular_requests; ++k) {
    const access::WarpRequest before = site.request(k);
    const access::WarpRequest after = site.request(k + site.period_requests);
    if (after.active != before.active) return false;
    for (unsigned lane = 0; lane < access::warp_lanes; ++lane) {
      const std::uint64_t grown = after.address[lane] - before.address[lane];
      if (before.lane_active(lane) && grown != static_cast<std::uint64_t>(*site.growth_bytes)) return false;
    }
  }
  return true;
}

/// Checks that the sites repeat themselves as they declare, and are counted exactly.
void check_counts(const Workload& workload) {
  REQUIRE(!workload.sites.empty());
  for (const access::Site& site : workload.sites) {
    REQUIRE(site.growth_bytes);
    CHECK(site.regular_requests <= site.requests);
    CHECK(site.requests - site.regular_requests < access::warp_lanes);  // of the last turn
    CHECK(repeats_itself(site));
    CHECK(all_of(access::summarise(site)) == all_of(access::summarise_exactly(site).summary));
  }
}

/// Every third run of `run` elements backwards, a lane left out.
struct BackwardPattern {
  std::uint64_t run;
  std::uint64_t count;

  constexpr std::uint64_t operator()(std::uint64_t i) const { return 3 * (count - i / run * run) + i % run; }
  [[nodiscard]] constexpr bool active(std::uint64_t i) const { return i % run != 3; }
  [[nodiscard]] constexpr std::uint64_t extent(std::uint64_t) const { return 3 * count + run; }
  [[nodiscard]] constexpr std::uint64_t useful(std::uint64_t) const { return count - (count + run - 4) / run; }
  [[nodiscard]] constexpr PatternPeriod period() const { return {run, -3 * static_cast<std::int64_t>(run)}; }
};

}  // namespace

TEST_CASE("launch: a period of accesses is one of requests, whatever the block", "[launch]") {
  const auto period = [](std::uint32_t threads, PatternPeriod pattern) {
    const Launch launch{.word_bytes = 4, .count = 1000, .tile = {threads, 4}};
    const access::Period found = period_of(launch, pattern);
    return std::tuple(found.requests, found.growth_bytes, found.regular);
  };
  CHECK(period(256, {1, 1}) == std::tuple(1, 128, 31));
  CHECK(period(256, {1, -5}) == std::tuple(1, -640, 31));
  CHECK(period(256, {64, 7}) == std::tuple(2, 28, 31));
  CHECK(period(256, {3, 10}) == std::tuple(3, 1280, 31));
  CHECK(period(97, {1, 1}) == std::tuple(4, 388, 40));  // three whole warps and a lane, ten whole turns
  CHECK(period(20, {1, 0}) == std::tuple(1, 0, 50));
  CHECK(period(20, {30, 2}) == std::tuple(3, 16, 50));
}

TEST_CASE("launch: patterns that repeat themselves are counted exactly", "[launch]") {
  for (const std::uint32_t threads : {256U, 97U, 33U, 20U, 1U}) {
    for (const std::uint32_t elements : {1U, 4U}) {
      for (const std::uint64_t run : {32U, 5U, 7U, 96U}) {
        for (const std::uint64_t count : {100'000U, 99'999U, 50U}) {
          const Launch launch{.word_bytes = 8, .count = count, .tile = {threads, elements}};
          INFO(threads << " threads, " << elements << " elements each, runs of " << run << ", " << count);
          check_counts(workload_of(launch, BackwardPattern{run, count}, access::Space::global));
        }
      }
    }
  }
}

TEST_CASE("launch: the probes of offsets, strides and lanes are counted exactly", "[launch]") {
  const auto check_probe = [](const std::string& name, const std::string& parameter, const Value& value) {
    for (const std::uint64_t threads : {256U, 97U}) {
      for (const std::uint64_t word_bytes : {1U, 2U, 4U, 16U}) {
        INFO(name << ", " << threads << " threads, " << word_bytes << "-byte words");
        check_counts(describe(case_of(name, {{"op", std::string("copy")},
                                             {"block_threads", threads},
                                             {"elements_per_thread", std::uint64_t{2}},
                                             {"word_bytes", word_bytes},
                                             {"buffer_bytes", std::uint64_t{500'000}},
                                             {parameter, value}})));
      }
    }
  };
  for (const std::uint64_t offset : {0U, 1U, 8U, 31U, 1000U}) check_probe("offset", "offset_elements", offset);
  for (const std::uint64_t stride : {1U, 2U, 3U, 31U, 1000U}) check_probe("stride", "stride_elements", stride);
  for (const std::string lanes : {"aligned", "permuted", "reversed", "subset"}) {
    check_probe("coalesced", "lanes", lanes);
  }
}

TEST_CASE("launch: runs and structures that lie together are counted exactly", "[launch]") {
  for (const std::uint64_t run : {1U, 3U, 7U, 33U, 64U}) {
    for (const std::uint64_t bytes : {2'048'000U, 2'048'512U}) {
      INFO("runs of " << run << ", " << bytes << " bytes");
      check_counts(
          describe(case_of("blocked", {{"op", std::string("copy")}, {"run_elements", run}, {"buffer_bytes", bytes}})));
    }
  }
  for (const std::string layout : {"aos", "aligned", "aosoa", "soa"}) {
    for (const std::string fields : {"all", "one"}) {
      for (const std::uint64_t bytes : {12U, 20U, 28U}) {
        INFO(layout << ", " << bytes << " bytes, " << fields);
        const Workload workload = describe(case_of("layout", {{"layout", layout},
                                                              {"structure_bytes", bytes},
                                                              {"fields", fields},
                                                              {"op", std::string("read")},
                                                              {"buffer_bytes", std::uint64_t{1'000'004}}}));
        if (layout == "soa" && fields == "all") {
          CHECK_FALSE(workload.sites.front().growth_bytes);
        } else {
          check_counts(workload);
        }
      }
    }
  }
}

TEST_CASE("a share of the memory is for all arrays of the largest case of a sweep", "[launch]") {
  Device device;
  device.memory_bytes = std::uint64_t{1} << 34U;
  device.l2_bytes = 1U << 20U;
  const auto sized = [&](const std::string& share, std::initializer_list<const char*> ops) {
    std::vector<Case> sweep;
    for (const char* op : ops) {
      sweep.push_back(case_of("stride", {{"stride_elements", std::uint64_t{3}}, {"op", std::string(op)}}));
      sweep.back().set("buffer_bytes", share);
    }
    sweep.front().probe->size(sweep, device);
    return sweep;
  };
  const auto needed = [](const Case& tested) {
    const Launch launch = untiled_launch_of(tested);
    return allocated_bytes(launch, 3 * launch.count);
  };
  const std::uint64_t share = device.memory_bytes / 10 * 9;
  const std::vector<Case> copies = sized("90%", {"read", "copy", "write"});
  CHECK(copies[0].number("buffer_bytes") == copies[1].number("buffer_bytes"));
  CHECK(copies[1].number("buffer_bytes") % (1U << 20U) == 0);
  CHECK(needed(copies[1]) <= share);
  CHECK(needed(copies[1]) > share - (16U << 20U));
  CHECK(needed(sized("90%", {"write"})[0]) > share - (16U << 20U));
  device.free_memory_bytes = std::uint64_t{1} << 30U;  // counts where it is known
  CHECK(needed(sized("50%", {"write"})[0]) <= 1U << 29U);
  CHECK_THROWS_WITH(sized("0.01%", {"write"}),
                    "--buffer 0.01%: is less than arrays of 1 MiB take; pass a larger share, or a size");
}

}  // namespace gpumem::global::test_launch
