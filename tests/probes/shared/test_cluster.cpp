// Clusters: who pulls from whom and what that leaves, what goes together, what is declared, predicted and concluded.

#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/model/predict.hpp"
#include "engine/model/profile.hpp"
#include "probes/shared/cluster/cluster_case.hpp"
#include "tests/catch.hpp"
#include "tests/probes/any_case.hpp"

namespace gpumem::shared::test_cluster_probe {

namespace {

Case pulled(std::uint64_t blocks, const std::string& from, const std::string& op = "read", std::uint64_t pullers = 0,
            std::uint64_t stride = 1) {
  return test::any_case("cluster", {{"cluster_blocks", blocks},
                                    {"pull_from", from},
                                    {"op", op},
                                    {"pulling_blocks", pullers},
                                    {"remote_stride_words", stride}});
}

Workload described(const Case& tested, const Device& device = model::load_profile("h200").device) {
  return tested.probe->describe(tested, device);
}

std::string refusal(const Case& tested) {
  try {
    tested.probe->validate(tested);
    return "";
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::usage);
    return error.what();
  }
}

Outcome reading(std::uint64_t blocks, const std::string& from, double bytes_per_cycle) {
  return {.tested = pulled(blocks, from), .headline = bytes_per_cycle, .seconds = 1e-3};
}

}  // namespace

TEST_CASE("cluster: in a ring each block asks the next, else all ask the first", "[cluster]") {
  const ClusterPull ring = pull_of(pulled(4, "ring"));
  const ClusterPull first = pull_of(pulled(4, "first"));
  CHECK(ring.pullers == 4);
  CHECK(first.pullers == 3);
  CHECK(ring.sharers() == 1);
  CHECK(first.sharers() == 3);
  CHECK_FALSE(first.pulls(0));
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    CHECK(ring.pulls(rank));
    CHECK(ring.source_of(rank) == (rank + 1) % 4);
    CHECK(ring.pullers_of(rank) == 1);
    CHECK(first.source_of(rank) == 0);
    CHECK(first.pullers_of(rank) == (rank == 0 ? 3 : 0));
  }
  const ClusterPull two = pull_of(pulled(4, "ring", "read", 2));
  CHECK_FALSE(two.pulls(1));
  CHECK(two.pulls(2));
  CHECK(two.place(2) == 0);
  CHECK(two.pullers_of(3) == 1);
  CHECK(two.pullers_of(0) == 1);
  CHECK(two.pullers_of(1) == 0);
}

TEST_CASE("cluster: what is left behind tells the block that was asked, and how often", "[cluster]") {
  using access::Op;
  const ClusterPull pull = pull_of(pulled(4, "first", "atomic", 2, 3));
  const std::uint32_t word = 15;  // of thread 37, lane 5
  CHECK(pull.word_of(37) == word);
  CHECK(pull.left_behind(3, 37, Op::load, 7) == pull.times() * pull.content(0, word));
  CHECK(pull.left_behind(1, 37, Op::load, 7) == 0);
  CHECK(pull.left_behind(0, 37, Op::store, 7) == pull.written(word, 7));
  CHECK(pull.left_behind(2, 37, Op::store, 7) == pull.content(2, word));
  CHECK(pull.left_behind(0, 37, Op::atomic, 7) == pull.content(0, word) + 2 * 32 * pull.times());
  CHECK(pull.left_behind(2, 37, Op::atomic, 7) == pull.content(2, word));
  CHECK(pull.content(0, word) != pull.content(1, word));
  CHECK(pull.written(word, 7) != pull.written(word, 8));
  for (const auto& [stride, sectors] :
       std::map<std::uint32_t, std::uint32_t>{{1, 4}, {2, 8}, {3, 12}, {8, 32}, {9, 32}, {64, 32}}) {
    CHECK(pull_of(pulled(2, "ring", "read", 0, stride)).sectors() == sectors);
  }
  for (const std::uint32_t stride : {1U, 2U, 3U, 12U, 32U, 33U, 64U}) {
    CHECK(pull_of(pulled(2, "ring", "read", 0, stride)).wavefronts() == std::gcd(stride, 32U));
  }
}

TEST_CASE("cluster: more blocks than the cluster has are refused", "[cluster]") {
  CHECK(refusal(pulled(4, "ring", "read", 4)).empty());
  CHECK(refusal(pulled(4, "first", "read", 3)).empty());
  CHECK(refusal(pulled(4, "ring", "read", 5)) ==
        "--pullers 5: a cluster of 4 blocks has 4 of a ring; pass fewer, or a larger --cluster");
  CHECK(refusal(pulled(4, "first", "read", 4)) ==
        "--pullers 4: a cluster of 4 blocks has 3 that can pull from the first; pass fewer, or a larger --cluster");
}

TEST_CASE("cluster: what a GPU has no room for is skipped with the reason", "[cluster]") {
  const auto why_not = [](const char* compute_capability, unsigned multiprocessors, std::uint64_t blocks) {
    Device device = test::some_device();
    device.compute_capability = compute_capability;
    device.multiprocessors = multiprocessors;
    try {
      static_cast<void>(described(pulled(blocks, "ring"), device));
      return std::string();
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::missing_capability);
      return std::string(error.what());
    }
  };
  CHECK(why_not("8.9", 128, 2) == "shared memory of another block takes compute capability 9.0, this GPU has 8.9");
  CHECK(why_not("9.0", 14, 16) == "clusters of 16 blocks, one to a multiprocessor, do not fit into a GPC of this GPU");
  CHECK(why_not("9.0", 14, 8).empty());
  CHECK(why_not("10.0", 148, 16).empty());
}

TEST_CASE("cluster: each block has a multiprocessor of its own, and declares what it accesses", "[cluster]") {
  const Device device = model::load_profile("h200").device;
  for (const char* op : {"read", "write", "atomic"}) {
    INFO(op);
    const Case tested = pulled(16, "first", op, 0, 32);
    const Workload workload = described(tested);
    const ClusterPull pull = pull_of(tested);
    CHECK(workload.blocks == 128);
    CHECK(workload.cluster_blocks == 16);
    CHECK(2 * (workload.shared_bytes_per_block + 1024) > device.shared_bytes_per_multiprocessor);
    CHECK(workload.shared_bytes_per_block <= device.shared_bytes_per_block);
    REQUIRE(workload.about<ClusterTraffic>());
    CHECK(workload.about<ClusterTraffic>()->movers == 8 * 15);
    CHECK(workload.about<ClusterTraffic>()->sharers == 15);
    CHECK(workload.about<ClusterTraffic>()->sectors == 32);
    CHECK(workload.modelled() == (std::string(op) == "read"));
    CHECK(workload.useful_bytes() ==
          workload.about<ClusterTraffic>()->movers * workload.about<ClusterTraffic>()->bytes);
    CHECK(workload.sites.front().space == access::Space::cluster);
    CHECK(workload.sites.front().requests * 128 == workload.useful_bytes());
    CHECK(workload.sites.size() == (std::string(op) == "read" ? 1U : 2U));
    CHECK(model::needed_rates(*workload.about<ClusterTraffic>()).size() == 3);
    CHECK(pull.iterations >= 1);
  }
}

TEST_CASE("cluster: a profile that knows the rates predicts, another says which it lacks", "[cluster]") {
  model::Profile profile = model::load_profile("h200");
  const std::string rates[] = {"cluster_read_bytes_per_cycle", "cluster_read_served_bytes_per_cycle",
                               "cluster_read_all_bytes_per_cycle"};
  for (const std::string& rate : rates) profile.how.erase(rate);
  const Case tested = pulled(4, "ring");
  const Workload workload = described(tested);
  CHECK(model::why_unpredicted(workload, profile)
            .starts_with(
                "profile 'h200' does not know cluster_read_bytes_per_cycle, cluster_read_served_bytes_per_cycle, "));
  profile.rates.cluster.read.alone_bytes_per_cycle = 10;
  profile.rates.cluster.read.served_bytes_per_cycle = 40;
  profile.rates.cluster.read.all_bytes_per_cycle = 1e9;
  for (const std::string& rate : rates) profile.how[rate] = "measured";
  CHECK(model::why_unpredicted(workload, profile).empty());
  const model::Prediction prediction = model::predict(workload, profile);
  CHECK(prediction.bottleneck == "cluster");
  CHECK(tested.probe->headline.predict(workload, prediction, profile).value_or(0) == Approx(10));
  CHECK(tested.probe->metrics.front().predict(workload, prediction, profile) == profile.rates.latency.cluster_cycles);
  CHECK_FALSE(tested.probe->metrics.front().predict(described(pulled(4, "ring", "atomic")), prediction, profile));
}

TEST_CASE("cluster: the conclusion is what another block gives, and what many or one of them cost", "[cluster]") {
  CHECK(
      test::advice(
          {reading(2, "ring", 32), reading(16, "ring", 16), reading(2, "first", 32), reading(16, "first", 4)}) ==
      "In clusters of 2 a multiprocessor reads 32.0 bytes per cycle in another block's shared memory, 25 % of what its "
      "own can do. Keep clusters small where they share much: in those of 16 it takes 2.00 x as long. Spread what a "
      "cluster shares over its blocks: 15 that ask one take 4.00 x as long as in a ring.");
  CHECK(
      test::advice({reading(2, "ring", 32), reading(8, "ring", 32), reading(8, "first", 32)}) ==
      "In clusters of 2 a multiprocessor reads 32.0 bytes per cycle in another block's shared memory, 25 % of what its "
      "own can do. Clusters of 8 are as fast. 7 blocks that ask one are as fast as in a ring.");
  CHECK(test::conclusion({reading(2, "first", 32)}).facts.empty());
}

}  // namespace gpumem::shared::test_cluster_probe
