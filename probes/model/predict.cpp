#include "probes/model/predict.hpp"

#include <algorithm>

namespace gpumem::model {

namespace {

using access::Op;
using access::Space;

/// Whether the kernel's threads wait for data from beyond their multiprocessor.
bool waits_for_loads(const Workload& workload) {
  return std::ranges::any_of(
      workload.sites, [](const access::Site& site) { return site.space == Space::global && site.op == Op::load; });
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

Demand demand_of(const Workload& workload, const std::vector<access::SiteSummary>& sites) {
  Demand demand;
  for (std::size_t i = 0; i < sites.size(); ++i) {
    const access::Site& site = workload.sites[i];
    const auto& [cost, footprint] = sites[i];
    const auto requests = static_cast<double>(site.requests);
    if (site.space == Space::shared) {
      demand.shared_wavefronts += requests * cost.wavefronts_per_request;
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

/// Seconds if every resident thread waits for all of its loads before it goes on (Little's law).
double latency_seconds(const Workload& workload, const Profile& profile) {
  // Threads are resident in whole warps, and blocks up to a limit: 32 on most GPUs (CUDA C++ Programming Guide,
  // technical specifications per compute capability; 16 or 24 on some).
  constexpr unsigned most_blocks = 32;
  const unsigned warps = (workload.block_threads + access::warp_lanes - 1) / access::warp_lanes;
  const unsigned fitting = profile.device.threads_per_multiprocessor / (warps * access::warp_lanes);
  const double resident = static_cast<double>(std::clamp(fitting, 1U, most_blocks)) * profile.device.multiprocessors;
  return static_cast<double>(workload.blocks) / resident * profile.rates.load_latency_s;
}

}  // namespace

Prediction predict(const Workload& workload, const Profile& profile) {
  const Rates& rates = profile.rates;
  Prediction prediction;
  for (const access::Site& site : workload.sites) prediction.sites.push_back(access::summarise(site));
  prediction.demand = demand_of(workload, prediction.sites);
  const Demand& demand = prediction.demand;
  prediction.cache_resident =
      demand.footprint_bytes > 0 && demand.footprint_bytes <= static_cast<double>(profile.device.l2_bytes);

  const auto stage = [&](std::string_view name, double seconds) { prediction.stages.push_back({name, seconds}); };
  stage("launch", static_cast<double>(workload.blocks) / rates.block_launches_per_s);
  if (demand.footprint_bytes > 0) {
    if (waits_for_loads(workload)) stage("latency", latency_seconds(workload, profile));
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
  if (demand.shared_wavefronts > 0) {
    stage("shared_wavefronts",
          demand.shared_wavefronts / (rates.shared_wavefronts_per_cycle * profile.device.multiprocessors *
                                      static_cast<double>(profile.device.sm_clock_hz)));
  }
  const StageTime slowest = std::ranges::max(prediction.stages, {}, &StageTime::seconds);
  prediction.bottleneck = slowest.stage;
  prediction.seconds = slowest.seconds + rates.launch_s;
  prediction.bytes_per_s = static_cast<double>(workload.useful_bytes()) / prediction.seconds;
  return prediction;
}

}  // namespace gpumem::model
