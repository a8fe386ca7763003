#include "probes/model/stages.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "probes/arithmetic.hpp"
#include "probes/model/occupancy.hpp"

namespace gpumem::model {

namespace {

/// Seconds for the lines touched in L2. The turns of a block lie a block's width apart: the more there are, the more
/// rows of DRAM are open at once, and the less of each is had at a time.
double line_seconds(const Demand& demand, const Rates& rates) {
  const double fetched =
      demand.l2_load_lines / rates.l2_load_lines_per_s + demand.l2_load_line_pairs / rates.l2_load_line_pairs_per_s +
      demand.l2_fill_lines / rates.l2_fill_lines_per_s + demand.l2_fill_line_pairs / rates.l2_fill_line_pairs_per_s;
  const double written =
      demand.l2_store_lines / rates.l2_store_lines_per_s + demand.l2_store_line_pairs / rates.l2_store_line_pairs_per_s;
  return fetched * (1 + rates.line_spread_share * (1 - 1 / demand.turns)) + written;
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
  // A copy rate far above the pure ones would make the parabola negative. No mix is faster than both at once.
  const double least = std::max((1 - writes) / rates.dram_read_bytes_per_s, writes / rates.dram_write_bytes_per_s);
  return bytes * std::max(pure + 4 * writes * (1 - writes) * turnaround, least) +
         demand.l2_split_sectors / rates.dram_split_sectors_per_s;
}

/// Share of the shorter of loads and stores of whole lines that adds to the longer, such that as many bytes each way
/// meet the measured rate of copies.
double both_ways_share(const Rates& rates) {
  constexpr double atoms_per_line = access::line_bytes / double{access::dram_atom_bytes};
  constexpr double sectors_per_line = access::line_bytes / double{access::sector_bytes};
  const double read_byte = (1 / rates.pcie_load_lines_per_s + atoms_per_line / rates.pcie_load_atoms_per_s +
                            sectors_per_line / rates.pcie_load_sectors_per_s) /
                           access::line_bytes;
  const double write_byte = 1 / rates.pcie_write_bytes_per_s;
  const auto [shorter, longer] = std::minmax(read_byte, write_byte);
  return std::clamp((2 / rates.pcie_copy_bytes_per_s - longer) / shorter, 0.0, 1.0);
}

/// Seconds for a kernel's loads and stores over the link. Loads cost per line, atom and sector, and again for lines
/// that two requests ask for. Whole sectors are stored by the byte, others one by one: those that share an atom of the
/// host's memory wait for each other, a lone one has the host read and write an atom, the slower the fewer channels
/// those atoms lie in. The link carries both ways at once, but not for free: of the shorter time a share adds to the
/// longer. Stores that wait for each other leave the link to the loads.
double pcie_seconds(const Demand& demand, const Rates& rates) {
  const double reads = demand.pcie_load_lines / rates.pcie_load_lines_per_s +
                       demand.pcie_load_atoms / rates.pcie_load_atoms_per_s +
                       demand.pcie_load_sectors / rates.pcie_load_sectors_per_s +
                       demand.pcie_load_split_lines / rates.pcie_load_split_lines_per_s;
  const double whole =
      demand.pcie_write_bytes / rates.pcie_write_bytes_per_s + demand.pcie_split_writes / rates.pcie_split_writes_per_s;
  const double waiting = demand.pcie_partial_writes / rates.pcie_partial_writes_per_s;
  const double lone = demand.pcie_lone_writes / rates.pcie_lone_writes_per_s +
                      demand.pcie_lone_idle_writes / rates.pcie_lone_idle_writes_per_s;
  return std::max(reads, whole + waiting + lone) + both_ways_share(rates) * std::min(reads, whole) +
         rates.pcie_lone_copy_share * std::min(reads, lone);
}

/// Seconds if every resident block waits for all of its accesses before the next takes its place (Little's law). A
/// place stays empty until the block's last warp ends, the longer the fewer blocks there are to fill in.
double latency_seconds(const Workload& workload, const Demand& demand, const Profile& profile) {
  const Rates& rates = profile.rates;
  const double resident = occupancy_of(workload, profile.device).blocks;
  const double turnovers = static_cast<double>(workload.blocks) / (resident * profile.device.multiprocessors);
  if (demand.over_link) return turnovers * rates.pcie_latency_s;
  const double once = (demand.loads ? rates.load_latency_s : 0) + (demand.stores ? rates.store_latency_s : 0);
  const double turns = demand.loads ? (demand.turns - 1) * rates.load_turn_s : 0;
  if (workload.waits > 1) {  // of few threads memory is not under load: its latency is that of a chase
    const double cycles = workload.waits * rates.memory_latency_cycles;
    return turnovers * (cycles / static_cast<double>(profile.device.sm_clock_hz) + turns);
  }
  return turnovers * (once * (1 + rates.block_drain_share / resident) + turns);
}

}  // namespace

bool fits_in_l2(const Demand& demand, const Device& device) {
  return demand.footprint_bytes > 0 && demand.footprint_bytes <= static_cast<double>(device.l2_bytes) &&
         !demand.over_link;
}

std::vector<StageTime> launch_stages(const Demand& demand, const Workload& workload, const Profile& profile,
                                     bool cached) {
  const Rates& rates = profile.rates;
  // Of all multiprocessors together.
  const double cycles_per_s = static_cast<double>(profile.device.sm_clock_hz) * profile.device.multiprocessors;
  std::vector<StageTime> stages;
  const auto stage = [&](std::string_view name, double seconds) { stages.push_back({name, seconds}); };
  stage("launch", static_cast<double>(workload.blocks) / rates.block_launches_per_s);
  // Stores over the link are not waited for: what is on its way does not hold a block's place.
  if (demand.loads || (demand.stores && !demand.over_link)) {
    stage("latency", latency_seconds(workload, demand, profile));
  }
  if (demand.l1_load_lines > 0) {
    stage("l1_lines", demand.l1_load_lines / (rates.l1_lines_per_cycle * cycles_per_s));
  }
  if (demand.footprint_bytes > 0) {
    stage("l2_sectors", demand.l2_load_sectors / rates.l2_load_sectors_per_s +
                            demand.l2_store_sectors / rates.l2_store_sectors_per_s +
                            demand.l2_split_sectors / rates.l2_split_sectors_per_s);
    if (!cached) {
      stage("l2_lines", line_seconds(demand, rates));
      stage("dram", dram_seconds(demand, rates));
    }
  }
  if (demand.over_link) stage("pcie", pcie_seconds(demand, rates));
  if (demand.shared_wavefronts > 0) {
    stage("shared_wavefronts", demand.shared_wavefronts / (rates.shared_wavefronts_per_cycle * cycles_per_s));
  }
  if (const auto flops_per_s = peak_flops_per_s(profile.device, workload.double_precision);
      workload.useful_flops && flops_per_s) {
    stage(workload.double_precision ? "fp64" : "fp32", static_cast<double>(*workload.useful_flops) / *flops_per_s);
  }
  return stages;
}

double launch_seconds(const std::vector<StageTime>& stages, const Demand& demand, const Rates& rates) {
  double launch = 0;
  double latency = 0;
  double work = 0;
  for (const StageTime& stage : stages) {
    double& part = stage.stage == "launch" ? launch : stage.stage == "latency" ? latency : work;
    part = std::max(part, stage.seconds);
  }
  // Written so that the longer one stands alone when the other is nothing, and nothing overflows.
  const auto [shorter, longer] = std::minmax(latency, work);
  const double exponent = rates.overlap_exponent;
  const double overlapped = longer == 0 ? 0 : longer * std::pow(1 + std::pow(shorter / longer, exponent), 1 / exponent);
  return std::max(launch, overlapped) + rates.launch_s + (demand.over_link ? rates.pcie_latency_s : 0);
}

}  // namespace gpumem::model
