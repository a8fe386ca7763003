#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

#include "engine/model/counted.hpp"
#include "tests/catch.hpp"
#include "tests/probes/predictions/cases.hpp"

namespace gpumem::model::test::test_counted {

namespace {

std::optional<double> seconds_of(const std::vector<StageTime>& stages, std::string_view name) {
  for (const StageTime& stage : stages) {
    if (stage.stage == name) return stage.seconds;
  }
  return std::nullopt;
}

Workload describe(const Case& tested, const Profile& profile) { return tested.probe->describe(tested, profile.device); }

/// Returns the counts of the hardware if the prediction were right.
measure::Counts as_predicted(const Demand& demand) {
  measure::Counts counts;
  counts.l2_read_sectors = demand.l2.load_sectors + demand.link.load_sectors;
  counts.l2_write_sectors = demand.l2.store_sectors + demand.l2.split_sectors + demand.link.store_sectors;
  counts.host_read_sectors = demand.link.load_sectors;
  counts.host_write_sectors = demand.link.store_sectors;
  counts.dram_read_bytes = demand.dram.read_bytes;
  counts.dram_write_bytes = demand.dram.write_bytes;
  return counts;
}

}  // namespace

TEST_CASE("counts that are as predicted give the predicted stages", "[counted]") {
  const Profile h200 = load_profile("h200");
  for (const auto& [probe, swept, op] : {std::tuple("offset", 0U, "read"), std::tuple("offset", 1U, "write"),
                                         std::tuple("stride", 8U, "copy"), std::tuple("stride", 32U, "write")}) {
    INFO(probe << " " << swept << " " << op);
    const Case tested = global_case(probe, std::uint64_t{swept}, op);
    const Prediction predicted = predict(tested, h200);
    const auto counted = counted_stages(as_predicted(predicted.demand), describe(tested, h200), h200);
    REQUIRE(counted.size() == predicted.stages.size());
    for (const StageTime& stage : predicted.stages) {
      CHECK(seconds_of(counted, stage.stage).value() == Approx(stage.seconds));
    }
  }
}

TEST_CASE("a stage without its counts is left out", "[counted]") {
  const Profile h200 = load_profile("h200");
  const Case tested = global_case("offset", std::uint64_t{0}, "copy");
  const Workload workload = describe(tested, h200);
  const auto none = counted_stages({}, workload, h200);
  REQUIRE(none.size() == 3);
  CHECK(seconds_of(none, "launch"));
  CHECK(seconds_of(none, "l1_lines"));
  CHECK(seconds_of(none, "latency"));
  measure::Counts counts = as_predicted(predict(tested, h200).demand);
  counts.dram_read_bytes.reset();
  const auto without_dram = counted_stages(counts, workload, h200);
  CHECK(seconds_of(without_dram, "l2_sectors"));
  CHECK_FALSE(seconds_of(without_dram, "dram"));
  CHECK_FALSE(seconds_of(without_dram, "l2_lines"));
}

TEST_CASE("what was counted decides, not what was predicted", "[counted]") {
  const Profile h200 = load_profile("h200");
  const Case tested = global_case("offset", std::uint64_t{0}, "write");
  const Prediction predicted = predict(tested, h200);
  const Workload workload = describe(tested, h200);
  const auto before = counted_stages(as_predicted(predicted.demand), workload, h200);

  measure::Counts read_back = as_predicted(predicted.demand);
  *read_back.dram_read_bytes += predicted.demand.dram.write_bytes;  // every sector was filled
  const auto filled = counted_stages(read_back, workload, h200);
  CHECK(*seconds_of(filled, "dram") > 1.9 * *seconds_of(before, "dram"));
  CHECK(*seconds_of(filled, "l2_sectors") == *seconds_of(before, "l2_sectors"));

  measure::Counts twice = as_predicted(predicted.demand);
  *twice.l2_write_sectors *= 2;  // half of them arrived again
  const auto split = counted_stages(twice, workload, h200);
  CHECK(*seconds_of(split, "l2_sectors") - *seconds_of(before, "l2_sectors") ==
        Approx(predicted.demand.l2.store_sectors / h200.rates.l2.split_sectors_per_s));
  CHECK(*seconds_of(split, "dram") > *seconds_of(before, "dram"));
}

TEST_CASE("DRAM's counters say whether the data came from L2", "[counted]") {
  const Profile h200 = load_profile("h200");
  const Case tested =
      global_case("offset", std::uint64_t{0}, "read", {.buffer_bytes = std::uint64_t{4} << 20U});  // fits in L2
  const Prediction predicted = predict(tested, h200);
  REQUIRE(predicted.cache_resident);
  measure::Counts counts = as_predicted(predicted.demand);
  counts.dram_read_bytes = 0;
  const auto stages = counted_stages(counts, describe(tested, h200), h200);
  CHECK(seconds_of(stages, "dram").value() == 0);
  CHECK(seconds_of(stages, "l2_sectors").value() > 0);
}

TEST_CASE("shared wavefronts are those of loads and stores", "[counted]") {
  const Profile h200 = load_profile("h200");
  const Case tested = bank_case(32, 4);
  measure::Counts counts;
  counts.shared_load_wavefronts = 3e9;
  counts.shared_store_wavefronts = 1e9;
  const auto stages = counted_stages(counts, describe(tested, h200), h200);
  const double per_s = h200.rates.shared.wavefronts_per_cycle * h200.device.multiprocessors *
                       static_cast<double>(h200.device.sm_clock_hz);
  CHECK(seconds_of(stages, "shared_wavefronts").value() == Approx(4e9 / per_s));
  counts.shared_store_wavefronts.reset();
  CHECK_FALSE(seconds_of(counted_stages(counts, describe(tested, h200), h200), "shared_wavefronts"));
}

TEST_CASE("the link takes what lies in host memory, L2 the rest", "[counted]") {
  const Profile h200 = load_profile("h200");
  const Case tested{.probe = find_probe("zero-copy"),
                    .parameters = {{"passes", std::uint64_t{1}},
                                   {"placement", std::string("mapped")},
                                   {"op", std::string("copy")},
                                   {"offset_elements", std::uint64_t{0}},
                                   {"stride_elements", std::uint64_t{2}},
                                   {"word_bytes", std::uint64_t{4}},
                                   {"buffer_bytes", std::uint64_t{1} << 20U}}};
  const Workload workload = describe(tested, h200);
  const Demand demand = predict(tested, h200).demand;
  measure::Counts counts = as_predicted(demand);
  const auto predicted = predict(tested, h200).stages;
  CHECK(seconds_of(counted_stages(counts, workload, h200), "pcie").value() ==
        Approx(seconds_of(predicted, "pcie").value()));
  *counts.host_read_sectors *= 3;
  *counts.host_write_sectors *= 3;
  CHECK(seconds_of(counted_stages(counts, workload, h200), "pcie").value() ==
        Approx(3 * seconds_of(predicted, "pcie").value()));
  counts.host_write_sectors.reset();
  CHECK_FALSE(seconds_of(counted_stages(counts, workload, h200), "pcie"));
}

}  // namespace gpumem::model::test::test_counted
