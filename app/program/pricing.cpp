#include "app/program/pricing.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "app/program/raw_words.hpp"
#include "app/program/warp_path.hpp"
#include "engine/model/stages.hpp"

namespace gpumem::app {

namespace {

bool is_positive(double value) { return std::isfinite(value) && value > 0; }

/// Whether all that the launch touches could lie in L2.
bool fits_in_l2(const LaunchSums& launch, const Device& device) {
  double bytes = 0;
  for (const inject::Site& site : launch.sites) {
    bytes += static_cast<double>(site.memory_sectors) * access::sector_bytes;
  }
  return bytes <= static_cast<double>(device.l2_bytes);
}

/// How many times what the model says is saved is saved of a launch that takes `longer` times as long as it says. The
/// launch would take the share of its time that the model tells; but where little of the time is explained, accesses
/// are not what it waits for.
double explained(double longer) {
  constexpr double all_up_to = 2;
  constexpr double none_from = 4;
  return longer <= all_up_to ? longer : std::max(0.0, all_up_to * (none_from - longer) / (none_from - all_up_to));
}

double warps_of(const LaunchSums& launch) {
  return static_cast<double>(launch.blocks) * std::ceil(launch.block_threads / double{access::warp_lanes});
}

/// Loads from beyond multiprocessors, of all warps together.
double loads_of(const LaunchSums& launch) {
  double loads = 0;
  for (const inject::Site& site : launch.sites) {
    if (is_off_chip(site) && site.op == inject::RawOp::load) loads += static_cast<double>(site.requests);
  }
  return loads;
}

/// Adds what the machine code tells to the workload.
void add_path(Workload& workload, const LaunchSums& launch, const WarpPath& path) {
  const double warps = warps_of(launch);
  const double mean = loads_of(launch) / warps;
  const auto chain_of = [&](double loads) {
    const double more = path.polls ? 0 : std::max(0.0, loads - mean);
    return Chain{.waits = path.chains.waits / warps + more * path.per_load.waits,
                 .cycles = path.chains.cycles / warps + more * path.per_load.cycles};
  };
  workload.chains =
      Chains{.busiest = chain_of(static_cast<double>(launch.busiest_loads) / static_cast<double>(launch.blocks)),
             .longest = chain_of(static_cast<double>(launch.most_loads))};
  workload.scheduler_cycles = path.scheduler_cycles;
}

bool crosses_link(const LaunchSums& launch, const Device& device) {
  const auto is_host = [](const inject::Site& site) { return site.space == inject::RawSpace::host; };
  return !device.integrated && std::ranges::any_of(launch.sites, is_host);
}

}  // namespace

Workload workload_of(const LaunchSums& launch) {
  Workload workload;
  workload.blocks = launch.blocks;
  workload.block_threads = launch.block_threads;
  workload.shared_bytes_per_block = launch.shared_bytes_per_block;
  if (launch.registers_per_thread > 0) workload.registers_per_thread = launch.registers_per_thread;
  for (const inject::Site& site : launch.sites) {
    if (!is_off_chip(site)) continue;
    if (site.op != inject::RawOp::store) workload.useful_bytes_read += site.useful_bytes;
    if (site.op != inject::RawOp::load) workload.useful_bytes_written += site.useful_bytes;
  }
  return workload;
}

bool is_wasteful(const inject::Site& site) {
  if (!is_off_chip(site)) return site.wavefronts > site.least_wavefronts;
  if (op_of(site) == access::Op::atomic && lanes_per_word(site) > 1) return true;
  return site.space == inject::RawSpace::local || site.sectors > site.least_sectors ||
         site.memory_sectors * access::sector_bytes > site.used_words * 4;
}

Pricing::Pricing(const LaunchSums& launch, const model::Profile& profile)
    : launch_(launch), profile_(profile), demand_(launch.sites), workload_(workload_of(launch)) {
  const auto major = static_cast<unsigned>(std::atoi(profile.device.compute_capability.c_str()));
  const WarpPath path = warp_path(launch.code, major, launch.sites, warps_of(launch), profile.rates);
  if (path.known) add_path(workload_, launch, path);
  const std::vector<bool> none(launch.sites.size(), false);
  as_it_is_ = price(none, false);
  if (fits_in_l2(launch, profile.device) && !crosses_link(launch, profile.device)) {
    PricedLaunch cached = price(none, true);
    const auto off = [&](double seconds) { return std::abs(std::log(seconds / *launch.measured_s)); };
    if (!launch.measured_s || off(cached.seconds) < off(as_it_is_.seconds)) as_it_is_ = std::move(cached);
  }
  const bool has_stages = std::ranges::all_of(as_it_is_.stages, [](const model::StageTime& stage) {
    return std::isfinite(stage.seconds) && stage.seconds >= 0;
  });
  if (!is_positive(as_it_is_.seconds) || !has_stages) {
    no_prediction_ = "too little is known of this GPU to predict a time";
    as_it_is_ = {};
    return;
  }
  constexpr double explains_enough = 0.75;
  const bool too_little = launch.measured_s && as_it_is_.seconds < explains_enough * *launch.measured_s;
  if (path.has_unseen_memory) {
    no_prediction_ = "its tensor copies, or operands of matrix products, are not seen";
  } else if (path.has_unseen_loops && too_little) {
    no_prediction_ = "it has loops without accesses, and nobody sees how often they run";
  }
}

PricedLaunch Pricing::price(const std::vector<bool>& good, bool cached) const {
  const model::Demand demand = demand_.demand(good, workload_, profile_);
  PricedLaunch priced;
  priced.cached = cached;
  priced.stages = model::launch_stages(demand, workload_, profile_, cached);
  priced.seconds = model::launch_seconds(priced.stages, demand, workload_, profile_.rates, cached);
  if (!priced.stages.empty()) {
    priced.bottleneck = std::ranges::max_element(priced.stages, {}, &model::StageTime::seconds)->stage;
  }
  return priced;
}

double Pricing::saved_s(const std::vector<bool>& good) const {
  if (!no_prediction_.empty()) return 0;
  constexpr double noticeable = 0.01;
  const double as_it_is = as_it_is_.seconds;
  const double saved = as_it_is - price(good, as_it_is_.cached).seconds;
  if (!(saved >= noticeable * as_it_is)) return 0;
  return saved * explained(launch_.measured_s.value_or(as_it_is) / as_it_is);
}

}  // namespace gpumem::app
