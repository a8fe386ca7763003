// The stages of a launch, and its time.

#include <algorithm>
#include <cmath>
#include <random>

#include "engine/model/stages.hpp"
#include "tests/catch.hpp"

namespace gpumem::model::test_stages {

namespace {

/// A launch that was simulated and asks for anything at all.
Demand any_demand(std::mt19937& random) {
  std::uniform_real_distribution<double> magnitude(0, 8);
  std::bernoulli_distribution is_there(0.7);
  const auto some = [&] { return is_there(random) ? std::pow(10, magnitude(random)) : 0; };
  Demand demand;
  demand.simulated = true;
  demand.loads = true;
  demand.footprint_bytes = 1e9;
  demand.turns = 1 + some() / 1e7;
  Demand::L2& l2 = demand.l2;
  for (double* part : {&demand.l1.load_lines, &demand.l1.store_lines, &l2.load_sectors, &l2.store_sectors,
                       &l2.split_sectors, &l2.load_lines, &l2.load_line_pairs, &l2.store_lines, &l2.store_line_pairs,
                       &l2.fill_lines, &l2.fill_line_pairs, &l2.read_requests, &l2.write_requests, &l2.mixed_lines,
                       &l2.mixed_groups, &l2.store_collisions, &demand.dram.read_bytes, &demand.dram.write_bytes}) {
    *part = some();
  }
  return demand;
}

}  // namespace

TEST_CASE("no stage takes longer than the launch", "[stages]") {
  std::mt19937 random(1);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same ones every time
  Workload workload;
  workload.blocks = 1000;
  workload.block_threads = 256;
  for (const char* name : {"h200", "l40s", "rtx3090", "t4", "v100"}) {
    const Profile profile = load_profile(name);
    for (int i = 0; i < 300; ++i) {
      const Demand demand = any_demand(random);
      for (const bool cached : {false, true}) {
        const std::vector<StageTime> stages = launch_stages(demand, workload, profile, cached);
        const double seconds = launch_seconds(stages, demand, workload, profile.rates, cached);
        for (const StageTime& stage : stages) {
          INFO(name << ", " << i << (cached ? ", cached: " : ": ") << stage.stage);
          CHECK(stage.seconds <= seconds * (1 + 1e-9));
        }
      }
    }
  }
}

TEST_CASE("loads and stores of L2 cross, but for a share of the shorter, and add up beside shared memory", "[stages]") {
  Workload workload;
  workload.blocks = 1000;
  workload.block_threads = 256;
  const Profile profile = load_profile("h200");
  const auto& rates = profile.rates.l2;
  const auto seconds = [&](double loads, double stores, double shared_wavefronts = 0) {
    Demand demand;
    demand.shared_wavefronts = shared_wavefronts;
    demand.footprint_bytes = 1e6;
    demand.l2.load_sectors = loads;
    demand.l2.store_sectors = stores;
    const std::vector<StageTime> stages = launch_stages(demand, workload, profile, true);
    return std::ranges::find(stages, "l2_sectors", &StageTime::stage)->seconds;
  };
  const double loaded = seconds(1e8, 0);
  const double stored = seconds(0, 1e8);
  CHECK(loaded == Approx(1e8 / rates.load_sectors_per_s));
  CHECK(stored == Approx(1e8 / rates.store_sectors_per_s));
  REQUIRE(stored > loaded);
  CHECK(seconds(1e8, 1e8) == Approx(stored + rates.crossing_share * loaded));
  CHECK(seconds(1e8, 1e8, 1) == Approx(stored + loaded));
}

TEST_CASE("L1 passes a line a cycle to loads, or as many bytes as its path takes, and then stores", "[stages]") {
  Workload workload;
  workload.blocks = 1000;
  workload.block_threads = 256;
  Profile profile = load_profile("h200");
  profile.rates.l1.lines_per_cycle = 1;
  profile.rates.l1.bytes_per_cycle = 64;
  const auto cycles = [&](double lines, double bytes, double stored_lines) {
    Demand demand;
    demand.l1 = {.load_lines = lines, .store_lines = stored_lines, .load_bytes = bytes};
    const std::vector<StageTime> stages = launch_stages(demand, workload, profile, true);
    const double blocks = std::ceil(1000.0 / profile.device.multiprocessors) * profile.device.multiprocessors;
    return std::ranges::find(stages, "l1_lines", &StageTime::stage)->seconds * 1000 / blocks *
           static_cast<double>(profile.device.sm_clock_hz) * profile.device.multiprocessors;
  };
  CHECK(cycles(1e6, 128e6, 0) == Approx(2e6));  // neighbouring floats: 128 bytes of a line
  CHECK(cycles(8e6, 128e6, 0) == Approx(8e6));  // floats eight apart: 8 lines for the same bytes
  CHECK(cycles(1e6, 128e6, 1e6) == Approx(3e6));
}

TEST_CASE("a kernel by itself takes less than its launch in a queue, by the same time however long it is", "[stages]") {
  Workload workload;
  workload.blocks = 1;
  workload.block_threads = 32;
  for (const char* name : {"h200", "h100", "a10"}) {
    INFO(name);
    const Profile profile = load_profile(name);
    const auto times = [&](double read_bytes) {
      Demand demand;
      demand.loads = read_bytes > 0;
      demand.dram.read_bytes = demand.footprint_bytes = read_bytes;
      const std::vector<StageTime> stages = launch_stages(demand, workload, profile, read_bytes == 0);
      return std::pair(kernel_seconds(stages, demand, workload, profile.rates, read_bytes == 0),
                       launch_seconds(stages, demand, workload, profile.rates, read_bytes == 0));
    };
    const auto [nothing, nothing_in_queue] = times(0);
    CHECK(nothing == Approx(profile.rates.launch.kernel_s).epsilon(0.01));
    CHECK(nothing_in_queue == Approx(profile.rates.launch.cached_fixed_s).epsilon(0.01));
    const auto [much, much_in_queue] = times(1e9);
    CHECK(much_in_queue - much == Approx(nothing_in_queue - nothing).epsilon(0.01));
  }
}

}  // namespace gpumem::model::test_stages
