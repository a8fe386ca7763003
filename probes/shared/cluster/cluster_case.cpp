#include "probes/shared/cluster/cluster_case.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "engine/base/error.hpp"
#include "engine/machine/compute_capability.hpp"
#include "engine/model/occupancy.hpp"
#include "engine/model/predict.hpp"
#include "engine/model/subjects/cluster.hpp"

namespace gpumem::shared {

namespace {

/// Seconds of the slower of the stages that run while a block moves its bytes: the network of the cluster, and L2,
/// which a multicast's bytes come from.
double moving_seconds(const model::Prediction& prediction) {
  double seconds = 0;
  for (const model::StageTime& stage : prediction.stages) {
    if (stage.stage == "cluster" || stage.stage == "l2_sectors") seconds = std::max(seconds, stage.seconds);
  }
  return seconds;
}

}  // namespace

ClusterPull pull_of(const Case& decided) {
  constexpr std::uint64_t cycles_per_launch = 1U << 19U;
  constexpr std::uint64_t cycles_per_request = 8;  // a guess
  ClusterPull pull{.from = decided[axis::pull_from],
                   .blocks = decided[axis::cluster_blocks],
                   .stride = decided[axis::remote_stride_words]};
  const std::uint32_t asked = decided[axis::pulling_blocks];
  pull.pullers = asked == 0 ? pull.most_pullers() : asked;
  const std::uint64_t wavefronts = std::max<std::uint64_t>(pull.wavefronts(), 4) / 4;
  const std::uint64_t cycles =
      cycles_per_request * wavefronts * pull.sharers() * ClusterPull::warps_of_block * ClusterPull::turns;
  pull.iterations = static_cast<std::uint32_t>(std::max<std::uint64_t>(cycles_per_launch / cycles, 1));
  return pull;
}

void validate_pull(const Case& chosen) {
  const ClusterPull pull = pull_of(chosen);
  if (pull.pullers <= pull.most_pullers()) return;
  const std::string who = pull.from == PullFrom::ring ? " of a ring" : " that can pull from the first";
  throw usage_error("--pullers " + std::to_string(pull.pullers) + ": a cluster of " + std::to_string(pull.blocks) +
                    " blocks has " + std::to_string(pull.most_pullers()) + who + "; pass fewer, or a larger --cluster");
}

void fill_with_clusters(Workload& workload, unsigned cluster_blocks, unsigned least_shared_bytes,
                        const Device& device) {
  require_clusters(device);
  const std::uint64_t clusters = model::clusters_at_once(cluster_blocks, 1, device);
  if (clusters == 0) {
    throw missing_capability_error("clusters of " + std::to_string(cluster_blocks) +
                                   " blocks, one to a multiprocessor, do not fit into a GPC of this GPU");
  }
  workload.cluster_blocks = cluster_blocks;
  workload.blocks = clusters * cluster_blocks;
  // So much shared memory leaves no room for a second block on the multiprocessor.
  constexpr std::uint64_t more = 1024;
  constexpr std::uint64_t unit = 128;
  const std::uint64_t half = (device.shared_bytes_per_block / 2 + more) / unit * unit;
  workload.shared_bytes_per_block = std::max(static_cast<unsigned>(half), least_shared_bytes);
}

Headline cluster_headline(std::string purpose,
                          std::function<std::optional<double>(const Workload&, const Device&)> peak) {
  return {.quantity = {"bytes_per_cycle", std::move(purpose), Better::more},
          .predict = [](const Workload& workload, const model::Prediction& prediction,
                        const model::Profile& profile) -> std::optional<double> {
            const double cycles = moving_seconds(prediction) * static_cast<double>(profile.device.sm_clock_hz);
            if (!(cycles > 0)) return std::nullopt;
            const auto* traffic = workload.about<ClusterTraffic>();
            const std::uint64_t blocks = traffic ? traffic->movers : workload.blocks;
            return static_cast<double>(workload.useful_bytes()) / static_cast<double>(blocks) / cycles;
          },
          .peak = std::move(peak)};
}

Metric l2_reads() {
  return {.quantity = {"l2_bytes_per_useful_byte", "bytes read from L2 for each byte that arrives in a block",
                       Better::less},
          .predict = [](const Workload& workload, const model::Prediction& prediction,
                        const model::Profile&) -> std::optional<double> {
            return prediction.demand.l2.load_sectors * access::sector_bytes /
                   static_cast<double>(workload.useful_bytes());
          },
          .essential = true};
}

}  // namespace gpumem::shared
