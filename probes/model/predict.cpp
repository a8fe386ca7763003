#include "probes/model/predict.hpp"

#include <algorithm>
#include <utility>

namespace gpumem::model {

namespace {

using access::Op;
using access::Space;

/// The space a site's accesses are served from: on a device that shares the host's memory, mapped is device memory.
Space space_of(const access::Site& site, const Device& device) {
  return site.space == Space::host && device.integrated ? Space::global : site.space;
}

/// Whether the kernel's threads wait for data from beyond their multiprocessor.
bool waits_for_loads(const Workload& workload) {
  return std::ranges::any_of(
      workload.sites, [](const access::Site& site) { return site.space != Space::shared && site.op == Op::load; });
}

bool uses_link(const Workload& workload, const Device& device) {
  return std::ranges::any_of(workload.sites,
                             [&](const access::Site& site) { return space_of(site, device) == Space::host; });
}

/// Share of the sectors split between neighbouring warps' stores that L1 does not combine into one write to L2. It
/// combines them when they come close in time: the more stores a thread issues in a row the later its neighbour's turn
/// comes, and warps that wait for loads have drifted apart anyway. Shares counted on an H200 (docs/method.md): about
/// 0.2, 0.5 and 0.8 for 2, 4 and 8 stores in a row, 0.7 behind loads.
double uncombined_share(const Workload& workload, const access::Site& store) {
  if (waits_for_loads(workload)) return 0.7;
  const double in_a_row = store.instructions;
  return in_a_row * in_a_row / (in_a_row * in_a_row + 16);
}

void add_link_demand(Demand& demand, const Workload& workload, const access::Site& site,
                     const access::SiteSummary& summary) {
  const auto& [cost, footprint] = summary;
  if (site.op == Op::load) {
    demand.pcie_load_lines += footprint.lines;
    demand.pcie_load_sectors += footprint.sectors;
    return;
  }
  const auto requests = static_cast<double>(site.requests);
  const double touched = requests * cost.sectors_per_request;
  const double stores = touched * cost.efficiency * access::sector_bytes / site.word_bytes;
  const double incomplete = footprint.sectors == 0 ? 0 : footprint.partial_sectors / footprint.sectors;
  const double repeated = std::max(0.0, touched - footprint.sectors);
  demand.pcie_write_bytes += (footprint.sectors - footprint.partial_sectors) * access::sector_bytes;
  demand.pcie_partial_writes += stores * incomplete + repeated * uncombined_share(workload, site);
}

Demand demand_of(const Workload& workload, const std::vector<access::SiteSummary>& sites, const Device& device) {
  Demand demand;
  for (std::size_t i = 0; i < sites.size(); ++i) {
    const access::Site& site = workload.sites[i];
    const auto& [cost, footprint] = sites[i];
    const auto requests = static_cast<double>(site.requests);
    const Space space = space_of(site, device);
    if (space == Space::shared) {
      demand.shared_wavefronts += requests * cost.wavefronts_per_request;
      continue;
    }
    if (space == Space::host) {
      add_link_demand(demand, workload, site, sites[i]);
      continue;
    }
    demand.footprint_bytes += footprint.sectors * access::sector_bytes;
    if (site.op == Op::load) {
      // What neighbouring warps share comes from L1 the second time, so L2 sees the footprint, not the requests.
      demand.l2_load_sectors += footprint.sectors;
      demand.l2_load_lines += footprint.lines;
      demand.l2_load_line_pairs += footprint.line_pairs;
      demand.dram_read_bytes += footprint.atoms * access::dram_atom_bytes;
    } else {
      // L1 writes through. Sectors shared by requests are written again, unless L1 still holds the other's part.
      // A sector that the launch never completes has to be filled from DRAM.
      const double repeated = std::max(0.0, requests * cost.sectors_per_request - footprint.sectors);
      const double incomplete = footprint.sectors == 0 ? 0 : footprint.partial_sectors / footprint.sectors;
      demand.l2_store_sectors += footprint.sectors;
      demand.l2_split_sectors += repeated * uncombined_share(workload, site);
      demand.l2_store_lines += footprint.lines * (1 - incomplete);
      demand.l2_store_line_pairs += footprint.line_pairs * (1 - incomplete);
      demand.l2_fill_lines += footprint.lines * incomplete;
      demand.l2_fill_line_pairs += footprint.line_pairs * incomplete;
      demand.dram_read_bytes += footprint.partial_sectors * access::sector_bytes;
      demand.dram_write_bytes += footprint.sectors * access::sector_bytes;
    }
  }
  return demand;
}

/// Seconds for a mix of DRAM reads and writes. Turning the bus around costs most for equal shares, so the time per
/// byte is the line between the pure rates plus a parabola that meets the measured copy rate.
double dram_seconds(const Demand& demand, const Rates& rates) {
  const double bytes = demand.dram_read_bytes + demand.dram_write_bytes;
  if (bytes == 0) return 0;
  const double writes = demand.dram_write_bytes / bytes;
  const double pure = (1 - writes) / rates.dram_read_bytes_per_s + writes / rates.dram_write_bytes_per_s;
  const double at_half = 0.5 / rates.dram_read_bytes_per_s + 0.5 / rates.dram_write_bytes_per_s;
  const double turnaround = 1 / rates.dram_copy_bytes_per_s - at_half;
  return bytes * (pure + 4 * writes * (1 - writes) * turnaround) +
         demand.l2_split_sectors / rates.dram_split_sectors_per_s;
}

/// Seconds for a kernel's loads and stores over the link. The link carries both ways at once, but not for free: a share
/// of the shorter time adds to the longer, such that as many bytes each way meet the measured rate of copies.
double pcie_seconds(const Demand& demand, const Rates& rates) {
  const double reads =
      demand.pcie_load_lines / rates.pcie_load_lines_per_s + demand.pcie_load_sectors / rates.pcie_load_sectors_per_s;
  const double writes = demand.pcie_write_bytes / rates.pcie_write_bytes_per_s +
                        demand.pcie_partial_writes / rates.pcie_partial_writes_per_s;
  constexpr double sectors_per_line = access::line_bytes / double{access::sector_bytes};
  const double read_byte =
      (1 / rates.pcie_load_lines_per_s + sectors_per_line / rates.pcie_load_sectors_per_s) / access::line_bytes;
  const double write_byte = 1 / rates.pcie_write_bytes_per_s;
  const auto [shorter, longer] = std::minmax(read_byte, write_byte);
  const double share = std::clamp((2 / rates.pcie_copy_bytes_per_s - longer) / shorter, 0.0, 1.0);
  return std::max(reads, writes) + share * std::min(reads, writes);
}

/// Seconds if every resident thread waits for all of its loads before it goes on (Little's law).
double latency_seconds(const Workload& workload, const Profile& profile, double load_latency_s) {
  // Threads are resident in whole warps, and blocks up to a limit: 32 on most GPUs (CUDA C++ Programming Guide,
  // technical specifications per compute capability; 16 or 24 on some).
  constexpr unsigned most_blocks = 32;
  const unsigned warps = (workload.block_threads + access::warp_lanes - 1) / access::warp_lanes;
  const unsigned fitting = profile.device.threads_per_multiprocessor / (warps * access::warp_lanes);
  const double resident = static_cast<double>(std::clamp(fitting, 1U, most_blocks)) * profile.device.multiprocessors;
  return static_cast<double>(workload.blocks) / resident * load_latency_s;
}

/// What one launch takes of each stage, its fixed cost apart.
std::vector<StageTime> launch_stages(const Workload& workload, const Prediction& prediction, const Profile& profile) {
  const Rates& rates = profile.rates;
  const Demand& demand = prediction.demand;
  const bool over_link = uses_link(workload, profile.device);
  std::vector<StageTime> stages;
  const auto stage = [&](std::string_view name, double seconds) { stages.push_back({name, seconds}); };
  stage("launch", static_cast<double>(workload.blocks) / rates.block_launches_per_s);
  if (waits_for_loads(workload)) {
    stage("latency", latency_seconds(workload, profile, over_link ? rates.pcie_latency_s : rates.load_latency_s));
  }
  if (demand.footprint_bytes > 0) {
    stage("l2_sectors", demand.l2_load_sectors / rates.l2_load_sectors_per_s +
                            demand.l2_store_sectors / rates.l2_store_sectors_per_s +
                            demand.l2_split_sectors / rates.l2_split_sectors_per_s);
    if (!prediction.cache_resident) {
      stage("l2_lines", demand.l2_load_lines / rates.l2_load_lines_per_s +
                            demand.l2_load_line_pairs / rates.l2_load_line_pairs_per_s +
                            demand.l2_store_lines / rates.l2_store_lines_per_s +
                            demand.l2_store_line_pairs / rates.l2_store_line_pairs_per_s +
                            demand.l2_fill_lines / rates.l2_fill_lines_per_s +
                            demand.l2_fill_line_pairs / rates.l2_fill_line_pairs_per_s);
      stage("dram", dram_seconds(demand, rates));
    }
  }
  if (over_link) stage("pcie", pcie_seconds(demand, rates));
  if (demand.shared_wavefronts > 0) {
    stage("shared_wavefronts",
          demand.shared_wavefronts / (rates.shared_wavefronts_per_cycle * profile.device.multiprocessors *
                                      static_cast<double>(profile.device.sm_clock_hz)));
  }
  return stages;
}

/// Adds the stages of the operations to those of their launches, each of which counts as often as it is launched.
void play(Prediction& prediction, const Workload& workload, const Profile& profile) {
  double launches = 0;
  for (const Operation& operation : workload.operations) {
    if (operation.work == Operation::Work::launch) launches += static_cast<double>(operation.pieces);
  }
  if (launches == 0) prediction.stages.clear();
  for (StageTime& stage : prediction.stages) stage.seconds *= launches;
  Schedule played = schedule(workload, profile, prediction.seconds);
  for (const StageTime& stage : played.stages) {
    const auto same = std::ranges::find(prediction.stages, stage.stage, &StageTime::stage);
    if (same == prediction.stages.end()) {
      prediction.stages.push_back(stage);
    } else {
      same->seconds += stage.seconds;
    }
  }
  prediction.seconds = played.seconds;
  // What runs one after another needs no drawing, unless it is the sequence that work in several streams is held
  // against.
  const bool may_overlap = std::ranges::any_of(workload.operations, [&](const Operation& operation) {
    return operation.stream != workload.operations.front().stream || operation.work == Operation::Work::busy_kernel;
  });
  if (may_overlap) prediction.timeline = std::move(played.timeline);
}

}  // namespace

Prediction predict(const Workload& workload, const Profile& profile) {
  Prediction prediction;
  for (const access::Site& site : workload.sites) prediction.sites.push_back(access::summarise(site));
  prediction.demand = demand_of(workload, prediction.sites, profile.device);
  const double footprint_bytes = prediction.demand.footprint_bytes;
  const bool over_link = uses_link(workload, profile.device);
  prediction.cache_resident =
      footprint_bytes > 0 && footprint_bytes <= static_cast<double>(profile.device.l2_bytes) && !over_link;

  prediction.stages = launch_stages(workload, prediction, profile);
  prediction.seconds = std::ranges::max(prediction.stages, {}, &StageTime::seconds).seconds + profile.rates.launch_s +
                       (over_link ? profile.rates.pcie_latency_s : 0);
  if (!workload.operations.empty()) play(prediction, workload, profile);
  const StageTime slowest =
      prediction.stages.empty() ? StageTime{} : std::ranges::max(prediction.stages, {}, &StageTime::seconds);
  prediction.bottleneck = slowest.stage;
  prediction.bytes_per_s = static_cast<double>(workload.useful_bytes()) / prediction.seconds;
  return prediction;
}

}  // namespace gpumem::model
