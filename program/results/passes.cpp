#include "program/results/passes.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <optional>
#include <string>

#include "engine/access/request.hpp"
#include "engine/model/stages.hpp"
#include "program/machine_code/instructions.hpp"
#include "program/price/launch_pricing.hpp"
#include "program/read/whole_launch.hpp"
#include "program/results/array_uses.hpp"
#include "report/record/kernels.hpp"

namespace gpumem::program {

namespace {

constexpr double most_launches = 0.5;  // of the second kernel's, that come right after the first
constexpr double as_much = 0.02;       // that a copy may load more than it stores
constexpr double small_share = 0.5;    // of the array: smaller ones, such as a bias, may be loaded again and again

report::MetricRecord& metric_of(report::Record& record, const char* name) {
  return *std::ranges::find(record.metrics, name, &report::MetricRecord::name);
}

/// An array that a kernel stores and the next one loads.
struct Link {
  KernelPair kernels;
  ArrayUse stored;
  double loaded_bytes = 0;  ///< of a launch
  double times = 0;         ///< launches of the second kernel right after the first
  bool is_only_reader = true;
};

/// The savings of a kernel in all of its launches.
struct Saved {
  double seconds = 0;
  double bytes = 0;
};

class Passes {
 public:
  Passes(std::vector<report::Record>& records, const MergedRun& run, const LaunchOrder& order,
         const std::vector<model::Profile>& profiles, Callers& callers)
      : records_(records), run_(run), order_(order), profiles_(profiles), callers_(callers) {
    for (const MergedKernel& kernel : run.kernels) {
      const SeenLaunch* shown = kernel.shown();
      uses_.push_back(shown == nullptr ? std::nullopt
                                       : std::optional(array_uses(whole_launch(*shown->sample, kernel.blocks).sites)));
    }
  }

  void add() {
    std::vector<Link> links;
    for (const KernelPair& pair : order_.pairs()) {
      const auto& [first, second] = pair;
      const double share = order_.share_that_follows(pair);
      if (share < most_launches || !can_pass(first) || !can_pass(second)) continue;
      const double times = share * static_cast<double>(run_.kernels[second].launches);
      if (first == second) {
        if (auto link = link_to_itself(first, times)) links.push_back(*link);
        continue;
      }
      if (add_copy(pair, times)) continue;
      if (auto link = link_of(pair, times)) links.push_back(*link);
    }
    add_chains(links);
  }

 private:
  [[nodiscard]] bool can_pass(std::size_t kernel) const {
    return uses_[kernel] && gpu_s(kernel) > 0 && records_[kernel].status == report::Status::ok;
  }

  [[nodiscard]] double gpu_s(std::size_t kernel) const {
    return metric_of(records_[kernel], report::gpu_time_name).value().value_or(0);
  }

  /// Returns true if the kernel does the same to each element, as far as its accesses tell: no thread gets data from
  /// another, and each large array is gone over once.
  [[nodiscard]] bool is_element_wise(const ArrayUses& uses, double array_bytes) const {
    const auto is_simple = [&](const ArrayUse& use) {
      return use.touched_bytes < small_share * array_bytes || use.goes_once();
    };
    return uses.is_plain && !uses.uses_shared() && std::ranges::all_of(uses.loads, is_simple) &&
           std::ranges::all_of(uses.stores, is_simple);
  }

  [[nodiscard]] std::optional<Link> link_of(const KernelPair& pair, double times) const {
    return link_of(pair, times, *uses_[pair.first], *uses_[pair.second]);
  }

  /// Returns the link between launches of one kernel, if two that follow each other were looked at.
  [[nodiscard]] std::optional<Link> link_to_itself(std::size_t kernel, double times) const {
    const MergedKernel& merged = run_.kernels[kernel];
    const auto uses_of = [&](const SeenLaunch& seen) {
      return array_uses(whole_launch(*seen.sample, merged.blocks).sites);
    };
    for (std::size_t i = 1; i < merged.seen.size(); ++i) {
      const SeenLaunch& before = merged.seen[i - 1];
      const SeenLaunch& after = merged.seen[i];
      const inject::SampleEvent& event = after.sample->event;
      const bool is_next = before.process == after.process && before.sample->event.slot == event.slot &&
                           before.sample->event.order + 1 == event.order;
      if (is_next) return link_of({kernel, kernel}, times, uses_of(before), uses_of(after));
    }
    return std::nullopt;
  }

  [[nodiscard]] std::optional<Link> link_of(const KernelPair& pair, double times, const ArrayUses& first,
                                            const ArrayUses& second) const {
    for (const ArrayUse& stored : first.stores) {
      if (!stored.goes_once()) continue;
      const auto loaded = std::ranges::find_if(second.loads, [&](const ArrayUse& use) {
        return use.goes_once() && covers(use, stored) && covers(stored, use);
      });
      if (loaded == second.loads.end()) continue;
      if (!is_element_wise(first, stored.touched_bytes) || !is_element_wise(second, stored.touched_bytes)) continue;
      return Link{.kernels = pair,
                  .stored = stored,
                  .loaded_bytes = std::min(loaded->touched_bytes, stored.touched_bytes),
                  .times = times,
                  .is_only_reader = is_only_reader(pair, stored)};
    }
    return std::nullopt;
  }

  /// Returns true if no other kernel was seen to load the array that the first stored before somebody stores it again.
  [[nodiscard]] bool is_only_reader(const KernelPair& pair, const ArrayUse& stored) const {
    std::vector<bool> loads(uses_.size());
    std::vector<bool> overwrites(uses_.size());
    for (std::size_t i = 0; i < uses_.size(); ++i) {
      if (!uses_[i]) continue;
      loads[i] = std::ranges::any_of(uses_[i]->loads, [&](const ArrayUse& use) { return lies_in(use, stored); });
      overwrites[i] = std::ranges::any_of(uses_[i]->stores, [&](const ArrayUse& use) { return covers(use, stored); });
    }
    for (const std::vector<std::size_t>& stream : order_.streams()) {
      bool is_there = false;    // what the first stored
      bool was_loaded = false;  // by the second
      bool has_first = false;
      for (const std::size_t kernel : stream) {
        if (is_there && loads[kernel] && (kernel != pair.second || was_loaded)) return false;
        if (is_there && kernel == pair.second) was_loaded = true;
        if (overwrites[kernel]) is_there = was_loaded = false;
        if (kernel == pair.first) {
          is_there = has_first = true;
          was_loaded = false;
        }
      }
      // Streams run side by side: nobody knows which comes first.
      const auto is_reader = [&](std::size_t kernel) { return loads[kernel]; };
      if (!has_first && std::ranges::any_of(stream, is_reader)) return false;
    }
    return true;
  }

  /// Returns true if its code has arithmetic of floats, or if nobody can read it. Products of halves are no sign: the
  /// compiler loads constants by them.
  [[nodiscard]] bool computes_floats(std::size_t kernel) const {
    const MergedKernel& merged = run_.kernels[kernel];
    const unsigned major = run_.devices[merged.device].compute_capability_major();
    const std::vector<MachineInstruction> code = instructions_of(merged.shown()->code, major);
    return code.empty() || std::ranges::any_of(code, [](const MachineInstruction& instruction) {
             return instruction.computes_floats || instruction.pipe == Pipe::fp64 || instruction.pipe == Pipe::tensor;
           });
  }

  /// Returns true if the kernel moves each element to another place and does nothing else.
  [[nodiscard]] bool only_copies(std::size_t kernel) const {
    const ArrayUses& uses = *uses_[kernel];
    if (!uses.is_plain || uses.stores.size() != 1 || computes_floats(kernel)) return false;
    const double bytes = uses.stored_bytes;
    const auto is_as_much = [&](double other) { return std::abs(other - bytes) <= as_much * bytes; };
    if (!is_as_much(uses.loaded_bytes)) return false;
    if (uses.uses_shared() && (!is_as_much(uses.shared_loaded_bytes) || !is_as_much(uses.shared_stored_bytes)))
      return false;
    const ArrayUse& stored = uses.stores.front();
    if (std::ranges::any_of(uses.loads, [&](const ArrayUse& use) { return lies_in(use, stored); })) return false;
    const auto in_order = [](const ArrayUse& use) { return use.in_order; };
    // PyTorch copies arrays that lie alike by other kernels than this one.
    const bool by_strides = run_.kernels[kernel].name.find("at::native::elementwise_kernel") != std::string::npos;
    return uses.uses_shared() || by_strides || !stored.in_order || !std::ranges::all_of(uses.loads, in_order);
  }

  /// Adds that the first kernel copies for the second alone. Returns false if it does not.
  bool add_copy(const KernelPair& pair, double times) {
    if (!only_copies(pair.first)) return false;
    const ArrayUse& stored = uses_[pair.first]->stores.front();
    double loaded = 0;
    for (const ArrayUse& use : uses_[pair.second]->loads) {
      if (lies_in(use, stored)) loaded += use.touched_bytes;
    }
    if (loaded < (1 - 5 * as_much) * stored.touched_bytes || !is_only_reader(pair, stored)) return false;
    const double share = std::min(1.0, times / static_cast<double>(run_.kernels[pair.first].launches));
    const double seconds = share * gpu_s(pair.first);
    const ArrayUses& uses = *uses_[pair.first];
    set(pair.first,
        {.cause = std::string(report::layout_copy_cause),
         .kernels = names_of({pair.first, pair.second}),
         .group = ++groups_,
         .array = array_of(pair.first, stored),
         .saves_bytes = times * (uses.loaded_bytes + uses.stored_bytes)},
        {.low = 0, .high = seconds}, seconds);
    return true;
  }

  [[nodiscard]] std::vector<std::string> names_of(const std::vector<std::size_t>& kernels) const {
    std::vector<std::string> names;
    for (const std::size_t kernel : kernels) names.push_back(run_.kernels[kernel].name);
    return names;
  }

  /// Returns the array and its allocation, if that is known and no longer.
  [[nodiscard]] report::ArrayRecord array_of(std::size_t kernel, const ArrayUse& stored) {
    report::ArrayRecord array{.bytes = whole_bytes(stored.touched_bytes), .made_at = {}};
    const SeenLaunch& shown = *run_.kernels[kernel].shown();
    for (const inject::Site& site : shown.sample->sites) {
      if (site.op != inject::RawOp::store || site.shown == 0) continue;
      const std::uint64_t address = site.request[0].address[std::countr_zero(site.request[0].active) % 32];
      if (address < stored.lowest || address >= stored.highest) continue;
      if (const auto made = callers_.array_of(shown, site)) array.made_at = made->made_at;
    }
    return array;
  }

  /// Puts links that share a kernel together, and adds what each of their kernels could save.
  void add_chains(const std::vector<Link>& links) {
    std::map<std::size_t, std::size_t> leads;  // by kernel, another one of its chain; itself: the first
    const auto lead = [&](std::size_t kernel) {
      while (leads.at(kernel) != kernel) kernel = leads.at(kernel);
      return kernel;
    };
    for (const Link& link : links) {
      for (const std::size_t kernel : {link.kernels.first, link.kernels.second}) leads.try_emplace(kernel, kernel);
      const auto [one, other] = std::minmax({lead(link.kernels.first), lead(link.kernels.second)});  // two values
      leads.at(other) = one;
    }
    std::map<std::size_t, std::vector<Link>> chains;
    for (const Link& link : links) chains[lead(link.kernels.first)].push_back(link);
    for (const auto& [first, of_chain] : chains) add_chain(of_chain);
  }

  void add_chain(const std::vector<Link>& links) {
    std::map<std::size_t, Saved> saved;  // in the order of first launches
    const Link* largest = &links.front();
    for (const Link& link : links) {
      const double stored_bytes = link.is_only_reader ? link.stored.touched_bytes : 0;
      add_saved(saved[link.kernels.first], link, stored_bytes, false);
      add_saved(saved[link.kernels.second], link, link.loaded_bytes, true);
      if (link.stored.touched_bytes > largest->stored.touched_bytes) largest = &link;
    }
    std::vector<std::size_t> kernels;
    double all_s = 0;
    double shortest_s = left_s(saved.begin()->first, links);
    double saved_s = 0;
    for (auto& [kernel, own] : saved) {
      kernels.push_back(kernel);
      own.seconds = std::min(own.seconds, most_saved_s(kernel));
      saved_s += own.seconds;
      all_s += gpu_s(kernel);
      shortest_s = std::min(shortest_s, left_s(kernel, links));
    }
    // One kernel is left, which takes at least as long as the shortest.
    const double scale = saved_s > 0 ? std::min(1.0, (all_s - shortest_s) / saved_s) : 0;
    const report::ArrayRecord array = array_of(largest->kernels.first, largest->stored);
    ++groups_;
    const double error = usual_error("dram");
    for (const auto& [kernel, own] : saved) {
      const double seconds = scale * own.seconds;
      set(kernel,
          {.cause = std::string(report::several_passes_cause),
           .kernels = names_of(kernels),
           .group = groups_,
           .array = array,
           .saves_bytes = own.bytes},
          {.low = seconds / error, .high = std::min(seconds * error, gpu_s(kernel))}, seconds);
    }
  }

  /// Returns the time of the kernel's launches, without those that go into the launch before.
  [[nodiscard]] double left_s(std::size_t kernel, const std::vector<Link>& links) const {
    const auto itself = std::ranges::find(links, KernelPair(kernel, kernel), &Link::kernels);
    const double times = itself == links.end() ? 0 : itself->times;
    return gpu_s(kernel) * (1 - times / static_cast<double>(run_.kernels[kernel].launches));
  }

  /// Adds the bytes of a link, at the rate of L2 if the array fits there, else at that of copies in device memory.
  void add_saved(Saved& saved, const Link& link, double bytes, bool is_load) const {
    const model::Profile& profile = profiles_[run_.kernels[link.kernels.first].device];
    const bool fits = link.stored.touched_bytes <= static_cast<double>(profile.device.l2_bytes);
    const model::Rates& rates = profile.rates;
    const double sectors_per_s = is_load ? rates.l2.load_sectors_per_s : rates.l2.store_sectors_per_s;
    const double rate = fits ? sectors_per_s * access::sector_bytes : rates.dram.copy_bytes_per_s;
    if (!(rate > 0)) return;
    saved.bytes += link.times * bytes;
    saved.seconds += link.times * bytes / rate;
  }

  /// Returns the time of the kernel's launches, less what its arithmetic takes of it.
  [[nodiscard]] double most_saved_s(std::size_t kernel) const {
    const report::Record& record = records_[kernel];
    double arithmetic_s = 0;
    for (const report::StageRecord& stage : record.stages) {
      if (model::is_arithmetic(stage.stage)) arithmetic_s = std::max(arithmetic_s, stage.predicted_s.value_or(0));
    }
    return std::max(0.0, gpu_s(kernel) - arithmetic_s * static_cast<double>(run_.kernels[kernel].launches));
  }

  /// Sets the saving of a kernel, unless it could save more by itself.
  void set(std::size_t kernel, report::RepeatedTraffic repeated, const Interval& within, double seconds) {
    report::Record& record = records_[kernel];
    report::MetricRecord& saving = metric_of(record, report::could_save_name);
    if (!(seconds > saving.value().value_or(0))) return;
    record.repeated_traffic = std::move(repeated);
    saving.predicted = seconds;
    metric_of(record, report::could_save_low_name).predicted = within.low;
    metric_of(record, report::could_save_high_name).predicted = within.high;
  }

  std::vector<report::Record>& records_;
  const MergedRun& run_;
  const LaunchOrder& order_;
  const std::vector<model::Profile>& profiles_;
  Callers& callers_;
  std::vector<std::optional<ArrayUses>> uses_;
  std::uint64_t groups_ = 0;
};

}  // namespace

void add_passes(std::vector<report::Record>& records, const MergedRun& run, const LaunchOrder& order,
                const std::vector<model::Profile>& profiles, Callers& callers) {
  Passes(records, run, order, profiles, callers).add();
}

}  // namespace gpumem::program
