// Cluster: blocks of a cluster access the shared memory of another of its blocks. The bandwidth depends on the number
// of blocks in the cluster, on whether each asks another one or all ask the same, and on the number of sectors that the
// words lie in.

#include <string>
#include <utility>
#include <vector>

#include "engine/measure/clusters.cuh"
#include "engine/measure/timing.hpp"
#include "engine/model/subjects/cluster.hpp"
#include "probes/chase/cluster_chase.cuh"
#include "probes/experiment.hpp"
#include "probes/requests.hpp"
#include "probes/shared/cluster/cluster_case.hpp"
#include "probes/shared/cluster/cluster_kernels.cuh"

namespace gpumem::shared {

namespace {

constexpr std::uint64_t pulled_request_bytes = access::warp_lanes * access::bank_bytes;

auto compiled_pull(access::Op op) { return one_of<access::Op::load, access::Op::store, access::Op::atomic>(op); }

ClusterTraffic::Move move_of(access::Op op) {
  if (op == access::Op::load) return ClusterTraffic::Move::read;
  return op == access::Op::store ? ClusterTraffic::Move::write : ClusterTraffic::Move::atomic;
}

Workload describe_cluster(const Case& decided, const Device& device) {
  const ClusterPull pull = pull_of(decided);
  const access::Op op = decided[axis::pull_op];
  Workload workload;
  workload.kernel =
      dispatch(compiled_pull(op), [](auto its_op) { return measure::kernel_name<&pull_words<its_op()>>(); });
  workload.block_threads = block_threads;
  fill_with_clusters(workload, pull.blocks, static_cast<unsigned>(pull.extent() * access::bank_bytes), device);
  const std::uint64_t movers = workload.blocks / pull.blocks * pull.pullers;
  const std::uint64_t requests = std::uint64_t{warps} * pull.times();  // of a block that pulls
  workload.sites.push_back({.name = "remote",
                            .space = access::Space::cluster,
                            .op = op,
                            .word_bytes = access::bank_bytes,
                            .instructions = ClusterPull::turns,
                            .requests = movers * requests,
                            .request = {}});
  if (op != access::Op::load) {
    workload.sites.push_back({.name = "read back",
                              .space = access::Space::shared,
                              .op = access::Op::load,
                              .word_bytes = access::bank_bytes,
                              .requests = workload.blocks * warps,
                              .request = [pull](std::uint64_t) {
                                return warp_request(access::bank_bytes, [&](unsigned lane) {
                                  return std::uint64_t{pull.word_of(lane)} * access::bank_bytes;
                                });
                              }});
  }
  workload.subject = ClusterTraffic{.move = move_of(op),
                                    .movers = movers,
                                    .bytes = requests * pulled_request_bytes,
                                    .sectors = static_cast<double>(pull.sectors()),
                                    .sharers = pull.sharers()};
  if (op != access::Op::load && pull.stride > 1) {
    workload.unmodelled =
        "the model does not know how the network splits writes and atomics with gaps between their words";
  }
  (op == access::Op::load ? workload.useful_bytes_read : workload.useful_bytes_written) =
      movers * requests * pulled_request_bytes;
  workload.allocated_bytes = workload.blocks * block_threads * sizeof(std::uint32_t);
  return workload;
}

/// Cycles from one dependent access to the next, by the cluster's last block to shared memory of the first.
template <access::Op op>
double remote_latency_cycles(unsigned blocks, cudaStream_t stream) {
  using namespace chase;
  const auto kernel = &chase_cluster<unrolled, op>;
  const measure::ClusterShape shape{.blocks = blocks, .block_threads = access::warp_lanes};
  measure::ready_for_clusters(kernel, shape);
  constexpr std::uint64_t nodes = cluster_chase_bytes / access::line_bytes;
  const ChaseOrder order(nodes, nodes);
  const measure::DeviceBuffer left(sizeof(ChaseResult));
  measure::launch_clusters(kernel, shape, stream, order, timed_steps, blocks - 1, left.as<std::uint64_t>());
  ChaseResult result;
  measure::check(cudaMemcpyAsync(&result, left.data(), sizeof result, cudaMemcpyDefault, stream), "read the chase");
  measure::check(cudaStreamSynchronize(stream), "run the chase");
  if (result.place != order(std::uint64_t{rounds} * timed_steps % nodes) * access::line_bytes) {
    throw probe_error("a chase through the cluster ended at the wrong place");
  }
  return static_cast<double>(result.cycles) / timed_steps;
}

class ClusterExperiment final : public measure::Experiment {
 public:
  ClusterExperiment(const Case& decided, measure::Session& session)
      : ClusterExperiment(decided, describe_cluster(decided, session.device()), session) {}

  void launch(cudaStream_t stream) override {
    ++salt_;
    dispatch(compiled_pull(op_), [&](auto op) {
      measure::launch_clusters(&pull_words<op()>, shape_, stream, sums_.as<std::uint32_t>(),
                               cycles_.as<std::uint64_t>(), pull_, salt_);
    });
  }

  measure::Verification verify(cudaStream_t stream) override {
    measure::poison(sums_, stream);
    mismatches_.reset(stream);
    launch(stream);
    check_pulled_words<<<static_cast<unsigned>(shape_.clusters) * shape_.blocks, block_threads, 0, stream>>>(
        sums_.as<std::uint32_t>(), pull_, op_, salt_, mismatches_.data());
    return {.mismatches = mismatches_.read(stream), .what = "threads' words"};
  }

  /// Bytes per cycle of the block in the middle.
  double sample() override {
    const auto bytes = static_cast<double>(std::uint64_t{warps} * pull_.times() * pulled_request_bytes);
    return bytes / measure::middle_cycles(cycles_);
  }

  std::vector<std::pair<std::string, double>> metrics(cudaStream_t stream, measure::Seconds /*per_launch*/) override {
    if (op_ == access::Op::store) return {};  // nobody waits for one
    const double cycles = op_ == access::Op::load ? remote_latency_cycles<access::Op::load>(pull_.blocks, stream)
                                                  : remote_latency_cycles<access::Op::atomic>(pull_.blocks, stream);
    return {{"idle_latency_cycles", cycles}};
  }

 private:
  ClusterExperiment(const Case& decided, const Workload& workload, measure::Session& session)
      : pull_(pull_of(decided)),
        op_(decided[axis::pull_op]),
        shape_{workload.blocks / pull_.blocks, pull_.blocks, block_threads, workload.shared_bytes_per_block},
        sums_(workload.blocks * block_threads * sizeof(std::uint32_t)),
        cycles_(workload.about<ClusterTraffic>()->movers * sizeof(std::uint64_t)),
        mismatches_(session) {
    dispatch(compiled_pull(op_), [&](auto op) { measure::ready_for_clusters(&pull_words<op()>, shape_); });
  }

  ClusterPull pull_;
  access::Op op_;
  measure::ClusterShape shape_;
  measure::DeviceBuffer sums_;
  measure::DeviceBuffer cycles_;
  measure::MismatchCount mismatches_;
  std::uint32_t salt_ = 0;
};

std::optional<double> own_banks_peak(const Workload& /*workload*/, const Device& /*device*/) {
  return access::bank_count * access::bank_bytes;
}

Probe cluster_probe() {
  Probe probe;
  probe.name = "cluster";
  probe.purpose = "another block's shared memory: how fast, how far away";
  probe.family = Family::shared;
  probe.axes = {axis::cluster_blocks({.flag = "cluster",
                                      .unit = "blocks",
                                      .purpose = "blocks of a cluster, each on a multiprocessor of its own",
                                      .defaults = "2,4,8,16",
                                      .quick = "2,8",
                                      .numbers = {2, 4, 8, 16}}),
                axis::pull_from({.flag = "pull",
                                 .purpose = "each block asks the next in a ring, or all ask the first",
                                 .value_optional = true}),
                axis::pull_op({.flag = "op",
                               .purpose = "read words of the other block, write them, or add to them by atomics",
                               .defaults = "read"}),
                axis::pulling_blocks({.flag = "pullers",
                                      .unit = "blocks",
                                      .purpose = "blocks of the cluster that ask at once; 0: all that can",
                                      .defaults = "0",
                                      .maximum = 16,
                                      .zero_follows = true}),
                axis::remote_stride_words(
                    {.flag = "remote-stride",
                     .unit = "words",
                     .purpose = "distance between the words of neighbouring lanes: the network carries whole sectors",
                     .defaults = "1",
                     .minimum = 1,
                     .maximum = 64})};
  probe.compared = axis::pull_from.name;
  probe.baseline = std::string("ring");
  probe.headline =
      cluster_headline("bytes that a block moves per cycle of its multiprocessor's own clock", own_banks_peak);
  probe.metrics = {
      {.quantity = {"idle_latency_cycles",
                    "cycles from one dependent read or atomic in the cluster's last block to the next", Better::less},
       .predict = [](const Workload& workload, const model::Prediction&,
                     const model::Profile& profile) -> std::optional<double> {
         const auto* traffic = workload.about<ClusterTraffic>();
         if (!traffic || traffic->move != ClusterTraffic::Move::read) return std::nullopt;
         return profile.rates.latency.cluster_cycles;
       },
       .essential = true}};
  probe.describe = describe_cluster;
  probe.validate = validate_pull;
  probe.prepare = prepared<ClusterExperiment>;
  probe.conclude = conclude_cluster;
  return probe;
}

GPUMEM_PROBE(cluster_probe);

}  // namespace

}  // namespace gpumem::shared
