#include "report/write/reports/trace_events.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/words.hpp"
#include "report/record/kernel_place.hpp"
#include "report/record/kernels.hpp"
#include "report/text/text.hpp"

namespace gpumem::report {

namespace {

std::string gpu_name(const Report& report, std::uint64_t device) {
  const std::string number = fmt::format("GPU {}", device);
  return device < report.devices.size() ? number + ": " + one_line(report.devices[device].name) : number;
}

/// The processes of one report.
class ReportTrace {
 public:
  explicit ReportTrace(const Report& report) : report_(report), kernels_(cases_of(report.results)), places_(kernels_) {
    if (has_timeline(report)) {
      add_timeline(*report.program->timeline);
    } else {
      add_bins();
    }
    begin_at_zero();
  }

  [[nodiscard]] std::vector<TraceProcess> take() && {
    std::vector<TraceProcess> all;
    for (auto& [key, process] : processes_) all.push_back(std::move(process));
    return all;
  }

 private:
  TraceProcess& process_on(std::uint64_t process, std::uint64_t device) {
    TraceProcess& found = processes_[{process, device + 1}];
    found.name = fmt::format("process {}, {}", process, gpu_name(report_, device));
    return found;
  }

  [[nodiscard]] static TraceArguments arguments_of(const Record& kernel) {
    TraceArguments arguments;
    for (const char* parameter : {kernel_parameter, grid_parameter, block_threads_parameter}) {
      const Parameter* found = find_parameter(kernel, parameter);
      if (found == nullptr) continue;
      std::visit([&](const auto& value) { arguments.emplace_back(parameter, value); }, found->value);
    }
    if (kernel.predicted_s) arguments.emplace_back("predicted_seconds", *kernel.predicted_s);
    if (kernel.caller) arguments.emplace_back("caller", *kernel.caller);
    if (kernel.operator_name) arguments.emplace_back("operator", *kernel.operator_name);
    return arguments;
  }

  [[nodiscard]] TraceEvent event_of(const LaunchSpan& launch, bool is_own_time) const {
    TraceEvent event{.name = "unknown kernel", .span = time_span(launch.begin_s, launch.seconds), .arguments = {}};
    if (launch.result && *launch.result < kernels_.size()) {
      const Record& kernel = *kernels_[*launch.result];
      event.name = places_.words(kernel);
      event.arguments = arguments_of(kernel);
      // The time of a slowed launch says nothing about its bandwidth.
      if (is_own_time && launch.seconds > 0 && kernel.useful_bytes() > 0) {
        event.arguments.emplace_back("bytes_per_second", kernel.useful_bytes() / launch.seconds);
      }
      event.arguments.emplace_back("result", *launch.result);
    }
    event.arguments.emplace_back("seconds", launch.seconds);
    if (launch.graph) event.arguments.emplace_back("graph", *launch.graph);
    return event;
  }

  void add_timeline(const ProgramTimeline& timeline) {
    const auto add = [&](const std::vector<LaunchSpan>& launches, TrackKind kind) {
      for (const LaunchSpan& launch : launches) {
        process_on(launch.process, launch.device)
            .tracks[{kind, launch.stream}]
            .push_back(event_of(launch, kind == TrackKind::launches));
      }
    };
    add(timeline.launches, TrackKind::launches);
    add(timeline.samples, TrackKind::samples);
    for (const GraphSpan& graph : timeline.graphs) {
      TraceEvent event{.name = fmt::format("graph {}", graph.graph),
                       .span = time_span(graph.begin_s, graph.seconds.value_or(0)),
                       .arguments = {{"graph", graph.graph}},
                       .is_instant = !graph.seconds};
      if (graph.seconds) event.arguments.emplace_back("seconds", *graph.seconds);
      process_on(graph.process, graph.device).tracks[{TrackKind::graphs, graph.stream}].push_back(std::move(event));
    }
    for (const RangeSpan& range : timeline.ranges) {
      TraceProcess& process = processes_[{range.process, 0}];
      process.name = fmt::format("process {}, host", range.process);
      process.tracks[{TrackKind::ranges, range.thread}].push_back({.name = one_line(range.name),
                                                                   .span = time_span(range.begin_s, range.seconds),
                                                                   .arguments = {{"seconds", range.seconds}}});
    }
  }

  /// Adds an event for each bin of the run in which a kernel ran: from the bin's begin on, as long as it ran.
  void add_bins() {
    const double bin_s = report_.program->bin_s.value_or(0);
    for (const Record* kernel : kernels_) {
      const std::uint64_t device = number_of(*kernel, device_parameter).value_or(0);
      if (std::ranges::none_of(kernel->ran_s, [](double seconds) { return seconds > 0; })) continue;
      TraceProcess& process = processes_[{0, device}];
      process.name = gpu_name(report_, device) + fmt::format(", bins of {}", duration_words(bin_s));
      const Track track{TrackKind::bins, static_cast<std::uint64_t>(kernel - report_.results.data())};
      process.names[track] = places_.words(*kernel);
      for (std::size_t bin = 0; bin < kernel->ran_s.size(); ++bin) {
        if (!(kernel->ran_s[bin] > 0)) continue;
        TraceArguments arguments = arguments_of(*kernel);
        arguments.emplace_back("ran_seconds", kernel->ran_s[bin]);
        arguments.emplace_back("bin_seconds", bin_s);
        process.tracks[track].push_back(
            {.name = process.names[track],
             .span = time_span(static_cast<double>(bin) * bin_s, std::min(kernel->ran_s[bin], bin_s)),
             .arguments = std::move(arguments)});
      }
    }
  }

  /// Shifts all events if any begins before the first launch, so that the earliest begins at 0.
  void begin_at_zero() {
    std::int64_t earliest_ns = 0;
    const auto each = [&](const auto& action) {
      for (auto& [key, process] : processes_) {
        for (auto& [track, events] : process.tracks) {
          for (TraceEvent& event : events) action(event.span);
        }
      }
    };
    each([&](const TimeSpan& span) { earliest_ns = std::min(earliest_ns, span.begin_ns); });
    each([&](TimeSpan& span) {
      span.begin_ns -= earliest_ns;
      span.end_ns -= earliest_ns;
    });
  }

  const Report& report_;
  Cases kernels_;
  KernelPlaces places_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, TraceProcess> processes_;  // by process, and GPU + 1 or host
};

}  // namespace

bool has_timeline(const Report& report) {
  if (!report.program || !report.program->timeline) return false;
  const ProgramTimeline& timeline = *report.program->timeline;
  return !timeline.launches.empty() || !timeline.graphs.empty() || !timeline.ranges.empty() ||
         !timeline.samples.empty();
}

bool has_bins(const Report& report) {
  return report.program && report.program->bin_s.value_or(0) > 0 &&
         std::ranges::any_of(report.results, [](const Record& record) { return !record.ran_s.empty(); });
}

std::vector<TraceProcess> trace_processes(const Report& report) { return ReportTrace(report).take(); }

}  // namespace gpumem::report
