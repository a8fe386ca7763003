// The stages of a launch, and its time.

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

}  // namespace gpumem::model::test_stages
