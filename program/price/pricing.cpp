#include "program/price/pricing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>

#include "engine/base/thresholds.hpp"
#include "engine/model/arithmetic.hpp"
#include "engine/model/occupancy.hpp"
#include "engine/model/stages.hpp"
#include "program/read/raw_words.hpp"
#include "report/advise/kernel_verdict.hpp"
#include "report/text/names.hpp"
#include "report/text/text.hpp"

namespace gpumem::program {

namespace {

bool is_positive(double value) { return std::isfinite(value) && value > 0; }

/// Returns true if all that the launch touches fits L2, without the local memory of its threads.
bool fits_in_l2(const LaunchSums& launch, const Device& device) {
  double bytes = 0;
  for (const inject::Site& site : launch.sites) {
    if (!is_local(site)) bytes += static_cast<double>(site.memory_sectors) * access::sector_bytes;
  }
  return bytes <= static_cast<double>(device.l2_bytes);
}

/// Counts the requests of loads from beyond the multiprocessors, of all warps together.
double loads_of(const LaunchSums& launch) {
  double loads = 0;
  for (const inject::Site& site : launch.sites) {
    if (is_off_chip(site) && site.op == inject::RawOp::load) loads += static_cast<double>(site.requests);
  }
  return loads;
}

/// Returns the model's stage for the work of a pipe.
std::string_view stage_of(Pipe pipe) {
  switch (pipe) {
    case Pipe::fp32:
      return "fma";
    case Pipe::integer:
      return "integer";
    case Pipe::fp64:
      return "fp64";
    case Pipe::special:
      return "special";
    case Pipe::tensor:
      return "tensor";
    default:
      return "instructions";
  }
}

/// Adds to the workload what the machine code tells.
void add_path(Workload& workload, const LaunchSums& launch, const WarpPath& path) {
  const double warps = warps_of(launch);
  const double mean = loads_of(launch) / warps;
  const auto of_block = static_cast<double>(workload.warps_of_block());
  workload.in_step = path.barriers >= warps && of_block > 1;
  // Warps that meet at barriers advance together: each waits while the other warps of its scheduler issue.
  const double others = workload.in_step ? std::max(0.0, of_block / schedulers - 1) : 0;
  const double in_turn = others * path.scheduler_cycles / warps;
  const auto chain_of = [&](double loads) {
    const double more = path.polls ? 0 : std::max(0.0, loads - mean);
    return Chain{.waits = path.chains.waits / warps + more * path.per_load.waits,
                 .cycles = path.chains.cycles / warps + in_turn + more * path.per_load.cycles};
  };
  workload.chains =
      Chains{.mean = chain_of(mean),
             .busiest = chain_of(static_cast<double>(launch.busiest_loads) / static_cast<double>(launch.blocks)),
             .longest = chain_of(static_cast<double>(launch.most_loads))};
  workload.scheduler_cycles = path.scheduler_cycles;
  workload.pipe = stage_of(path.busiest);
}

/// Changes the workload as if its loads were shared out among as many warps as the GPU can hold.
void share_out(Workload& workload, const Device& device) {
  workload.chains.reset();
  workload.in_step = false;
  const auto places = model::occupancy_of(workload, device).of_device;
  workload.blocks = std::max(workload.blocks, places);
}

const char* uncounted_words(Hidden hidden) {
  switch (hidden) {
    case Hidden::tensor_load:
      return no_tensor_loads;
    case Hidden::tensor_store:
      return "its tensor stores are not counted: no sanitizer's library tells of them, nor do its parameters";
    case Hidden::tensor_reduction:
      return "its tensor reductions are not counted: no sanitizer's library tells of them";
    case Hidden::bulk_copy:
      return "its bulk copies are not counted: that takes a later sanitizer's library";
    case Hidden::matrix_product:
      return "operands of its matrix products are not counted: that takes a later sanitizer's library";
    case Hidden::nothing:
      break;
  }
  return "";
}

/// Returns the factor by which predictions for kernels with this bottleneck are off at most, in nine of ten kernels
/// (docs/prediction.md).
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

/// Takes `held_bytes` off the reads from memory, because L2 has them already.
void spare_memory(model::Demand& demand, double held_bytes) {
  if (demand.dram.read_bytes <= 0) return;
  const double share = std::max(0.0, 1 - held_bytes / demand.dram.read_bytes);
  for (double* amount :
       {&demand.dram.read_bytes, &demand.l2.load_lines, &demand.l2.load_line_pairs, &demand.l2.first_sectors}) {
    *amount *= share;
  }
}

/// Says why there is no prediction if the stages explain less than half of the time: the shares of the longest stages,
/// and the option that would tell more.
std::string little_explained_words(double share, const std::vector<model::StageTime>& stages, double time_s) {
  constexpr std::size_t most = 3;
  std::vector<model::StageTime> longest = stages;
  std::ranges::sort(longest, std::ranges::greater(), &model::StageTime::seconds);
  std::vector<std::string> words;
  for (std::size_t i = 0; i < std::min(most, longest.size()); ++i) {
    const double of_stage = 100 * longest[i].seconds / time_s;
    words.push_back(fmt::format("{} {:.0f} %", report::stage_words(longest[i].stage), of_stage));
  }
  return fmt::format(
      "its accesses explain {:.0f} % of its time (looked at: {}); --counters counts what the hardware did", 100 * share,
      report::join(words, ", "));
}

bool crosses_link(const LaunchSums& launch, const Device& device) {
  const auto is_host = [](const inject::Site& site) { return site.space == inject::RawSpace::host; };
  return !device.integrated && std::ranges::any_of(launch.sites, is_host);
}

}  // namespace

double warps_of(const LaunchSums& launch) {
  return static_cast<double>(launch.blocks) * std::ceil(launch.block_threads / double{access::warp_lanes});
}

Workload workload_of(const LaunchSums& launch) {
  Workload workload;
  workload.blocks = launch.blocks;
  workload.block_threads = launch.block_threads;
  workload.shared_bytes_per_block = launch.shared_bytes_per_block;
  if (launch.registers_per_thread > 0) workload.registers_per_thread = launch.registers_per_thread;
  for (const inject::Site& site : launch.sites) {
    if (!is_off_chip(site) || is_spill(site)) continue;
    if (site.op != inject::RawOp::store) workload.useful_bytes_read += site.useful_bytes;
    if (site.op != inject::RawOp::load) workload.useful_bytes_written += site.useful_bytes;
  }
  return workload;
}

bool is_wasteful(const inject::Site& site) {
  if (!is_off_chip(site)) return site.wavefronts > site.least_wavefronts;
  if (op_of(site) == access::Op::atomic && lanes_per_word(site) > 1) return true;
  return is_local(site) || site.sectors > site.least_sectors ||
         site.memory_sectors * access::sector_bytes > site.used_words * 4;
}

Pricing::Pricing(const LaunchSums& launch, const model::Profile& profile)
    : launch_(launch),
      profile_(profile),
      demand_(launch.sites, instructions_of(launch.code, profile.device.compute_capability_major())),
      workload_(workload_of(launch)) {
  const unsigned major = profile.device.compute_capability_major();
  const WarpPath path =
      warp_path({launch.code, major}, launch.sites, warps_of(launch), profile.rates, launch.constants);
  if (path.known) add_path(workload_, launch, path);
  matrix_wavefronts_ = path.matrix_wavefronts;
  uncounted_ = path.uncounted;
  const std::vector<bool> none(launch.sites.size(), false);
  as_it_is_ = price(workload_, none, InL2::nothing);
  if (!crosses_link(launch, profile.device)) find_what_l2_had();
  const bool has_stages = std::ranges::all_of(as_it_is_.stages, [](const model::StageTime& stage) {
    return std::isfinite(stage.seconds) && stage.seconds >= 0;
  });
  if (!is_positive(as_it_is_.seconds) || !has_stages) {
    no_prediction_ = "the profile of this GPU lacks rates to predict a time";
    as_it_is_ = {};
    return;
  }
  if (launch.measured_s) explained_share_ = std::min(1.0, as_it_is_.seconds / *launch.measured_s);
  find_interval(major);
  find_doubts(path);
}

void Pricing::find_what_l2_had() {
  const std::vector<bool> none(launch_.sites.size(), false);
  const auto off = [&](double seconds) { return std::abs(std::log(seconds / *launch_.measured_s)); };
  if (fits_in_l2(launch_, profile_.device)) {
    PricedLaunch cached = price(workload_, none, InL2::all);
    if (!launch_.measured_s || off(cached.seconds) < off(as_it_is_.seconds)) as_it_is_ = std::move(cached);
    return;
  }
  if (!launch_.measured_s) return;
  const model::Demand demand = demand_.demand(none, workload_, profile_);
  const double bytes = demand.dram.read_bytes + demand.dram.write_bytes;
  if (bytes > *launch_.measured_s * profile_.device.theoretical_bandwidth_bytes_per_s()) {
    as_it_is_ = price(workload_, none, InL2::part);
  }
}

void Pricing::find_interval(unsigned major) {
  const double error = usual_error(as_it_is_.bottleneck);
  const auto seconds = [&](UnseenWays unseen) {
    const WarpPath path =
        warp_path({launch_.code, major}, launch_.sites, warps_of(launch_), profile_.rates, launch_.constants, unseen);
    if (!path.known) return as_it_is_.seconds;
    Workload workload = workload_;
    add_path(workload, launch_, path);
    return price(workload, std::vector<bool>(launch_.sites.size(), false), as_it_is_.in_l2).seconds;
  };
  within_ = {std::min(seconds(UnseenWays::fewest), as_it_is_.seconds) / error,
             std::max(seconds(UnseenWays::most), as_it_is_.seconds) * error};
}

void Pricing::find_doubts(const WarpPath& path) {
  constexpr double explains_enough = 0.75;
  constexpr double explains_something = 0.5;
  const double share = explained_share_.value_or(1);
  if (!path.uncounted.empty()) {
    no_prediction_ = uncounted_words(path.uncounted.front().hidden);
  } else if (path.has_unseen_loops && share < explains_enough) {
    no_prediction_ = "it has loops without accesses, which nothing counts";
  } else if (share < explains_something) {
    no_prediction_ = little_explained_words(share, as_it_is_.stages, *launch_.measured_s);
  }
}

PricedLaunch Pricing::price(const Workload& workload, const std::vector<bool>& good, InL2 in_l2) const {
  model::Demand demand = demand_.demand(good, workload, profile_);
  demand.shared_wavefronts += matrix_wavefronts_;
  PricedLaunch priced;
  if (in_l2 == InL2::part) spare_memory(demand, static_cast<double>(profile_.device.l2_bytes));
  const bool cached = in_l2 == InL2::all;
  priced.in_l2 = in_l2;
  priced.stages = model::launch_stages(demand, workload, profile_, cached);
  priced.seconds = model::kernel_seconds(priced.stages, demand, workload, profile_.rates, cached);
  if (!priced.stages.empty()) {
    priced.bottleneck = std::ranges::max_element(priced.stages, {}, &model::StageTime::seconds)->stage;
  }
  return priced;
}

bool Pricing::would_wait(const std::vector<bool>& good) const {
  if (!no_prediction_.empty()) return false;
  std::vector<report::StageRecord> stages;
  for (const model::StageTime& stage : price(workload_, good, as_it_is_.in_l2).stages) {
    stages.push_back({std::string(stage.stage), stage.seconds, std::nullopt});
  }
  return report::waits_for_loads(stages);
}

Saving Pricing::saving(const Cure& cure) const {
  if (!no_prediction_.empty()) return {};
  Workload workload = workload_;
  if (cure.shared_out) share_out(workload, profile_.device);
  workload.blocks = static_cast<std::uint64_t>(std::ceil(static_cast<double>(workload.blocks) / cure.wider));
  if (workload.scheduler_cycles) *workload.scheduler_cycles /= cure.wider;
  const PricedLaunch cured = price(workload, cure.good, as_it_is_.in_l2);
  const double as_it_is = as_it_is_.seconds;
  if (!(as_it_is - cured.seconds >= least_saving * as_it_is)) return {};
  const double times = launch_.measured_s.value_or(as_it_is) / as_it_is;
  const auto saved = [&](double cured_s) { return std::max(0.0, as_it_is - cured_s) * times; };
  const double error = usual_error(cured.bottleneck);
  return {saved(cured.seconds), {saved(cured.seconds * error), saved(cured.seconds / error)}};
}

}  // namespace gpumem::program
