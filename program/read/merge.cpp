#include "program/read/merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "engine/base/demangle.hpp"
#include "engine/machine/devices.hpp"
#include "program/read/other_grids.hpp"
#include "program/read/raw_checks.hpp"
#include "program/watch/environment.hpp"
#include "program/watch/time_line.hpp"
#include "report/record/kernels.hpp"
#include "report/text/text.hpp"

namespace gpumem::program {

namespace {

constexpr const char* unnamed = "(a kernel whose name was lost)";

/// Text in a field of fixed size, which may fill it.
template <std::size_t size>
std::string field_text(const char (&field)[size]) {
  const std::string_view all(field, size);
  return std::string(all.substr(0, all.find('\0')));
}

Device device_of(const inject::DeviceEvent& event) {
  Device device;
  device.name = report::one_line(field_text(event.name));
  if (std::ranges::any_of(event.uuid, [](std::uint8_t byte) { return byte != 0; })) {
    device.uuid = measure::uuid_text(event.uuid, device.name);
  }
  device.pci_bus_id = measure::canonical_pci_bus_id(field_text(event.pci_bus_id));
  device.compute_capability = fmt::format("{}.{}", event.compute_capability_major, event.compute_capability_minor);
  device.multiprocessors = event.multiprocessors;
  device.l2_bytes = event.l2_bytes;
  device.memory_bytes = event.memory_bytes;
  device.memory_bus_bits = event.memory_bus_bits;
  device.memory_clock_hz = event.memory_clock_hz;
  device.sm_clock_hz = event.sm_clock_hz;
  device.shared_bytes_per_block = event.shared_bytes_per_block;
  device.shared_bytes_per_multiprocessor = event.shared_bytes_per_multiprocessor;
  device.threads_per_multiprocessor = event.threads_per_multiprocessor;
  device.integrated = event.integrated != 0;
  return device;
}

/// Devices with the same identity are the same device.
auto identity_of(const Device& device) { return std::tuple(device.name, device.uuid, device.pci_bus_id); }

std::string grid_text(const std::uint32_t (&grid)[3]) {
  if (grid[2] > 1) return fmt::format("{}x{}x{}", grid[0], grid[1], grid[2]);
  return grid[1] > 1 ? fmt::format("{}x{}", grid[0], grid[1]) : fmt::format("{}", grid[0]);
}

class Merge {
 public:
  MergedRun run(const std::vector<RawProcess>& processes) {
    for (const RawProcess& process : processes) {
      const std::uint64_t began = process.totals.began_ns;
      if (began > 0 && (began_ns_ == 0 || began < began_ns_)) began_ns_ = began;
    }
    run_.began_ns = began_ns_;
    for (const RawProcess& process : processes) add(process);
    finish();
    return std::move(run_);
  }

 private:
  using Key = std::tuple<std::string, std::string, unsigned, std::size_t>;

  void add(const RawProcess& process) {
    ++run_.processes;
    for (const RawProblem& problem : process.problems) note(problem.line);
    for (const std::string& line : process.damage) note("raw data " + line);
    std::map<std::uint32_t, std::size_t> kernel_of;  // by slot
    const std::set<std::uint32_t> graphs = add_graphs(process);
    for (const auto& [index, slot] : process.slots) {
      if (slot.launches == 0 || graphs.contains(index)) continue;
      kernel_of[index] = add(process, slot);
      run_.kernel_of[{&process, index}] = kernel_of[index];
    }
    for (const RawGraph& graph : process.graphs) add_time_lines(process, graph, kernel_of);
    for (const RawSample& sample : process.samples) {
      const auto slot = kernel_of.find(sample.event.slot);
      if (slot == kernel_of.end()) continue;  // its launches are lost
      const auto kernel = process.kernels.find(process.slots.at(slot->first).kernel);
      SeenLaunch seen{.process = &process, .sample = &sample};
      const inject::LaunchSlot& shape = process.slots.at(slot->first);
      seen.constants.parameters = sample.parameters;
      std::ranges::copy(shape.grid, seen.constants.grid.begin());
      std::ranges::copy(shape.block, seen.constants.block.begin());
      if (kernel != process.kernels.end()) {
        seen.image = kernel->second.event.image;
        seen.constants.parameter_offset = kernel->second.parameter_offset;
        // The code is used only if no site was lost: all accesses are needed to tell what ran.
        if (sample.event.lost_sites == 0) seen.code = kernel->second.code;
      }
      run_.kernels[slot->second].seen.push_back(seen);
      ++run_.launches_seen;
      if (sample.event.lost_sites > 0) ++lost_tables_;
    }
    for (const RawCounts& counted : process.counted) {
      const auto slot = kernel_of.find(counted.event.slot);
      if (slot == kernel_of.end()) continue;
      run_.kernels[slot->second].counted.push_back(&counted);
      run_.launches_seen +=
          std::min<std::uint64_t>(counted.event.passes, process.slots.at(counted.event.slot).launches);
    }
    for (const RawCaller& caller : process.callers) {
      const auto slot = kernel_of.find(caller.event.slot);
      if (slot != kernel_of.end()) run_.kernels[slot->second].callers.emplace_back(&process, &caller);
    }
    (process.engine == inject::EngineKind::counters ? run_.by_counters : run_.by_sites) = true;
    run_.launches += process.totals.beyond_slots;
    beyond_slots_ += process.totals.beyond_slots;
    graph_launches_ += process.totals.graph_launches;
    run_.sampling_s += static_cast<double>(process.totals.sampling_ns) * seconds_per_ns;
    add_departure(process.totals);
  }

  /// Keeps when the first of the processes was left alone.
  void add_departure(const inject::LaunchTotals& totals) {
    if (totals.left_ns <= began_ns_) return;
    const double after_s = static_cast<double>(totals.left_ns - began_ns_) * seconds_per_ns;
    run_.watched_s = std::min(run_.watched_s.value_or(after_s), after_s);
  }

  /// The slots of graphs whose kernels have slots of their own.
  std::set<std::uint32_t> add_graphs(const RawProcess& process) {
    std::set<std::uint32_t> by_node;
    for (const RawGraph& graph : process.graphs) {
      const auto slot = process.slots.find(graph.event.slot);
      if (slot == process.slots.end()) continue;
      if (graph.event.as_a_whole == 0) by_node.insert(slot->first);
      const bool is_known = run_.graph_of.contains({&process, slot->first});
      if (!is_known && slot->second.launches > 0) add_graph(process, graph, slot->second);
    }
    return by_node;
  }

  void add_graph(const RawProcess& process, const RawGraph& graph, const inject::LaunchSlot& slot) {
    const std::string name = name_of(process, slot.kernel);
    const std::size_t device_index = device(process, slot.device);
    const auto [place, is_new] = graph_places_.try_emplace({name, device_index}, run_.graphs.size());
    if (is_new) run_.graphs.push_back({.name = name, .device = device_index, .times_s = {}});
    MergedGraph& merged = run_.graphs[place->second];
    run_.graph_of[{&process, graph.event.slot}] = place->second;
    merged.kernels = 0;
    for (const inject::GraphKernel& kernel : graph.kernels) merged.kernels += kernel.launches;
    merged.launches += slot.launches;
    merged.as_a_whole = graph.event.as_a_whole != 0;
    merged.timed += slot.timed;
    merged.timed_s += static_cast<double>(slot.timed_ns) * seconds_per_ns;
    add_times(slot, merged.times_s);
  }

  /// Adds the time line of a graph to its kernels, to each for its share of the time.
  void add_time_lines(const RawProcess& process, const RawGraph& graph,
                      const std::map<std::uint32_t, std::size_t>& kernel_of) {
    const auto whole = process.slots.find(graph.event.slot);
    if (whole == process.slots.end() || graph.event.as_a_whole != 0 || whole->second.timed_ns == 0) return;
    const inject::LaunchSlot& slot = whole->second;
    const double graph_ns = static_cast<double>(slot.timed_ns) / static_cast<double>(slot.timed);
    for (const inject::GraphKernel& part : graph.kernels) {
      const auto kernel = kernel_of.find(part.slot);
      if (kernel == kernel_of.end()) continue;
      const inject::LaunchSlot& own = process.slots.at(part.slot);
      if (own.timed == 0) continue;
      const double own_ns = static_cast<double>(own.timed_ns) / static_cast<double>(own.timed) * part.launches;
      inject::TimeLine line = slot.ran;
      for (std::uint64_t& ran_ns : line.ran_ns) {
        ran_ns = static_cast<std::uint64_t>(static_cast<double>(ran_ns) * std::min(own_ns / graph_ns, 1.0));
      }
      add(line, process.totals.began_ns - began_ns_, run_.kernels[kernel->second].ran);
    }
  }

  static std::string function_of(const RawProcess& process, std::uint32_t kernel) {
    const auto known = process.kernels.find(kernel);
    return known == process.kernels.end() ? "" : known->second.name;
  }

  /// The kernel's demangled name. A name that no compiler mangled stays as it is.
  const std::string& name_of(const RawProcess& process, std::uint32_t kernel) {
    const auto [name, is_new] = names_.try_emplace({&process, kernel});
    if (!is_new) return name->second;
    const std::string function = function_of(process, kernel);
    name->second = function.empty() ? unnamed : report::one_line(demangled(function));
    return name->second;
  }

  static void add_times(const inject::LaunchSlot& slot, std::vector<double>& times_s,
                        std::uint64_t which = ~std::uint64_t{0}) {
    for (std::size_t i = 0; i < std::min(slot.times, inject::kept_times); ++i) {
      const double nanoseconds = slot.time_ns[i];
      if ((which >> i & 1) != 0 && is_possible_time(nanoseconds)) times_s.push_back(nanoseconds * seconds_per_ns);
    }
  }

  std::size_t add(const RawProcess& process, const inject::LaunchSlot& slot) {
    const auto known = process.kernels.find(slot.kernel);
    const std::string function = function_of(process, slot.kernel);
    const std::string name = name_of(process, slot.kernel);
    const unsigned threads = slot.block[0] * slot.block[1] * slot.block[2];
    const auto [place, is_new] =
        places_.try_emplace({name, grid_text(slot.grid), threads, device(process, slot.device)}, run_.kernels.size());
    if (is_new) run_.kernels.emplace_back();
    MergedKernel& kernel = run_.kernels[place->second];
    if (is_new) {
      std::tie(kernel.name, kernel.grid, kernel.block_threads, kernel.device) = place->first;
      kernel.function = function;
      kernel.blocks = std::uint64_t{slot.grid[0]} * slot.grid[1] * slot.grid[2];
      kernel.shared_bytes_per_block = slot.dynamic_shared_bytes;
      if (known != process.kernels.end()) {
        kernel.registers_per_thread = known->second.event.registers_per_thread;
        kernel.local_bytes_per_thread = known->second.event.local_bytes_per_thread;
        kernel.shared_bytes_per_block += known->second.event.static_shared_bytes;
      }
    }
    kernel.launches += slot.launches;
    run_.launches += slot.launches;
    kernel.timed += slot.timed;
    kernel.timed_s += static_cast<double>(slot.timed_ns) * seconds_per_ns;
    add_times(slot, kernel.times_s);
    add_times(slot, kernel.times_like_seen_s, slot.like_seen);
    if (slot.repeat_ns > 0) kernel.repeats_s.push_back(static_cast<double>(slot.repeat_ns) * seconds_per_ns);
    for (std::size_t reason = 0; reason < inject::unseen_reasons; ++reason) {
      kernel.unseen[reason] += slot.unseen[reason];
    }
    add(slot.ran, process.totals.began_ns - began_ns_, kernel.ran);
    for (const inject::RangeLaunches& launches : slot.ranges) add(process, launches, kernel);
    kernel.in_other_ranges += slot.in_other_ranges;
    return place->second;
  }

  /// Adds the time line of a process whose first launch came `late_ns` after the run's.
  static void add(const inject::TimeLine& line, std::uint64_t late_ns, inject::TimeLine& sum) {
    if (late_ns > inject::longest_run_ns) return;
    for (std::uint64_t bin = 0; bin < inject::kept_bins; ++bin) {
      if (line.ran_ns[bin] == 0) continue;
      inject::add_ran(sum, late_ns + bin * line.bin_ns, late_ns + (bin + 1) * line.bin_ns, line.ran_ns[bin]);
    }
  }

  static void add(const RawProcess& process, const inject::RangeLaunches& launches, MergedKernel& kernel) {
    const auto known = process.ranges.find(launches.range);
    if (known == process.ranges.end() || launches.launches == 0) return;
    constexpr std::size_t most_named = 64;
    const std::string name = report::one_line(known->second);
    auto range = std::ranges::find(kernel.ranges, name, &std::pair<std::string, std::uint64_t>::first);
    if (range == kernel.ranges.end() && kernel.ranges.size() == most_named) {
      kernel.in_other_ranges += launches.launches;
      return;
    }
    if (range == kernel.ranges.end()) range = kernel.ranges.insert(range, {name, 0});
    range->second += launches.launches;
  }

  /// The index of the process's device among the run's.
  std::size_t device(const RawProcess& process, std::uint32_t number) {
    const auto event = std::ranges::find(process.devices, number, &inject::DeviceEvent::device);
    Device device;
    if (event != process.devices.end()) {
      device = device_of(*event);
    } else {
      device.name = fmt::format("GPU {} (unknown)", number);
    }
    const auto [place, is_new] = devices_.try_emplace(identity_of(device), run_.devices.size());
    if (is_new) run_.devices.push_back(std::move(device));
    return place->second;
  }

  void note(const std::string& line) {
    if (!line.empty() && noted_.insert(line).second) run_.notes.push_back(line);
  }

  /// Gives the time lines of all kernels the same bins.
  void align_time_lines() {
    std::uint64_t bin_ns = 0;
    for (const MergedKernel& kernel : run_.kernels) bin_ns = std::max(bin_ns, kernel.ran.bin_ns);
    run_.bin_s = static_cast<double>(bin_ns) * seconds_per_ns;
    for (MergedKernel& kernel : run_.kernels) {
      inject::widen(kernel.ran, bin_ns);
      for (std::size_t bin = run_.bins; bin < inject::kept_bins; ++bin) {
        if (kernel.ran.ran_ns[bin] > 0) run_.bins = bin + 1;
      }
    }
  }

  /// Lets a seen launch of another grid stand for a kernel that was not seen because of that launch, or because of the
  /// time that sampling takes.
  void find_alike() {
    constexpr double most_times = 4;
    const OtherGrids seen(run_.kernels, [](const MergedKernel& other) { return !other.seen.empty(); });
    for (MergedKernel& kernel : run_.kernels) {
      const std::uint64_t spared = kernel.unseen[static_cast<std::size_t>(inject::Unseen::alike)] +
                                   kernel.unseen[static_cast<std::size_t>(inject::Unseen::overhead)];
      if (!kernel.seen.empty() || spared == 0) continue;
      kernel.like = seen.nearest(kernel, most_times);
    }
  }

  /// Lets repeats stand for launches of a kernel of which none was timed.
  void use_repeats() {
    for (MergedKernel& kernel : run_.kernels) {
      if (kernel.gpu_s() || kernel.repeats_s.empty()) continue;
      kernel.timed_by_repeat = true;
      kernel.timed = kernel.repeats_s.size();
      kernel.timed_s = std::accumulate(kernel.repeats_s.begin(), kernel.repeats_s.end(), 0.0);
      kernel.times_s = kernel.repeats_s;
      kernel.times_like_seen_s = kernel.repeats_s;
    }
  }

  void finish() {
    align_time_lines();
    use_repeats();
    find_alike();
    for (std::size_t reason = 1; reason < inject::unseen_reasons; ++reason) {
      std::uint64_t launches = 0;
      for (const MergedKernel& kernel : run_.kernels) {
        // Launches left out for their cost are not reported if another launch of the kernel was looked at.
        const bool of_cost = static_cast<inject::Unseen>(reason) == inject::Unseen::overhead ||
                             static_cast<inject::Unseen>(reason) == inject::Unseen::alike ||
                             static_cast<inject::Unseen>(reason) == inject::Unseen::few_launches;
        const bool looked_at = !kernel.seen.empty() || !kernel.counted.empty() || kernel.like;
        if (!of_cost || !looked_at) launches += kernel.unseen[reason];
      }
      if (launches > 0) run_.skipped.emplace_back(reason_text(static_cast<inject::Unseen>(reason)), launches);
    }
    if (beyond_slots_ > 0) {
      run_.skipped.emplace_back(
          fmt::format("only the first {} kernels, grids and blocks of a process are kept apart", inject::launch_slots),
          beyond_slots_);
    }
    if (graph_launches_ > 0) run_.skipped.emplace_back(report::graphs_reason, graph_launches_);
    if (lost_tables_ > 0) {
      note(fmt::format("in {} some access sites found no room in the table, so these kernels move more than shown",
                       report::counted(lost_tables_, "sample")));
    }
    if (run_.watched_s) {
      note(
          fmt::format("launches after {:.1f} s are in no count and no sum, and kernels that first came later are not "
                      "shown: nothing new was launched for long, and counting on would have slowed the program down; "
                      "{}=1 in the environment counts all launches",
                      *run_.watched_s, inject::stay_variable));
    }
    const auto varying = std::ranges::count_if(run_.kernels, &MergedKernel::varies);
    if (varying > 0) {
      note(fmt::format("{} different amounts in different launches; each row shows its median launch",
                       varying == 1 ? "1 kernel accesses" : fmt::format("{} kernels access", varying)));
    }
  }

  MergedRun run_;
  std::uint64_t began_ns_ = 0;  // the run's first launch
  std::map<Key, std::size_t> places_;
  std::map<std::pair<std::string, std::size_t>, std::size_t> graph_places_;  // by name and device
  std::map<std::invoke_result_t<decltype(identity_of), Device>, std::size_t> devices_;
  std::map<std::pair<const RawProcess*, std::uint32_t>, std::string> names_;  // of kernels, demangled
  std::set<std::string> noted_;
  std::uint64_t beyond_slots_ = 0;
  std::uint64_t graph_launches_ = 0;
  std::size_t lost_tables_ = 0;
};

}  // namespace

MergedRun merged(const std::vector<RawProcess>& processes) { return Merge().run(processes); }

}  // namespace gpumem::program
