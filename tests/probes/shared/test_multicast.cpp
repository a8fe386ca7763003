// Tiles for all blocks of a cluster: what L2 is asked for, what is predicted of it, and what is concluded.

#include <string>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/model/predict.hpp"
#include "engine/model/profile.hpp"
#include "probes/shared/cluster/cluster_case.hpp"
#include "tests/catch.hpp"
#include "tests/probes/any_case.hpp"

namespace gpumem::shared::test_multicast {

namespace {

Case fetched(const std::string& by, std::uint64_t blocks) {
  return test::any_case("multicast", {{"fetched_by", by}, {"cluster_blocks", blocks}});
}

Outcome reading(const std::string& by, std::uint64_t blocks, double bytes_per_cycle) {
  return {.tested = fetched(by, blocks), .headline = bytes_per_cycle, .seconds = 1e-3};
}

}  // namespace

TEST_CASE("multicast: L2 is read once for a cluster, else once for each of its blocks", "[multicast]") {
  model::Profile profile = model::load_profile("h200");
  for (const char* rate : {"multicast_bytes_per_cycle", "tile_step_cycles"}) profile.how[rate] = "measured";
  profile.rates.cluster.multicast_bytes_per_cycle = 1;
  profile.rates.cluster.tile_step_cycles = 1;
  const auto sectors = [&](const std::string& by, std::uint64_t blocks) {
    const Case tested = fetched(by, blocks);
    const Workload workload = tested.probe->describe(tested, profile.device);
    CHECK(workload.useful_bytes_read == workload.blocks * (std::uint64_t{4} << 20U));
    CHECK(workload.shared_bytes_per_block <= profile.device.shared_bytes_per_block);
    const model::Prediction prediction = model::predict(workload, profile);
    CHECK(prediction.cache_resident);
    CHECK_FALSE(prediction.demand.simulated);
    CHECK(tested.probe->metrics.front().predict(workload, prediction, profile).value_or(0) ==
          Approx(by == "each" ? 1 : 1.0 / static_cast<double>(blocks)));
    return prediction.demand.l2.load_sectors;
  };
  for (const std::uint64_t blocks : {2U, 4U, 8U, 16U}) {
    CHECK(sectors("each", blocks) == static_cast<double>(blocks) * sectors("multicast", blocks));
  }
}

TEST_CASE("multicast: L2 or the tiles limit fetches of each, and what arrives by multicast its own rate too",
          "[multicast]") {
  model::Profile profile = model::load_profile("h200");
  profile.rates.cluster.tile_step_cycles = 1;
  const auto predicted = [&](const std::string& by, std::uint64_t blocks) {
    const Case tested = fetched(by, blocks);
    const Workload workload = tested.probe->describe(tested, profile.device);
    return tested.probe->headline.predict(workload, model::predict(workload, profile), profile).value_or(0);
  };
  const double of_l2 = profile.rates.l2.load_sectors_per_s * 32 / 132 / static_cast<double>(profile.device.sm_clock_hz);
  CHECK(predicted("each", 2) == Approx(of_l2));
  profile.rates.cluster.multicast_bytes_per_cycle = 1;
  CHECK(predicted("multicast", 8) == Approx(1).epsilon(1e-3));
  profile.rates.cluster.multicast_bytes_per_cycle = 1000;
  CHECK(predicted("multicast", 2) == Approx(2 * of_l2));
  profile.rates.cluster.tile_step_cycles = 16384;
  CHECK(predicted("each", 2) == Approx(1));
}

TEST_CASE("multicast: a rate is needed for tiles, and another where one fetch feeds all", "[multicast]") {
  const Device device = model::load_profile("h200").device;
  const auto needed = [&](const std::string& by) {
    const Case tested = fetched(by, 4);
    return model::needed_rates(*tested.probe->describe(tested, device).about<ClusterTraffic>()).size();
  };
  CHECK(needed("each") == 1);
  CHECK(needed("multicast") == 2);
  Device older = test::some_device();
  older.compute_capability = "8.0";
  const Case tested = fetched("each", 2);
  CHECK_THROWS_WITH(tested.probe->describe(tested, older),
                    "shared memory of another block takes compute capability 9.0, this GPU has 8.0");
}

TEST_CASE("multicast: the conclusion is what one fetch gains where it gains most", "[multicast]") {
  CHECK(test::advice({reading("each", 2, 20), reading("each", 8, 20), reading("multicast", 2, 30),
                      reading("multicast", 8, 50)}) ==
        "Fetch a tile once for a cluster of 8, by multicast: 2.50 x as fast as each block on its own, and L2 is read "
        "once instead of 8 times.");
  CHECK(test::advice({reading("each", 2, 20), reading("each", 8, 20), reading("multicast", 2, 40.1),
                      reading("multicast", 8, 40)})
            .ends_with("once instead of 8 times."));
  CHECK(
      test::advice({reading("each", 4, 20), reading("multicast", 4, 20)}) ==
      "One fetch by multicast for a cluster of 4 is not faster than one for each block, but L2 is read once instead of "
      "4 times.");
  CHECK(test::conclusion({reading("each", 4, 20)}).facts.empty());
}

}  // namespace gpumem::shared::test_multicast
