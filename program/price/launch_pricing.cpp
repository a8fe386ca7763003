#include "program/price/launch_pricing.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "engine/model/arithmetic.hpp"
#include "engine/model/demand.hpp"
#include "engine/model/stages.hpp"
#include "program/machine_code/instructions.hpp"
#include "program/price/atomic_turns.hpp"

namespace gpumem::program {

namespace {

using access::Op;
using report::SiteWork;

// Places of PathWork::busy_cycles.
constexpr auto fp32_pipe = static_cast<std::size_t>(Pipe::fp32);
constexpr auto fp64_pipe = static_cast<std::size_t>(Pipe::fp64);
constexpr auto memory_pipe = static_cast<std::size_t>(Pipe::memory);
constexpr auto barrier_pipe = static_cast<std::size_t>(Pipe::barrier);

bool is_in_local(const SiteWork& site) { return site.space == access::Space::local; }
bool is_changed(const SiteWork& site) { return site.op != Op::load; }

double efficiency_of(const SiteWork& site) { return site.useful_bytes / (site.sectors * access::sector_bytes); }

/// Stores to local memory: L1 passes them on, L2 holds them.
bool is_local_change(const SiteWork& site) { return is_in_local(site) && is_changed(site); }

access::SiteSummary summary_of(const SiteWork& site) {
  access::SiteSummary summary;
  access::Footprint& footprint = summary.footprint;
  footprint.sectors = is_changed(site) ? site.written_sectors : site.memory_sectors;
  footprint.partial_sectors = site.partial_sectors;
  footprint.atoms = site.atoms;
  footprint.partial_atoms = std::max(0.0, 2 * site.atoms - footprint.sectors);
  footprint.lines = site.memory_lines;
  footprint.line_pairs = site.memory_line_pairs;
  footprint.channels = access::atom_channels;
  // The work of atomics in L2 is a stage of its own: each sector counts once here.
  const double touched = site.op == Op::atomic ? footprint.sectors : site.sectors;
  summary.cost = {.sectors_per_request = touched / site.requests,
                  .lines_per_request = site.lines / site.requests,
                  .efficiency = efficiency_of(site)};
  return summary;
}

/// Adds stores to local memory. Sectors stored in part cost L2 more, once for each line of a request
/// (engine/model/demand.cpp).
void add_local_stores(model::Demand& demand, const SiteWork& site, const model::Rates& rates) {
  const double parts = stores_parts(site) ? site.lines : 0;
  demand.l1.store_lines += site.lines;
  demand.l2.split_sectors += parts;
  demand.l2.store_sectors += site.sectors - parts;
  demand.dram.write_bytes += site.written_sectors * access::sector_bytes;
  demand.dram.read_bytes += site.partial_sectors * access::sector_bytes;
  // The time that stores wait for the rest of their sector is added as split sectors.
  const double filled_s = site.partial_sectors * site.lines / site.sectors *
                          (1 / rates.l2.fill_lines_per_s + 1 / rates.l2.fill_line_pairs_per_s);
  demand.l2.split_sectors += rates.l2.filled_share * filled_s * rates.l2.split_sectors_per_s;
}

/// Corrects the demand where sums are more exact than footprints: hits in L1, requests to L2, and atomics that meet.
void correct(model::Demand& demand, const report::LaunchWork& work, const model::Profile& profile) {
  const model::Rates& rates = profile.rates;
  // The sectors that L2 sends in the time that it takes for one request.
  const double sectors_of_request =
      rates.l2.read_requests_per_s > 0 ? rates.l2.load_sectors_per_s / rates.l2.read_requests_per_s : 1;
  demand.l1.load_lines = demand.l1.load_bytes = 0;
  demand.l2.load_sectors = 0;
  demand.footprint_bytes = 0;
  demand.atomic_turns = atomic_turns(work.atomics, rates);
  for (const SiteWork& site : work.sites) {
    const bool over_link = site.space == access::Space::host && !profile.device.integrated;
    if (over_link) continue;
    if (is_local_change(site)) {
      add_local_stores(demand, site, rates);
      continue;
    }
    demand.footprint_bytes += std::max(site.memory_sectors, site.written_sectors) * access::sector_bytes;
    if (is_changed(site)) continue;
    if (!site.past_l1) {
      demand.l1.load_lines += std::max(site.l1_wavefronts, site.lines / rates.l1.lines_at_a_time);
      demand.l1.load_bytes += site.useful_bytes;
    }
    demand.l2.load_sectors += std::max(site.l2_sectors, site.l2_requests * sectors_of_request);
  }
}

model::Demand demand_of(const report::LaunchWork& work, Workload workload, const model::Profile& profile) {
  std::vector<access::SiteSummary> summaries;
  for (const SiteWork& row : work.sites) {
    if (is_local_change(row)) continue;  // see correct()
    access::Site site;
    site.space = row.space;
    site.op = is_changed(row) ? Op::store : Op::load;
    site.word_bytes = row.word_bytes;
    site.instructions = work.turns;
    site.requests = static_cast<std::uint64_t>(std::llround(row.requests));
    workload.sites.push_back(site);
    summaries.push_back(summary_of(row));
  }
  // Caches were simulated while the launch ran: its traffic is known.
  model::Demand demand = model::demand_with(std::nullopt, workload, summaries, profile);
  correct(demand, work, profile);
  demand.shared_wavefronts += work.shared_wavefronts;
  return demand;
}

/// Takes `held_bytes` off the reads from memory, because L2 has them already.
void spare_memory(model::Demand& demand, double held_bytes) {
  if (demand.dram.read_bytes <= 0) return;
  const double share = std::max(0.0, 1 - held_bytes / demand.dram.read_bytes);
  for (double* amount :
       {&demand.dram.read_bytes, &demand.l2.load_lines, &demand.l2.load_line_pairs, &demand.l2.first_sectors}) {
    *amount *= share;
  }
}

/// The stages of the pipes, in their order.
constexpr std::string_view stages_of_pipes[] = {"instructions", "fma",          "integer", "fp64",
                                                "special",      "instructions", "tensor",  "barrier_turns"};
static_assert(std::size(stages_of_pipes) == report::pipes);

/// Cycles that a warp waits between its barriers, all together, while `others` warps of its block use what only one
/// warp can use at a time. `cycles` are those of all warps of the launch.
double in_turn(double others, double cycles, const Workload& workload) {
  const double warps = static_cast<double>(workload.blocks) * static_cast<double>(workload.warps_of_block());
  return std::max(0.0, others) * cycles / warps;
}
double turns_at_scheduler(double cycles, const Workload& workload) {
  return in_turn(static_cast<double>(workload.warps_of_block()) / schedulers - 1, cycles, workload);
}

/// Adds to the chains that warps which meet at barriers also take turns at shared memory, a wavefront or a shuffle a
/// cycle, and at arriving at the barriers. They do so while their schedulers issue, so the longest of these turns
/// counts.
Workload with_turns_of_block(Workload workload, const report::LaunchWork& work) {
  if (!workload.in_step || !workload.chains || !work.path) return workload;
  const double others = static_cast<double>(workload.warps_of_block()) - 1;
  const double shuffles = work.path->busy_cycles[memory_pipe] / schedulers;
  const double at_memory = in_turn(others, work.shared_wavefronts + shuffles, workload);
  const double at_barriers = in_turn(others, workload.barrier_cycles / schedulers, workload);
  const double at_scheduler = turns_at_scheduler(workload.scheduler_cycles.value_or(0), workload);
  for (Chain* chain : {&workload.chains->mean, &workload.chains->busiest, &workload.chains->longest}) {
    chain->cycles += std::max({0.0, at_memory - at_scheduler, at_barriers - at_scheduler});
  }
  return workload;
}

}  // namespace

bool stores_parts(const SiteWork& site) { return 2 * site.useful_bytes < site.sectors * access::sector_bytes; }

BusiestPipe busiest_pipe(const report::PathWork& path, const Device& device) {
  constexpr double half_lanes = 64;
  constexpr double double_lanes = 64;  // of compute capability 9.0
  std::array<double, report::pipes> busy = path.busy_cycles;
  // A pipe of 128 lanes has two halves. Either adds and multiplies floats, and only one of them integers. So floats
  // take the other half while integers are multiplied.
  if (const auto lanes = fma_per_cycle(device, false)) {
    constexpr double half_cycles = 2;  // that 32 floats keep a half of the scheduler's part busy
    const double halves = *lanes / half_lanes;
    const double integers = busy[fp32_pipe] - path.float_cycles;
    busy[fp32_pipe] = std::max(integers, (integers + half_cycles * path.float_cycles) / halves);
  }
  if (const auto lanes = fma_per_cycle(device, true)) busy[fp64_pipe] *= double_lanes / *lanes;
  busy[barrier_pipe] = 0;  // a stage of its own, which no other pipe hides
  const auto longest = std::ranges::max_element(busy);
  const BusiestPipe alone{stages_of_pipes[longest - busy.begin()], *longest};
  if (alone.cycles == 0) return alone;
  *longest = 0;
  // Instructions do not come so that two pipes are always busy at once: kernels of two operations on an H100 take
  // longer, the more alike both pipes are (docs/method/programs.md).
  constexpr double exponent = 8;
  const double second = std::ranges::max(busy) / alone.cycles;
  return {alone.stage, alone.cycles * std::pow(1 + std::pow(second, exponent), 1 / exponent)};
}

Workload workload_of(const report::LaunchWork& work, const Device& device) {
  Workload workload;
  workload.blocks = work.blocks;
  workload.block_threads = work.block_threads;
  workload.shared_bytes_per_block = work.shared_bytes_per_block;
  if (work.registers_per_thread > 0) workload.registers_per_thread = work.registers_per_thread;
  workload.in_step = work.in_step;
  if (!work.path) return workload;
  const auto [stage, cycles] = busiest_pipe(*work.path, device);
  // Warps that meet at barriers advance together: each waits while the other warps of its scheduler issue.
  const double turns = workload.in_step ? turns_at_scheduler(cycles, workload) : 0;
  workload.chains = work.path->chains;
  for (Chain* chain : {&workload.chains->mean, &workload.chains->busiest, &workload.chains->longest}) {
    chain->cycles += turns;
  }
  workload.scheduler_cycles = cycles;
  workload.pipe = stage;
  workload.barrier_cycles = work.path->busy_cycles[barrier_pipe];
  return workload;
}

PricedLaunch priced(const report::LaunchWork& work, const Workload& alone, const model::Profile& profile, InL2 in_l2) {
  const Workload workload = with_turns_of_block(alone, work);
  model::Demand demand = demand_of(work, workload, profile);
  if (in_l2 == InL2::part) spare_memory(demand, static_cast<double>(profile.device.l2_bytes));
  const bool cached = in_l2 == InL2::all;
  PricedLaunch launch;
  launch.in_l2 = in_l2;
  launch.stages = model::launch_stages(demand, workload, profile, cached);
  launch.seconds = model::kernel_seconds(launch.stages, demand, workload, profile.rates, cached);
  if (!launch.stages.empty()) {
    launch.bottleneck = std::ranges::max_element(launch.stages, {}, &model::StageTime::seconds)->stage;
  }
  return launch;
}

bool is_known(const PricedLaunch& launch) {
  return std::isfinite(launch.seconds) && launch.seconds > 0 &&
         std::ranges::all_of(launch.stages, [](const model::StageTime& stage) {
           return std::isfinite(stage.seconds) && stage.seconds >= 0;
         });
}

bool fits_in_l2(const report::LaunchWork& work, const Device& device) {
  double bytes = 0;
  for (const SiteWork& site : work.sites) {
    if (!is_in_local(site)) bytes += site.memory_sectors * access::sector_bytes;
  }
  return bytes <= static_cast<double>(device.l2_bytes);
}

bool crosses_link(const report::LaunchWork& work, const Device& device) {
  const auto is_host = [](const SiteWork& site) { return site.space == access::Space::host; };
  return !device.integrated && std::ranges::any_of(work.sites, is_host);
}

double memory_bytes(const report::LaunchWork& work, const Workload& workload, const model::Profile& profile) {
  const model::Demand demand = demand_of(work, workload, profile);
  return demand.dram.read_bytes + demand.dram.write_bytes;
}

double usual_error(std::string_view bottleneck) {
  struct Limit {
    std::string_view stage;
    double error;
  };
  static constexpr Limit limits[] = {{"launch", 1.15}, {"dram", 1.3}, {"latency", 1.3}, {"l2_lines", 1.35}};
  constexpr double others = 1.5;
  const auto* found = std::ranges::find(limits, bottleneck, &Limit::stage);
  return found == std::end(limits) ? others : found->error;
}

}  // namespace gpumem::program
