// The share of a launch that memory serves, by how much of L2 its data fill.

#include "engine/model/residence.hpp"
#include "engine/model/stages.hpp"
#include "tests/catch.hpp"

namespace gpumem::model::test_residence {

namespace {

constexpr double l2_bytes = 50 * 1024 * 1024;

Profile with_parts(bool two) {
  Profile profile = load_profile("h100");
  profile.device.l2_bytes = static_cast<std::uint64_t>(l2_bytes);
  profile.rates.l2.near_share = two ? 0.45 : 1;
  return profile;
}

/// A launch that reads and writes so many bytes, each once.
Demand demand_of_bytes(double read, double written) {
  Demand demand;
  demand.loads = read > 0;
  demand.stores = written > 0;
  demand.footprint_bytes = read + written;
  demand.dram = {.read_bytes = read, .write_bytes = written};
  demand.l2.load_sectors = demand.l2.first_sectors = read / access::sector_bytes;
  demand.l2.store_sectors = written / access::sector_bytes;
  return demand;
}

double share(double read, double written, bool two_parts = true, Workload workload = {}) {
  return memory_share(workload, demand_of_bytes(read * l2_bytes, written * l2_bytes), with_parts(two_parts));
}

}  // namespace

TEST_CASE("an L2 of two parts loses half of what is read at 0.76 of it, of what is written at 0.67", "[residence]") {
  CHECK(share(0.5, 0) == 0);
  CHECK(share(0.76, 0) == Approx(0.5));
  CHECK(share(0.81, 0) == Approx(0.8413).epsilon(1e-3));  // one width further
  CHECK(share(0.9, 0) == 1);
  CHECK(share(0, 0.67) == Approx(0.5));
  CHECK(share(0, 0.62) == Approx(0.1587).epsilon(1e-3));
  // Half read and half written: the mean of both, at what they fill together.
  CHECK(share(0.38, 0.38) == Approx((0.5 + share(0, 0.76)) / 2));
}

TEST_CASE("an L2 of one part loses half where the data fill it", "[residence]") {
  CHECK(share(0.85, 0, false) == 0);
  CHECK(share(1, 0, false) == Approx(0.5));
  CHECK(share(0, 1, false) == Approx(0.5));
  CHECK(share(1.2, 0, false) == 1);
}

TEST_CASE("a cold L2 has nothing, and launches share out what is described", "[residence]") {
  Workload cold;
  cold.cold = true;
  CHECK(share(0.1, 0, true, cold) == 1);
  Workload four;
  four.launches = 4;
  CHECK(share(4 * 0.76, 0, true, four) == Approx(0.5));
  CHECK(share(0, 0) == 1);
}

TEST_CASE("a launch in part from memory takes its share of both times, in each stage too", "[residence]") {
  const Profile profile = with_parts(true);
  const Demand demand = demand_of_bytes(20e6, 20e6);
  Workload workload;
  workload.blocks = 10000;
  workload.block_threads = 256;
  const LaunchTime from_l2 = launch_time(demand, workload, profile, 0);
  const LaunchTime from_memory = launch_time(demand, workload, profile, 1);
  const LaunchTime both = launch_time(demand, workload, profile, 0.25);
  REQUIRE(from_l2.seconds < from_memory.seconds);
  CHECK(both.seconds == Approx(0.75 * from_l2.seconds + 0.25 * from_memory.seconds));
  const auto seconds = [](const LaunchTime& time, std::string_view name) {
    const auto found = std::ranges::find(time.stages, name, &StageTime::stage);
    return found == time.stages.end() ? 0 : found->seconds;
  };
  CHECK(seconds(from_l2, "dram") == 0);
  CHECK(seconds(both, "dram") == Approx(0.25 * seconds(from_memory, "dram")));
  CHECK(seconds(both, "l2_sectors") == Approx(seconds(from_memory, "l2_sectors")));
}

}  // namespace gpumem::model::test_residence
