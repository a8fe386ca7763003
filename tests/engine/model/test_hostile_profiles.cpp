// Profiles that once broke something (tests/fuzz/regressions): refused, or predicted from to times that are times.

#include <cmath>
#include <filesystem>

#include "engine/base/error.hpp"
#include "engine/model/stages.hpp"
#include "tests/catch.hpp"
#include "tests/source_folder.hpp"

namespace gpumem::model::test_hostile_profiles {

namespace {

/// A demand on device memory with this share of writes.
Demand demand(double writes) {
  Demand demand;
  demand.loads = true;
  demand.footprint_bytes = 1e9;
  demand.dram.read_bytes = 1e9 * (1 - writes);
  demand.dram.write_bytes = 1e9 * writes;
  return demand;
}

}  // namespace

TEST_CASE("profiles that once broke something are refused or predict times", "[hostile]") {
  std::size_t count = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(gpumem::test::source_folder() / "tests/fuzz/regressions/profile")) {
    INFO(entry.path());
    ++count;
    Profile profile;
    try {
      profile = load_profile(entry.path());
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::usage);
      continue;
    }
    Workload workload;
    workload.blocks = 100;
    workload.block_threads = 256;
    for (const double writes : {0.0, 0.1, 0.25, 0.5, 0.9, 1.0}) {
      const std::vector<StageTime> stages = launch_stages(demand(writes), workload, profile, false);
      for (const StageTime& stage : stages) CHECK((std::isfinite(stage.seconds) && stage.seconds >= 0));
      CHECK(std::isfinite(launch_seconds(stages, demand(writes), workload, profile.rates, false)));
    }
  }
  CHECK(count == 4);
}

}  // namespace gpumem::model::test_hostile_profiles
