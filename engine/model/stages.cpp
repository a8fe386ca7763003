#include "engine/model/stages.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <variant>

#include "engine/base/thresholds.hpp"
#include "engine/model/arithmetic.hpp"
#include "engine/model/waiting.hpp"

namespace gpumem::model {

namespace {

/// Seconds for lines that L2 does not have as they are needed. The turns of a block lie a block's width apart: the more
/// there are, the more rows of DRAM are open at once, and the less of each is had at a time.
struct LineSeconds {
  double loaded;
  double filled;  ///< lines with sectors that had to be fetched because stores left them incomplete
  double stored;
  double mixed;  ///< added for filled lines whose other sectors were complete

  LineSeconds(const Demand& demand, const Rates& rates) {
    const double spread = 1 + rates.l2.line_spread_share * (1 - 1 / demand.turns);
    loaded = spread * (demand.l2.load_lines / rates.l2.load_lines_per_s +
                       demand.l2.load_line_pairs / rates.l2.load_line_pairs_per_s);
    filled = spread * (demand.l2.fill_lines / rates.l2.fill_lines_per_s +
                       demand.l2.fill_line_pairs / rates.l2.fill_line_pairs_per_s);
    stored = demand.l2.store_lines / rates.l2.store_lines_per_s +
             demand.l2.store_line_pairs / rates.l2.store_line_pairs_per_s;
    // Memory reads a sector of the line between its writes: dearer than a line of fills alone, less so where it reads
    // anyway (docs/patterns.md).
    const double sectors = demand.l2.load_sectors + demand.l2.store_sectors;
    const double loads = sectors > 0 ? demand.l2.load_sectors / sectors : 0;
    mixed =
        rates.l2.mixed_factor * (1 - loads) *
        (demand.l2.mixed_lines / rates.l2.fill_lines_per_s + demand.l2.mixed_groups / rates.l2.fill_line_pairs_per_s);
  }

  [[nodiscard]] double sum() const { return loaded + filled + stored + mixed; }
};

/// Returns the seconds of two things that hide each other except for a share of the shorter.
double exposed(double one, double other, double share) { return std::max(one, other) + share * std::min(one, other); }

/// The lines of a launch that is simulated: stores wait for a part of what fills cost.
LineSeconds simulated_lines(const Demand& demand, const Rates& rates) {
  LineSeconds lines(demand, rates);
  lines.filled *= rates.l2.filled_share;
  return lines;
}

/// Seconds for a mix of DRAM reads and writes. Turning the bus around costs most for equal shares, so the time per
/// byte is the line between the pure rates plus a parabola that meets the measured copy rate.
double dram_seconds(const Demand& demand, const Rates& rates) {
  const double bytes = demand.dram.read_bytes + demand.dram.write_bytes;
  if (bytes == 0) return 0;
  const double writes = demand.dram.write_bytes / bytes;
  const double pure = (1 - writes) / rates.dram.read_bytes_per_s + writes / rates.dram.write_bytes_per_s;
  const double at_half = 0.5 / rates.dram.read_bytes_per_s + 0.5 / rates.dram.write_bytes_per_s;
  const double turnaround = 1 / rates.dram.copy_bytes_per_s - at_half;
  // A copy rate far above the pure ones would make the parabola negative. No mix is faster than both at once.
  const double least = std::max((1 - writes) / rates.dram.read_bytes_per_s, writes / rates.dram.write_bytes_per_s);
  return bytes * std::max(pure + 4 * writes * (1 - writes) * turnaround, least) +
         (demand.simulated ? 0 : demand.l2.split_sectors / rates.dram.split_sectors_per_s);
}

/// The share of the shorter time, of loads and of stores of whole lines, that adds to the longer time. With it, equally
/// many bytes each way take as long as the measured rate of copies says.
double both_ways_share(const Rates& rates) {
  constexpr double atoms_per_line = access::line_bytes / double{access::dram_atom_bytes};
  constexpr double sectors_per_line = access::line_bytes / double{access::sector_bytes};
  const double read_byte = (1 / rates.link.load_lines_per_s + atoms_per_line / rates.link.load_atoms_per_s +
                            sectors_per_line / rates.link.load_sectors_per_s) /
                           access::line_bytes;
  const double write_byte = 1 / rates.link.write_bytes_per_s;
  const auto [shorter, longer] = std::minmax(read_byte, write_byte);
  return std::clamp((2 / rates.link.copy_bytes_per_s - longer) / shorter, 0.0, 1.0);
}

/// Seconds for a kernel's loads and stores over the link. Loads cost per line, atom and sector, and again for lines
/// that two requests ask for. Whole sectors are stored by the byte, other stores one by one: those that share an atom
/// of the host's memory wait for each other. A lone store makes the host read and write an atom, which takes longer the
/// fewer channels those atoms lie in. The link carries both ways at once, but not for free: a share of the shorter time
/// adds to the longer. Stores that wait for each other leave the link to the loads.
double pcie_seconds(const Demand& demand, const Rates& rates) {
  const double reads = demand.link.load_lines / rates.link.load_lines_per_s +
                       demand.link.load_atoms / rates.link.load_atoms_per_s +
                       demand.link.load_sectors / rates.link.load_sectors_per_s +
                       demand.link.load_split_lines / rates.link.load_split_lines_per_s;
  const double whole =
      demand.link.write_bytes / rates.link.write_bytes_per_s + demand.link.split_writes / rates.link.split_writes_per_s;
  const double waiting = demand.link.partial_writes / rates.link.partial_writes_per_s;
  const double lone = demand.link.lone_writes / rates.link.lone_writes_per_s +
                      demand.link.lone_idle_writes / rates.link.lone_idle_writes_per_s;
  return std::max(reads, whole + waiting + lone) + both_ways_share(rates) * std::min(reads, whole) +
         rates.link.lone_copy_share * std::min(reads, lone);
}

/// The blocks of the multiprocessor that has the most of them, as a multiple of the mean.
double unevenness(const Workload& workload, const Device& device) {
  const auto blocks = static_cast<double>(std::max(workload.blocks, std::uint64_t{1}));
  return std::ceil(blocks / device.multiprocessors) * device.multiprocessors / blocks;
}

/// Seconds of two things that can hide behind each other: (a^p + b^p)^(1/p). Written so that the longer one stands
/// alone if the other is 0, and nothing overflows.
double overlapped(double a, double b, double exponent) {
  const auto [shorter, longer] = std::minmax(a, b);
  return longer == 0 ? 0 : longer * std::pow(1 + std::pow(shorter / longer, exponent), 1 / exponent);
}

/// Seconds of L2 and memory for a launch that was simulated. `others` is the longest of their other stages, which run
/// at the same time. Loads wait for L2's answers and for lines that it fetches, which hide each other in part. Stores
/// that find their line in L2 come and go before those that do not, so their times add up. Loads and stores hide little
/// of each other (docs/patterns.md).
double simulated_seconds(const Demand& demand, const Rates& rates, double others, bool cached) {
  const LineSeconds lines = simulated_lines(cached ? Demand{} : demand, rates);
  const double loads =
      overlapped(demand.l2.read_requests / rates.l2.read_requests_per_s, lines.loaded, rates.l2.loads_exponent);
  const double stores = demand.l2.write_requests / rates.l2.write_requests_per_s + lines.filled;
  const double both = exposed(loads, stores, rates.l2.exposed_share);
  const double least = lines.loaded + lines.filled + lines.stored;
  const double collisions = demand.l2.store_collisions / rates.l2.store_collisions_per_s;
  // Stores that wait for few busy lines keep the others of their warps waiting.
  const double exponent = 1 + (rates.overlap.exponent - 1) / std::max(1.0, demand.l2.collision_unevenness);
  return overlapped(std::max({both, least, others}) + lines.mixed, collisions, exponent);
}

/// Cycles of L1 for loads and stores. Loads pass a line at a time, or as long as their bytes take if that is longer:
/// chips without many lanes for doubles have paths of 64 bytes a cycle, and look up as many lines as the others.
double l1_cycles(const Demand& demand, const Rates& rates) {
  return std::max(demand.l1.load_lines / rates.l1.lines_per_cycle, demand.l1.load_bytes / rates.l1.bytes_per_cycle) +
         demand.l1.store_lines / rates.l1.lines_per_cycle;
}

/// Seconds in which sectors go between L1 and L2. Loads and stores go opposite ways at the same time, except for a
/// share (docs/method/caches.md).
double sector_seconds(const Demand& demand, const Rates& rates) {
  const double split_per_s = demand.simulated ? rates.l2.store_sectors_per_s : rates.l2.split_sectors_per_s;
  const double loads = demand.l2.load_sectors / rates.l2.load_sectors_per_s;
  const double stores = demand.l2.store_sectors / rates.l2.store_sectors_per_s + demand.l2.split_sectors / split_per_s;
  // Blocks that pass data through shared memory load together and then store together.
  return exposed(loads, stores, demand.shared_wavefronts > 0 ? 1 : rates.l2.crossing_share);
}

}  // namespace

bool is_arithmetic(std::string_view stage) {
  static constexpr std::string_view stages[] = {"instructions", "fma",     "fp32",   "fp64",
                                                "integer",      "special", "tensor", "barrier_turns"};
  return std::ranges::find(stages, stage) != std::end(stages);
}

std::vector<StageTime> launch_stages(const Demand& demand, const Workload& workload, const Profile& profile,
                                     bool cached) {
  const Rates& rates = profile.rates;
  // All multiprocessors together.
  const double cycles_per_s = static_cast<double>(profile.device.sm_clock_hz) * profile.device.multiprocessors;
  const double uneven = unevenness(workload, profile.device);
  std::vector<StageTime> stages;
  const auto stage = [&](std::string_view name, double seconds) { stages.push_back({name, seconds}); };
  stage("launch", static_cast<double>(workload.blocks) / rates.launch.blocks_per_s);
  const double dram_s = cached || demand.footprint_bytes == 0 ? 0 : dram_seconds(demand, rates);
  // Stores over the link are not waited for: what is on its way does not hold a block's place.
  const bool waits = demand.loads || (demand.stores && !demand.over_link) || workload.chains;
  if (waits || workload.in_step) {
    const Waiting waiting = waiting_of(workload, demand, profile, dram_s, cached);
    const bool is_uneven = waiting.uneven_s > (1 + uneven_work) * waiting.even_s;
    if (waits) stage("latency", is_uneven ? waiting.even_s : waiting.uneven_s);
    if (is_uneven) stage("uneven_work", waiting.uneven_s);
    if (workload.in_step) stage("barriers", waiting.barriers_s);
  }
  // Loads and stores through L1 take turns with shared memory, which lies in the same banks.
  if (demand.l1.load_lines > 0 || demand.simulated) {
    stage("l1_lines", uneven * l1_cycles(demand, rates) / cycles_per_s);
  }
  if (demand.footprint_bytes > 0) {
    stage("l2_sectors", sector_seconds(demand, rates));
    if (demand.simulated) {
      stage("l2_requests", exposed(demand.l2.read_requests / rates.l2.read_requests_per_s,
                                   demand.l2.write_requests / rates.l2.write_requests_per_s, rates.l2.exposed_share));
      const double collisions_s = demand.l2.store_collisions / rates.l2.store_collisions_per_s;
      if (demand.l2.store_collisions > 0) stage("rewrites", std::max(collisions_s, demand.l2.contended_s));
    }
    if (!cached) {
      stage("l2_lines", (demand.simulated ? simulated_lines(demand, rates) : LineSeconds(demand, rates)).sum());
      stage("dram", dram_s);
    }
  }
  if (demand.atomic_turns > 0) {
    stage("atomics", demand.atomic_turns * rates.atomics.turn_cycles / static_cast<double>(profile.device.sm_clock_hz));
  }
  if (demand.over_link) stage("pcie", pcie_seconds(demand, rates));
  if (demand.shared_wavefronts > 0) {
    const double cycles = workload.cycles_per_wavefront
                              ? demand.shared_wavefronts * *workload.cycles_per_wavefront
                              : demand.shared_wavefronts + demand.l1.load_lines + demand.l1.store_lines;
    stage("shared_wavefronts", uneven * cycles / (rates.shared.wavefronts_per_cycle * cycles_per_s));
  }
  const auto of_subject = [&](const auto& subject) {
    if constexpr (requires { stage_of(subject, profile); }) stages.push_back(stage_of(subject, profile));
  };
  std::visit(of_subject, workload.subject);
  if (workload.address_cycles)
    stage("addresses", uneven * workload.address_cycles(rates) / (schedulers * cycles_per_s));
  if (workload.barrier_cycles > 0)
    stage("barrier_turns", uneven * workload.barrier_cycles / (schedulers * cycles_per_s));
  const double issued_s = uneven * workload.scheduler_cycles.value_or(0) / (schedulers * cycles_per_s);
  const auto flops_per_s = peak_flops_per_s(profile.device, workload.double_precision);
  const double computed_s =
      flops_per_s ? uneven * static_cast<double>(workload.useful_flops.value_or(0)) / *flops_per_s : 0;
  if (issued_s > 2 * computed_s) {  // else most of what is issued computes
    stage(workload.pipe, issued_s);
  } else if (computed_s > 0) {
    stage(workload.double_precision ? "fp64" : "fp32", std::max(issued_s, computed_s));
  }
  return stages;
}

double launch_seconds(const std::vector<StageTime>& stages, const Demand& demand, const Workload& workload,
                      const Rates& rates, bool cached) {
  double launch = 0;
  double latency = 0;
  double banks = 0;
  double arithmetic = 0;
  double addresses = 0;
  double barrier_turns = 0;
  double memory = 0;
  // If the chains of warps are known, barriers cost the time in which memory waits for the warps.
  const auto found = std::ranges::find(stages, "barriers", &StageTime::stage);
  const double barriers = found == stages.end() ? 0 : found->seconds;
  const double idle_memory = workload.chains ? barriers : 0;
  const double at_end = workload.chains ? 0 : barriers;
  const std::string_view loaded_from = cached ? "l2_sectors" : "dram";
  for (const StageTime& stage : stages) {
    if (stage.stage == "barriers") continue;
    double* part = &memory;
    if (stage.stage == "launch") part = &launch;
    if (stage.stage == "latency" || stage.stage == "uneven_work") part = &latency;
    if (stage.stage == "addresses") part = &addresses;
    if (stage.stage == "l1_lines" || stage.stage == "shared_wavefronts") part = &banks;
    if (demand.simulated && (stage.stage == "l2_requests" || stage.stage == "l2_lines" || stage.stage == "rewrites")) {
      continue;  // as one, below
    }
    if (is_arithmetic(stage.stage)) part = &arithmetic;
    if (stage.stage == "barrier_turns") part = &barrier_turns;
    *part = std::max(*part, stage.seconds + (stage.stage == loaded_from ? idle_memory : 0));
  }
  if (demand.simulated) memory = simulated_seconds(demand, rates, memory, cached);
  // Stages on the multiprocessor take turns, so they hide less of each other than stages beyond it.
  double on_chip = overlapped(banks, arithmetic, rates.overlap.on_chip_exponent);
  // Blocks that take turns come to their barriers at about the same time, and then none of them has other work.
  on_chip += barrier_turns;
  if (workload.waits > 1) {
    on_chip = overlapped(on_chip, latency, rates.overlap.on_chip_exponent);
    latency = 0;
  }
  // The latency stage already contains that loads wait longer for a busier memory.
  const double loaded = overlapped(std::max(memory, latency), on_chip, rates.overlap.exponent);
  // A warp whose store waits to be merged works out no addresses.
  const double work = overlapped(loaded, addresses, rates.overlap.addresses_exponent) + demand.l2.contended_s;
  // If L2 has all data, the time shows that the machine code of a pattern is fetched first.
  const bool has_code = demand.simulated || workload.address_cycles;
  const double idle = rates.launch.cached_fixed_s + (cached && has_code ? rates.launch.code_fetch_s : 0);
  // Stores over the link are posted, and nobody waits for them.
  const double once = cached || demand.over_link ? idle : rates.launch.fixed_s;
  return std::max(launch, work + at_end) + workload.launches * once +
         (demand.over_link && demand.loads ? rates.link.latency_s : 0);
}

LaunchTime launch_time(const Demand& demand, const Workload& workload, const Profile& profile, double memory_share) {
  const auto timed = [&](bool cached) -> LaunchTime {
    LaunchTime time{.stages = launch_stages(demand, workload, profile, cached)};
    time.seconds = launch_seconds(time.stages, demand, workload, profile.rates, cached);
    return time;
  };
  if (memory_share <= 0 || memory_share >= 1) return timed(memory_share <= 0);
  LaunchTime from_memory = timed(false);
  const LaunchTime from_l2 = timed(true);
  const auto between = [&](double memory_s, double l2_s) {
    return memory_share * memory_s + (1 - memory_share) * l2_s;
  };
  for (StageTime& stage : from_memory.stages) {
    const auto same = std::ranges::find(from_l2.stages, stage.stage, &StageTime::stage);
    stage.seconds = between(stage.seconds, same == from_l2.stages.end() ? 0 : same->seconds);
  }
  from_memory.seconds = between(from_memory.seconds, from_l2.seconds);
  return from_memory;
}

double kernel_seconds(const std::vector<StageTime>& stages, const Demand& demand, const Workload& workload,
                      const Rates& rates, bool cached) {
  const double between_s = std::max(0.0, rates.launch.cached_fixed_s - rates.launch.kernel_s);
  return std::max(rates.launch.kernel_s, launch_seconds(stages, demand, workload, rates, cached) - between_s);
}

}  // namespace gpumem::model
