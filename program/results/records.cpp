#include "program/results/records.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "engine/access/space.hpp"
#include "engine/model/counted.hpp"
#include "engine/model/occupancy.hpp"
#include "program/machine_code/strong_loads.hpp"
#include "program/price/atomic_turns.hpp"
#include "program/price/local_traffic.hpp"
#include "program/price/pricing.hpp"
#include "program/price/reloads.hpp"
#include "program/price/spilled_registers.hpp"
#include "program/price/tensor_stores.hpp"
#include "program/read/callers.hpp"
#include "program/read/raw_words.hpp"
#include "program/read/site_names.hpp"
#include "program/read/whole_launch.hpp"
#include "program/results/array_uses.hpp"
#include "program/results/inferred.hpp"
#include "program/results/passes.hpp"
#include "program/results/site_records.hpp"
#include "report/advise/kernel_verdict.hpp"
#include "report/advise/libraries.hpp"
#include "report/advise/site_cures.hpp"
#include "report/explain/explain.hpp"
#include "report/record/counted.hpp"
#include "report/record/fill.hpp"
#include "report/record/kernels.hpp"

namespace gpumem::program {

namespace {

/// Sites with one name: unrolled copies of an instruction, if source lines are known.
struct SiteGroup {
  std::string name;
  std::vector<std::size_t> members;  ///< indices into the launch's
  double saved_s = 0;                ///< of a launch, if it alone were as good as it could be
  double wasted_bytes = 0;
};

report::MetricRecord& metric(report::Record& record, const char* name) {
  return *std::ranges::find(record.metrics, name, &report::MetricRecord::name);
}

/// Fills a record of one kernel.
class KernelRecord {
 public:
  KernelRecord(const MergedRun& run, const MergedKernel& kernel, SiteNames& names, Callers& callers)
      : run_(run), kernel_(kernel), names_(names), callers_(callers), shown_(kernel.shown()) {
    // A launch of another grid stands for a kernel of which none was seen.
    if (kernel.like) shown_ = run.kernels[*kernel.like].shown();
    launch_.blocks = kernel.blocks;
    launch_.block_threads = kernel.block_threads;
    launch_.shared_bytes_per_block = kernel.shared_bytes_per_block;
    launch_.registers_per_thread = kernel.registers_per_thread;
    launch_.local_bytes_per_thread = kernel.local_bytes_per_thread;
    if (shown_ != nullptr) {
      const unsigned major = run.devices[kernel.device].compute_capability_major();
      add_launch(major);
      add_untold_sites(major);
    }
    workload_ = workload_of(launch_);
    record_ = report::record_of({.probe = &report::kernel_probe(),
                                 .parameters = {{report::kernel_parameter, kernel.name},
                                                {report::grid_parameter, kernel.grid},
                                                {report::block_threads_parameter, std::uint64_t{kernel.block_threads}},
                                                {report::device_parameter, std::uint64_t{kernel.device}}}},
                                workload_);
    record_.range = kernel.ranges_text();
    callers_.add_to(record_, kernel);
  }

  report::Record fill(const model::Profile& profile) {
    add_times();
    const measure::Counts* counts = kernel_.counts();
    if (shown_ == nullptr && counts == nullptr) {
      record_.status = report::Status::skipped;
      record_.reason = why_unseen();
    }
    if (kernel_.like) {
      record_.flags.emplace_back("seen_by_another_grid");
      price(profile);
    } else if (shown_ != nullptr) {
      if (!is_whole(*shown_->sample, kernel_.blocks)) record_.flags.emplace_back("partly_seen");
      price(profile);
      add_sites();
      add_moved();
    }
    if (counts != nullptr) add_counts(*counts, profile);
    add_peak(record_, report::kernel_probe(), workload_, run_.devices[kernel_.device]);
    return std::move(record_);
  }

 private:
  /// Adds the whole launch, inferred from the blocks that were seen.
  void add_launch(unsigned major) {
    const RawSample& sample = *shown_->sample;
    WholeLaunch whole = kernel_.like ? launch_of_other_grid(sample, run_.kernels[*kernel_.like].blocks, kernel_.blocks)
                                     : whole_launch(sample, kernel_.blocks);
    launch_.sites = std::move(whole.sites);
    launch_.busiest_loads = whole.busiest_loads;
    launch_.partly_seen = !is_whole(sample, kernel_.blocks);
    launch_.most_loads = sample.event.most_loads;
    launch_.code = shown_->code;
    launch_.constants = shown_->constants;
    load_from_l2(launch_.sites, instructions_of(launch_.code, major));
  }

  /// Adds sites that no callback told of: tensor stores and spilled registers.
  void add_untold_sites(unsigned major) {
    const auto add = [&](const std::vector<inject::Site>& sites) {
      launch_.sites.insert(launch_.sites.end(), sites.begin(), sites.end());
    };
    add(tensor_stores(launch_, major));
    const bool all_seen = shown_->sample->event.lost_sites == 0;
    const SpilledRegisters spilled = all_seen ? spilled_registers(launch_, major) : SpilledRegisters();
    add(spilled.sites);
    launch_.spilling_threads_share = spilled.threads_share;
  }

  void add_times() {
    metric(record_, report::launches_name).measured = static_cast<double>(kernel_.launches);
    const auto own_s = kernel_.gpu_s();
    metric(record_, report::gpu_time_name).measured = own_s;
    record_.ran_s = kernel_.ran_s(run_.bins);
    if (kernel_.timed_by_repeat) record_.flags.emplace_back("time_of_repeat");
    if (kernel_.launches_differ()) record_.flags.emplace_back("launches_differ");
    const bool of_some =
        kernel_.launches_differ() && kernel_.is_timed_otherwise() && !kernel_.times_like_seen_s.empty();
    const std::vector<double>& times_s = of_some ? kernel_.times_like_seen_s : kernel_.times_s;
    if (times_s.empty()) return;
    std::vector<measure::Seconds> samples;
    for (const double seconds : times_s) samples.emplace_back(seconds);
    record_.time = report::TimeRecord{measure::summarise(samples), samples};
    launch_.measured_s = record_.time->summary.median.count();
    add_headline(
        record_.headline,
        [&](double seconds) { return report::kernel_probe().headline.from_seconds(workload_, seconds); },
        record_.time->summary);
  }

  /// Returns the reason for no prediction, with the launch that it is about if that has another grid.
  [[nodiscard]] std::string of_looked_at(const std::string& reason) const {
    if (!kernel_.like) return reason;
    return "no launch of this grid was looked at, but one of grid " + run_.kernels[*kernel_.like].grid + ": " + reason;
  }

  [[nodiscard]] std::string why_unseen() const {
    const auto most = std::max_element(kernel_.unseen.begin() + 1, kernel_.unseen.end());
    const auto reason = *most > 0 ? static_cast<inject::Unseen>(most - kernel_.unseen.begin()) : inject::Unseen::none;
    return reason_text(reason);
  }

  void price(const model::Profile& profile) {
    group_sites();
    add_local_traffic(launch_, profile);
    const Pricing pricing(launch_, profile);
    uncounted_ = pricing.uncounted();
    record_.explained_share = pricing.explained_share();
    if (!pricing.no_prediction().empty()) {
      record_.no_prediction = of_looked_at(pricing.no_prediction());
      const bool is_like_seen = !kernel_.like && !is_of_others(pricing.as_it_is().seconds);
      if (pricing.explains_little() && is_like_seen) add_savings(pricing);
      return;
    }
    if (is_of_others(pricing.as_it_is().seconds)) {
      record_.no_prediction = "its launches differ, and the one that was looked at is none of those that were timed";
      record_.explained_share.reset();
      if (!kernel_.launches_differ()) record_.flags.emplace_back("launches_differ");
      return;
    }
    const PricedLaunch& priced = pricing.as_it_is();
    if (priced.in_l2 == InL2::all) record_.flags.emplace_back("cache_resident");
    if (priced.in_l2 == InL2::part) record_.flags.emplace_back("partly_cached");
    if (profile.from_attributes) record_.flags.emplace_back("predicted_from_attributes");
    record_.predicted_s = priced.seconds;
    // Blocks of another grid may do something else: that counts as much again as the usual error.
    const double error = kernel_.like ? usual_error(priced.bottleneck) : 1;
    record_.predicted_low_s = pricing.within().low / error;
    record_.predicted_high_s = pricing.within().high * error;
    record_.headline.predicted = report::kernel_probe().headline.from_seconds(workload_, priced.seconds);
    record_.bottleneck = report::Bottleneck{std::string(priced.bottleneck), std::nullopt};
    record_.work = compact(pricing.work());
    for (const model::StageTime& stage : priced.stages) {
      record_.stages.push_back({std::string(stage.stage), stage.seconds, std::nullopt});
    }
    if (kernel_.like) return;  // its savings are as large a share of its time as those of the other grid
    add_savings(pricing);
    if (!report::library_kernel(kernel_.name)) {
      add_reloads(reloads_of(launch_, shown_->sample->sites, pricing, profile));
    }
  }

  /// Returns true if the measured times are of launches that do something else than the launch that was priced.
  [[nodiscard]] bool is_of_others(double predicted_s) const {
    if (!launch_.measured_s || !kernel_.is_timed_otherwise() || !kernel_.times_like_seen_s.empty()) return false;
    constexpr double far_off = 4;  // kernels of 5 us and more were never found so far off
    const double times = predicted_s / *launch_.measured_s;
    return kernel_.launches_differ() || times > far_off || times < 1 / far_off;
  }

  /// Adds the time that cures would save, of accesses alone if no time is predicted. Sites without a cure stay as they
  /// are; in a library's kernel, only what is passed to it can change.
  void add_savings(const Pricing& pricing) {
    Cure all{.good = std::vector<bool>(launch_.sites.size(), false)};
    std::vector<SiteGroup*> curable;
    for (SiteGroup& group : groups_) {
      if (!has_cure(group)) continue;
      bool wasteful = false;
      for (const std::size_t member : group.members) {
        const inject::Site& site = launch_.sites[member];
        all.good[member] = is_wasteful(site) || requests_meet(site, static_cast<double>(launch_.blocks));
        wasteful = wasteful || all.good[member];
      }
      if (wasteful) curable.push_back(&group);
    }
    for (SiteGroup* group : costliest(std::move(curable))) {
      Cure alone{.good = std::vector<bool>(launch_.sites.size(), false)};
      for (const std::size_t member : group->members) alone.good[member] = all.good[member];
      group->saved_s = pricing.saving(alone).seconds;
    }
    const bool predicted = !record_.no_prediction;
    const bool waits = predicted && (report::waits_for_loads(record_.stages) || pricing.would_wait(all.good));
    all.shared_out = waits && !report::library_kernel(kernel_.name);
    unsigned widest = 0;
    for (const inject::Site& site : launch_.sites) {
      if (is_off_chip(site)) widest = std::max<unsigned>(widest, site.word_bytes);
    }
    if (predicted && !report::library_kernel(kernel_.name))
      all.wider = report::elements_of_word(widest, record_.stages);
    const Saving saving = pricing.saving(all);
    metric(record_, report::could_save_name).predicted = saved_of_all(saving.seconds);
    metric(record_, report::could_save_low_name).predicted = saved_of_all(saving.within.low);
    metric(record_, report::could_save_high_name).predicted = saved_of_all(saving.within.high);
  }

  /// Adds the loads that blocks repeat, if sharing them saves more than anything else.
  void add_reloads(const std::optional<Reloads>& reloads) {
    if (!reloads) return;
    report::MetricRecord& saving = metric(record_, report::could_save_name);
    const double seconds = saved_of_all(reloads->saving.seconds);
    if (!(seconds > saving.predicted.value_or(0))) return;
    const inject::Site& site = launch_.sites[reloads->site];
    saving.predicted = seconds;
    metric(record_, report::could_save_low_name).predicted = saved_of_all(reloads->saving.within.low);
    metric(record_, report::could_save_high_name).predicted = saved_of_all(reloads->saving.within.high);
    report::ArrayRecord array{.bytes = whole_bytes(reloads->array_bytes), .made_at = {}};
    if (const auto made = callers_.array_of(*shown_, site)) array.made_at = made->made_at;
    record_.repeated_traffic =
        report::RepeatedTraffic{.cause = std::string(report::reloaded_by_blocks_cause),
                                .kernels = {kernel_.name},
                                .array = std::move(array),
                                .saves_bytes = reloads->saved_bytes * static_cast<double>(kernel_.launches),
                                .site = names_.name(kernel_, *shown_, site),
                                .times_loaded = reloads->times_loaded};
  }

  /// Returns the groups with the most waste, which are priced alone and told first. Their number is limited: pricing a
  /// group takes time for all sites, and a kernel may have thousands.
  [[nodiscard]] std::vector<SiteGroup*> costliest(std::vector<SiteGroup*> groups) const {
    constexpr std::size_t most_priced = 64;
    if (groups.size() <= most_priced) return groups;
    const auto cost = [&](const SiteGroup* group) {
      double bytes = 0;  // wasted, and of atomics all, for they wait for each other too
      for (const std::size_t member : group->members) {
        const inject::Site& site = launch_.sites[member];
        bytes += op_of(site) == access::Op::atomic ? static_cast<double>(site.sectors) * access::sector_bytes
                                                   : wasted_bytes(site);
      }
      return bytes;
    };
    std::ranges::stable_sort(groups, std::ranges::greater{}, cost);
    groups.resize(most_priced);
    return groups;
  }

  /// True if the group is wasteful or atomic, and the user can do something about it.
  [[nodiscard]] bool has_cure(const SiteGroup& group) const {
    const report::SiteRecord site = site_record(group.name, sites_of(group));
    const bool told = report::is_wasteful(site) || site.op == "atomic";
    return told && !report::site_cure(site, kernel_.name).empty();
  }

  [[nodiscard]] std::vector<const inject::Site*> sites_of(const SiteGroup& group) const {
    std::vector<const inject::Site*> sites;
    for (const std::size_t member : group.members) sites.push_back(&launch_.sites[member]);
    return sites;
  }

  void add_counts(const measure::Counts& counts, const model::Profile& profile) {
    record_.counters = counts;
    const model::Occupancy occupancy = model::occupancy_of(workload_, profile.device);
    record_.occupancy = report::OccupancyRecord{occupancy.share, std::string(occupancy.limited_by)};
    record_.bottleneck = report::Bottleneck{};
    report::add_counted_stages(record_, model::counted_stages(counts, workload_, profile), 1);
  }

  /// Scales a saving from one launch of the median time to all launches.
  [[nodiscard]] double saved_of_all(double of_launch_s) const {
    const auto own_s = kernel_.gpu_s();
    if (own_s && launch_.measured_s) return of_launch_s / *launch_.measured_s * *own_s;
    return of_launch_s * static_cast<double>(kernel_.launches);
  }

  void group_sites() {
    std::map<std::tuple<std::string, inject::RawSpace, inject::RawOp, unsigned, bool>, std::size_t> known;
    for (std::size_t i = 0; i < launch_.sites.size(); ++i) {
      const inject::Site& site = launch_.sites[i];
      std::string name = names_.name(kernel_, *shown_, site);
      const auto [place, is_new] =
          known.try_emplace({name, site.space, site.op, site.word_bytes, is_spill(site)}, groups_.size());
      if (is_new) groups_.push_back({.name = std::move(name), .members = {}});
      groups_[place->second].members.push_back(i);
      groups_[place->second].wasted_bytes += wasted_bytes(site);
    }
  }

  void add_sites() {
    std::ranges::stable_sort(groups_, std::ranges::greater{},
                             [](const SiteGroup& group) { return std::pair(group.saved_s, group.wasted_bytes); });
    for (const SiteGroup& group : groups_) {
      const std::vector<const inject::Site*> sites = sites_of(group);
      record_.access.push_back(site_record(group.name, sites));
      record_.access.back().array = callers_.array_of(*shown_, *sites.front());
    }
    for (const UncountedAccess& uncounted : uncounted_) {
      const inject::Site site{.pc = uncounted.index * instruction_bytes};
      record_.access.push_back(uncounted_record(names_.name(kernel_, *shown_, site), uncounted.hidden));
    }
  }

  void add_moved() {
    double moved = 0;
    double used = 0;
    for (const inject::Site& site : launch_.sites) {
      if (!is_off_chip(site)) continue;
      moved += static_cast<double>(site.sectors) * access::sector_bytes;
      if (!is_spill(site)) used += static_cast<double>(site.useful_bytes);
    }
    if (used > 0) metric(record_, report::moved_name).measured = moved / used;
  }

  const MergedRun& run_;
  const MergedKernel& kernel_;
  SiteNames& names_;
  Callers& callers_;
  const SeenLaunch* shown_;
  LaunchSums launch_;
  Workload workload_;
  std::vector<SiteGroup> groups_;
  std::vector<UncountedAccess> uncounted_;
  report::Record record_;
};

/// Returns the key that records are ranked by: the time that could be saved, then the GPU time.
std::pair<double, double> rank(const report::Record& record) {
  const auto value = [&](const char* name) {
    const auto found = std::ranges::find(record.metrics, name, &report::MetricRecord::name);
    return found->value().value_or(0);
  };
  return {value(report::could_save_name), value(report::gpu_time_name)};
}

}  // namespace

std::vector<report::Record> records_of(const MergedRun& run, const LaunchOrder& order,
                                       const std::vector<model::Profile>& profiles) {
  SiteNames names(run);
  Callers callers(run);
  std::vector<report::Record> records;
  for (const MergedKernel& kernel : run.kernels) {
    records.push_back(KernelRecord(run, kernel, names, callers).fill(profiles[kernel.device]));
    records.back().first_launch = records.size() - 1;
  }
  infer_times(records, run);
  add_passes(records, run, order, profiles, callers);
  report::add_explanations(records);  // the sites are known, so that this says what to change
  infer_savings(records, run);
  std::ranges::stable_sort(records, std::ranges::greater{}, rank);
  return records;
}

}  // namespace gpumem::program
