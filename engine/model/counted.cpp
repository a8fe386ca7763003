#include "engine/model/counted.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include "engine/model/stages.hpp"
#include "engine/model/subjects/peer.hpp"

namespace gpumem::model {

namespace {

/// counted / predicted, where there is something to compare.
double ratio(double counted, double predicted) { return predicted > 0 ? counted / predicted : 1; }

/// Returns L2's count less the part that lies in host memory.
std::optional<double> of_device(std::optional<double> all, std::optional<double> host) {
  if (!all) return std::nullopt;
  return std::max(0.0, *all - host.value_or(0));
}

/// The demand of a workload, with the stages whose every count is there.
class Counted {
 public:
  Counted(const measure::Counts& counts, const Workload& workload, const Profile& profile)
      : counts_(counts),
        demand_(demand_of(workload, summarise(workload), profile)),
        sites_unknown_(workload.sites.empty()) {
    count_l2();
    count_dram();
    count_link();
    count_shared();
    if (sites_unknown_) {
      demand_.footprint_bytes = (demand_.l2.load_sectors + demand_.l2.store_sectors) * access::sector_bytes;
    }
  }

  [[nodiscard]] const Demand& demand() const { return demand_; }
  [[nodiscard]] bool has(std::string_view stage) const {
    if (stage == "l2_sectors") return l2_;
    if (sites_unknown_ && stage == "l2_lines") return false;
    if (stage == "l2_lines" || stage == "dram") return l2_ && dram_;
    if (stage == "pcie") return link_;
    if (stage == "shared_wavefronts") return shared_;
    return true;  // launch and latency, which nothing counts
  }

 private:
  void count_l2() {
    const auto read = of_device(counts_.l2_read_sectors, counts_.host_read_sectors);
    const auto written = of_device(counts_.l2_write_sectors, counts_.host_write_sectors);
    l2_ = read && written;
    if (!l2_) return;
    demand_.l2.load_sectors = *read;
    if (sites_unknown_) {
      demand_.l2.store_sectors = *written;
      return;
    }
    // Sectors beyond those that the stores touch arrive again.
    demand_.l2.split_sectors = std::max(0.0, *written - demand_.l2.store_sectors);
    demand_.l2.store_sectors = std::min(*written, demand_.l2.store_sectors);
  }

  void count_dram() {
    dram_ = counts_.dram_read_bytes && counts_.dram_write_bytes;
    if (!dram_) return;
    // No counter tells lines; as many as were predicted, in proportion to what DRAM moved for them.
    const double read = ratio(*counts_.dram_read_bytes, demand_.dram.read_bytes);
    const double written = ratio(*counts_.dram_write_bytes, demand_.dram.write_bytes);
    for (double* fetched :
         {&demand_.l2.load_lines, &demand_.l2.load_line_pairs, &demand_.l2.fill_lines, &demand_.l2.fill_line_pairs}) {
      *fetched *= read;
    }
    demand_.l2.store_lines *= written;
    demand_.l2.store_line_pairs *= written;
    demand_.dram.read_bytes = *counts_.dram_read_bytes;
    demand_.dram.write_bytes = *counts_.dram_write_bytes;
  }

  void count_link() {
    link_ = counts_.host_read_sectors && counts_.host_write_sectors;
    if (!link_) return;
    // Lines, atoms and single stores are not counted either.
    const double read = ratio(*counts_.host_read_sectors, demand_.link.load_sectors);
    const double written = ratio(*counts_.host_write_sectors, demand_.link.store_sectors);
    for (double* loaded : {&demand_.link.load_lines, &demand_.link.load_atoms, &demand_.link.load_sectors,
                           &demand_.link.load_split_lines}) {
      *loaded *= read;
    }
    for (double* stored : {&demand_.link.store_sectors, &demand_.link.write_bytes, &demand_.link.split_writes,
                           &demand_.link.partial_writes, &demand_.link.lone_writes, &demand_.link.lone_idle_writes}) {
      *stored *= written;
    }
  }

  void count_shared() {
    shared_ = counts_.shared_load_wavefronts && counts_.shared_store_wavefronts;
    if (!shared_) return;
    demand_.shared_wavefronts =
        *counts_.shared_load_wavefronts + *counts_.shared_store_wavefronts + counts_.shared_copy_wavefronts.value_or(0);
  }

  const measure::Counts& counts_;
  Demand demand_;
  bool sites_unknown_;  ///< of a launch that is none of ours
  bool l2_ = false;
  bool dram_ = false;
  bool link_ = false;
  bool shared_ = false;
};

/// Returns the stage of bytes between GPUs: those that the NVLinks carried in the direction of the data. Empty without
/// NVLinks or their counts.
std::vector<StageTime> counted_peer_stages(const measure::Counts& counts, const PeerTraffic& traffic,
                                           const Profile& profile) {
  const bool reads = traffic.mover == PeerTraffic::Mover::kernel_read;
  const auto bytes = reads ? counts.nvlink_received_bytes : counts.nvlink_sent_bytes;
  if (!bytes || traffic.link.nvlinks == 0) return {};
  return {{"nvlink", *bytes / peer_bytes_per_s(traffic, profile)}};
}

}  // namespace

std::vector<StageTime> counted_stages(const measure::Counts& counts, const Workload& workload, const Profile& profile) {
  if (const auto* peer = workload.about<PeerTraffic>()) return counted_peer_stages(counts, *peer, profile);
  const Counted counted(counts, workload, profile);
  // DRAM's counters tell if DRAM matters, so it is not left out even if the data could fit in L2.
  std::vector<StageTime> stages = launch_stages(counted.demand(), workload, profile, false);
  std::erase_if(stages, [&](const StageTime& stage) { return !counted.has(stage.stage); });
  return stages;
}

}  // namespace gpumem::model
