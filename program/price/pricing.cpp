#include "program/price/pricing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "engine/base/thresholds.hpp"
#include "engine/model/occupancy.hpp"
#include "program/price/local_traffic.hpp"
#include "program/read/raw_words.hpp"
#include "report/advise/kernel_verdict.hpp"
#include "report/text/names.hpp"
#include "report/text/text.hpp"

namespace gpumem::program {

namespace {

/// Counts the requests of loads from beyond the multiprocessors, of all warps together.
double loads_of(const LaunchSums& launch) {
  double loads = 0;
  for (const inject::Site& site : launch.sites) {
    if (is_off_chip(site) && site.op == inject::RawOp::load) loads += static_cast<double>(site.requests);
  }
  return loads;
}

/// Adds to the work what the machine code tells.
void add_path(report::LaunchWork& work, const LaunchSums& launch, const WarpPath& path) {
  const double warps = warps_of(launch);
  const double mean = loads_of(launch) / warps;
  work.in_step = path.barriers >= warps && launch.block_threads > access::warp_lanes;
  const auto chain_of = [&](double loads) {
    const double more = path.polls ? 0 : std::max(0.0, loads - mean);
    return Chain{.waits = path.chains.waits / warps + more * path.per_load.waits,
                 .cycles = path.chains.cycles / warps + more * path.per_load.cycles};
  };
  work.path = report::PathWork{
      .busy_cycles = path.busy_cycles,
      .float_cycles = path.float_cycles,
      .chains = {.mean = chain_of(mean),
                 .busiest = chain_of(static_cast<double>(launch.busiest_loads) / static_cast<double>(launch.blocks)),
                 .longest = chain_of(static_cast<double>(launch.most_loads))}};
}

/// The features of the launch that not every GPU has.
std::vector<std::string> features_of(const LaunchSums& launch, const WarpPath& path) {
  const auto has = [&](auto test) { return std::ranges::any_of(launch.sites, test); };
  std::vector<std::string> features;
  if (has([](const inject::Site& site) { return (site.flags & inject::raw_bulk_copy) != 0; }))
    features.emplace_back(report::bulk_copies_feature);
  if (has([](const inject::Site& site) { return site.space == inject::RawSpace::cluster; }))
    features.emplace_back(report::clusters_feature);
  if (path.multiplies_by_warpgroup) features.emplace_back(report::warpgroup_products_feature);
  return features;
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

/// True if one price is nearer to the measured time than another one, as a factor.
bool is_nearer(const PricedLaunch& one, const PricedLaunch& other, double measured_s) {
  const auto off = [&](const PricedLaunch& priced) { return std::abs(std::log(priced.seconds / measured_s)); };
  return off(one) < off(other);
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
      sites_(launch.sites, instructions_of(launch.code, profile.device.compute_capability_major())) {
  const unsigned major = profile.device.compute_capability_major();
  const WarpPath path =
      warp_path({launch.code, major}, launch.sites, warps_of(launch), profile.rates, launch.constants);
  matrix_wavefronts_ = path.matrix_wavefronts;
  uncounted_ = path.uncounted;
  work_ = {.blocks = launch.blocks,
           .block_threads = launch.block_threads,
           .shared_bytes_per_block = launch.shared_bytes_per_block,
           .registers_per_thread = launch.registers_per_thread,
           .local_bytes_per_thread = launch.local_bytes_per_thread,
           .local_threads_share = local_threads_share(launch),
           .features = features_of(launch, path)};
  if (path.known) add_path(work_, launch, path);
  workload_ = workload_of(work_, profile.device);
  work_ = work_with({}, workload_);
  as_it_is_ = priced(work_, workload_, profile, InL2::nothing);
  if (!crosses_link(work_, profile.device)) find_what_l2_had();
  if (is_known(as_it_is_) && can_have_last_block()) find_last_block(major);
  if (!is_known(as_it_is_)) {
    no_prediction_ = "the profile of this GPU lacks rates to predict a time";
    as_it_is_ = {};
    return;
  }
  if (launch.measured_s) explained_share_ = std::min(1.0, as_it_is_.seconds / *launch.measured_s);
  find_interval(major);
  find_doubts(path);
}

void Pricing::find_what_l2_had() {
  if (fits_in_l2(work_, profile_.device)) {
    PricedLaunch cached = priced(work_, workload_, profile_, InL2::all);
    if (!launch_.measured_s || is_nearer(cached, as_it_is_, *launch_.measured_s)) as_it_is_ = std::move(cached);
    return;
  }
  if (!launch_.measured_s) return;
  const double bytes = memory_bytes(work_, workload_, profile_);
  if (bytes > *launch_.measured_s * profile_.device.theoretical_bandwidth_bytes_per_s()) {
    as_it_is_ = priced(work_, workload_, profile_, InL2::part);
  }
}

/// True if blocks that were not seen may run other code, and one of them may know that it is the last: each stores,
/// waits until the others can see it (a fence), and then counts itself by an atomic that tells how many were before.
bool Pricing::can_have_last_block() const {
  if (!launch_.partly_seen || !launch_.measured_s || !work_.path) return false;
  const std::vector<MachineInstruction> code =
      instructions_of(launch_.code, profile_.device.compute_capability_major());
  const auto counts_blocks = [&](const inject::Site& site) {
    const std::size_t index = site.pc / instruction_bytes;
    return op_of(site) == access::Op::atomic && is_off_chip(site) && index < code.size() &&
           code[index].kind == MachineInstruction::Kind::off_chip_load;
  };
  return std::ranges::find(code, MachineInstruction::Kind::fence, &MachineInstruction::kind) != code.end() &&
         std::ranges::any_of(launch_.sites, counts_blocks);
}

void Pricing::find_last_block(unsigned major) {
  last_block_ = longest_way({launch_.code, major}, static_cast<double>(workload_.warps_of_block()), profile_.rates,
                            launch_.constants);
  report::LaunchWork work = work_;
  add_last_block(work);
  const Workload workload = workload_of(work, profile_.device);
  PricedLaunch with = priced(work, workload, profile_, as_it_is_.in_l2);
  if (!is_known(with) || !is_nearer(with, as_it_is_, *launch_.measured_s)) {
    last_block_.reset();
    return;
  }
  as_it_is_ = std::move(with);
  work_ = std::move(work);
  workload_ = workload;
}

/// The last block begins its own work when the blocks before it have ended.
void Pricing::add_last_block(report::LaunchWork& work) const {
  if (!last_block_) return;
  const auto places = static_cast<double>(model::occupancy_of(workload_, profile_.device).of_device);
  const double turns = std::max(1.0, static_cast<double>(launch_.blocks) / places);
  Chains& chains = work.path->chains;
  chains.longest = {turns * chains.busiest.waits + last_block_->waits,
                    turns * chains.busiest.cycles + last_block_->cycles};
}

void Pricing::find_interval(unsigned major) {
  const double error = usual_error(as_it_is_.bottleneck);
  const auto seconds = [&](UnseenWays unseen) {
    const WarpPath path =
        warp_path({launch_.code, major}, launch_.sites, warps_of(launch_), profile_.rates, launch_.constants, unseen);
    if (!path.known) return as_it_is_.seconds;
    report::LaunchWork work = work_;
    add_path(work, launch_, path);
    add_last_block(work);
    return priced(work, workload_of(work, profile_.device), profile_, as_it_is_.in_l2).seconds;
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
  } else if (path.polls && share < explains_something) {
    no_prediction_ =
        "its warps load again and again until others have stored, for as long as these take, which no access tells";
  } else if (path.has_unseen_loops && share < explains_enough) {
    no_prediction_ =
        "it has loops without accesses whose rounds depend on data: a count of its instructions would tell them (ncu: "
        "smsp__inst_executed)";
  } else if (share < explains_something) {
    no_prediction_ = little_explained_words(share, as_it_is_.stages, *launch_.measured_s);
    explains_little_ = true;
  }
}

report::LaunchWork Pricing::work_with(const std::vector<bool>& good, const Workload& workload) const {
  report::LaunchWork work = work_;
  work.shared_wavefronts = matrix_wavefronts_;
  const auto blocks = static_cast<double>(workload.blocks);
  const auto places = static_cast<double>(model::occupancy_of(workload, profile_.device).of_device);
  sites_.add_to(work, good, {.all = blocks, .resident = std::min(blocks, places)});
  return work;
}

PricedLaunch Pricing::price(const Workload& workload, const std::vector<bool>& good, InL2 in_l2) const {
  return priced(work_with(good, workload), workload, profile_, in_l2);
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
  if (!no_prediction_.empty() && !explains_little_) return {};
  Workload workload = workload_;
  if (cure.shared_out) share_out(workload, profile_.device);
  workload.blocks = static_cast<std::uint64_t>(std::ceil(static_cast<double>(workload.blocks) / cure.wider));
  if (workload.scheduler_cycles) *workload.scheduler_cycles /= cure.wider;
  const PricedLaunch cured = price(workload, cure.good, as_it_is_.in_l2);
  if (explains_little_) return saving_of_explained(cured);
  const double as_it_is = as_it_is_.seconds;
  if (!(as_it_is - cured.seconds >= least_saving * as_it_is)) return {};
  const double times = launch_.measured_s.value_or(as_it_is) / as_it_is;
  const auto saved = [&](double cured_s) { return std::max(0.0, as_it_is - cured_s) * times; };
  const double error = usual_error(cured.bottleneck);
  return {saved(cured.seconds), {saved(cured.seconds * error), saved(cured.seconds / error)}};
}

Saving Pricing::saving_of_explained(const PricedLaunch& cured) const {
  constexpr double of_explained = 0.25;
  constexpr double of_measured = 0.1;
  const double measured = *launch_.measured_s;
  const double error = usual_error(cured.bottleneck);
  const double seconds = as_it_is_.seconds - cured.seconds;
  if (!(seconds >= of_explained * as_it_is_.seconds && seconds >= of_measured * measured)) return {};
  return {seconds, {0, measured - cured.seconds / error}};
}

}  // namespace gpumem::program
