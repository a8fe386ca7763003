// Multicast: blocks of a cluster need the same tiles, as those of a matrix product that share rows or columns. Each
// fetches its own copy from L2, or one fetch brings the tile to all of them, a share by each.

#include <algorithm>
#include <bit>
#include <string>

#include "engine/measure/clusters.cuh"
#include "engine/measure/timing.hpp"
#include "engine/model/subjects/cluster.hpp"
#include "probes/experiment.hpp"
#include "probes/shared/cluster/cluster_case.hpp"
#include "probes/shared/cluster/multicast_kernels.cuh"

namespace gpumem::shared {

namespace {

constexpr unsigned fetching_threads = 256;
constexpr std::uint64_t received_bytes = std::uint64_t{4} << 20U;  // of each block: about a tenth of a millisecond

auto compiled_fetch(bool multicast) { return one_of<false, true>(multicast); }

/// An eighth of L2 or less, a power of two: what is measured is L2, whichever part of it holds a tile.
std::uint64_t shared_array_bytes(const Device& device) {
  constexpr std::uint64_t least = std::uint64_t{1} << 20U;
  return std::bit_floor(std::max(device.l2_bytes / 8, least));
}

SharedTiles tiles_of(const Case& decided, const Device& device) {
  const unsigned bytes = decided[axis::tile_bytes];
  return {.tiles = static_cast<std::uint32_t>(shared_array_bytes(device) / bytes),
          .words = bytes / word_bytes,
          .steps = static_cast<std::uint32_t>(received_bytes / bytes),
          .blocks = decided[axis::cluster_blocks]};
}

Workload describe_multicast(const Case& decided, const Device& device) {
  const SharedTiles task = tiles_of(decided, device);
  const bool multicast = decided[axis::by_multicast];
  Workload workload;
  workload.kernel = dispatch(compiled_fetch(multicast), [](auto by_multicast) {
    return measure::kernel_name<&fetch_shared_tiles<by_multicast()>>();
  });
  workload.block_threads = fetching_threads;
  fill_with_clusters(workload, task.blocks, ring_stages * decided[axis::tile_bytes], device);
  const std::uint64_t array_bytes = shared_array_bytes(device);
  const std::uint64_t all_bytes = workload.blocks * received_bytes;
  constexpr std::uint64_t request_bytes = std::uint64_t{word_bytes} * access::warp_lanes;
  workload.sites.push_back({.name = "source",
                            .space = access::Space::global,
                            .op = access::Op::load,
                            .word_bytes = word_bytes,
                            .requests = array_bytes / request_bytes,  // of the array once; the engine asks, no warp
                            .fetches = std::max<std::uint64_t>(all_bytes / array_bytes, 1),
                            .feeds = multicast ? task.blocks : 1,
                            .request = [](std::uint64_t k) { return request_of_words(k, false); }});
  const auto add_shared = [&](const char* name, access::Op op, unsigned instructions) {
    workload.sites.push_back({.name = name,
                              .space = access::Space::shared,
                              .op = op,
                              .word_bytes = word_bytes,
                              .instructions = instructions,
                              .requests = all_bytes / request_bytes,
                              .request = [=](std::uint64_t k) { return request_of_words(k, op == access::Op::load); }});
  };
  add_shared("tile", access::Op::store, 1);
  add_shared("use", access::Op::load, used_at_once);
  workload.subject = ClusterTraffic{.move = multicast ? ClusterTraffic::Move::multicast : ClusterTraffic::Move::fetch,
                                    .movers = workload.blocks,
                                    .bytes = received_bytes,
                                    .steps = task.steps};
  workload.useful_bytes_read = all_bytes;
  workload.allocated_bytes = array_bytes + workload.blocks * fetching_threads * sizeof(std::uint32_t);
  return workload;
}

class MulticastExperiment final : public measure::Experiment {
 public:
  MulticastExperiment(const Case& decided, measure::Session& session)
      : MulticastExperiment(decided, describe_multicast(decided, session.device()), session) {}

  void launch(cudaStream_t stream) override {
    dispatch(compiled_fetch(multicast_), [&](auto by_multicast) {
      measure::launch_clusters(&fetch_shared_tiles<by_multicast()>, shape_, stream,
                               reinterpret_cast<const uint4*>(source_), sums_.as<std::uint32_t>(),
                               cycles_.as<std::uint64_t>(), task_);
    });
  }

  measure::Verification verify(cudaStream_t stream) override {
    measure::poison(sums_, stream);
    mismatches_.reset(stream);
    launch(stream);
    check_shared_tiles<<<static_cast<unsigned>(shape_.clusters) * shape_.blocks, fetching_threads, 0, stream>>>(
        sums_.as<std::uint32_t>(), task_, mismatches_.data());
    return {.mismatches = mismatches_.read(stream), .what = "threads' sums"};
  }

  double sample() override { return static_cast<double>(received_bytes) / measure::middle_cycles(cycles_); }

 private:
  MulticastExperiment(const Case& decided, const Workload& workload, measure::Session& session)
      : task_(tiles_of(decided, session.device())),
        multicast_(decided[axis::by_multicast]),
        shape_{workload.blocks / task_.blocks, task_.blocks, fetching_threads, workload.shared_bytes_per_block},
        source_(session.random_source(shared_array_bytes(session.device()) / sizeof(std::uint32_t))),
        sums_(workload.blocks * fetching_threads * sizeof(std::uint32_t)),
        cycles_(workload.blocks * sizeof(std::uint64_t)),
        mismatches_(session) {
    dispatch(compiled_fetch(multicast_),
             [&](auto by_multicast) { measure::ready_for_clusters(&fetch_shared_tiles<by_multicast()>, shape_); });
  }

  SharedTiles task_;
  bool multicast_;
  measure::ClusterShape shape_;
  const std::uint32_t* source_;
  measure::DeviceBuffer sums_;
  measure::DeviceBuffer cycles_;
  measure::MismatchCount mismatches_;
};

Probe multicast_probe() {
  Probe probe;
  probe.name = "multicast";
  probe.purpose = "a tile for all blocks of a cluster: one fetch, or one each";
  probe.family = Family::shared;
  probe.axes = {
      axis::cluster_blocks({.flag = "sharing-blocks",
                            .unit = "blocks",
                            .purpose = "blocks of a cluster, all of which need the same tiles",
                            .defaults = "2,4,8,16",
                            .quick = "2,8",
                            .numbers = {2, 4, 8, 16}}),
      axis::by_multicast({.flag = "multicast",
                          .purpose = "each block has the copy engine fetch the tile, or a share of it for all",
                          .value_optional = true}),
      axis::tile_bytes({.flag = "multicast-tile",
                        .unit = "bytes",
                        .purpose = "bytes of a tile; a block has up to four of them on their way",
                        .defaults = "16KiB",
                        .numbers = {2048, 4096, 8192, 16384, 32768}})};
  probe.compared = axis::by_multicast.name;
  probe.baseline = std::string("each");
  probe.headline = cluster_headline("bytes that arrive in a multiprocessor per cycle of its own clock");
  probe.metrics = {l2_reads()};
  probe.reported = {"l2_read_sectors"};
  probe.describe = describe_multicast;
  probe.prepare = prepared<MulticastExperiment>;
  probe.conclude = conclude_multicast;
  return probe;
}

GPUMEM_PROBE(multicast_probe);

}  // namespace

}  // namespace gpumem::shared
