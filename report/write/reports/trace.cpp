// When a program did what on its GPUs, in Chrome's trace event format, which https://ui.perfetto.dev and
// chrome://tracing open. Times are in microseconds since the first launch, or since the first range if that is earlier.
// https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU describes the format.

#include <fmt/format.h>

#include <algorithm>
#include <compare>
#include <map>
#include <ostream>
#include <string>
#include <utility>

#include "engine/base/words.hpp"
#include "report/record/kernel_place.hpp"
#include "report/record/kernels.hpp"
#include "report/text/text.hpp"
#include "report/write/json_values.hpp"
#include "report/write/reports/trace_lanes.hpp"
#include "report/write/writers.hpp"

namespace gpumem::report {

namespace {

using json_values::Json;

constexpr double ns_per_us = 1000;

/// What stands on a track, in the order in which tracks of a process stand.
enum class TrackKind { ranges, launches, graphs, samples, bins };

/// One of a process: several lanes where what is on it overlaps.
struct Track {
  TrackKind kind = TrackKind::launches;
  std::uint64_t number = 0;  ///< of the stream, the thread or the kernel
  auto operator<=>(const Track&) const = default;
};

struct TraceEvent {
  std::string name;
  TimeSpan span;
  Json args;
  bool is_instant = false;  ///< its end is not known
};

/// A process of the trace: what one of the program's did on one GPU, or its ranges.
struct TraceProcess {
  std::string name;
  std::map<Track, std::vector<TraceEvent>> tracks;
  std::map<Track, std::string> names = {};  ///< of tracks that their kind and number do not name
};

std::string track_name(const Track& track) {
  switch (track.kind) {
    case TrackKind::ranges:
      return fmt::format("thread {}: ranges", track.number);
    case TrackKind::launches:
      return fmt::format("stream {}", track.number);
    case TrackKind::graphs:
      return fmt::format("stream {}: graphs", track.number);
    case TrackKind::samples:
      return fmt::format("stream {}: seen access by access, and slower for it", track.number);
    case TrackKind::bins:
      break;
  }
  return "";
}

const char* category(TrackKind kind) {
  switch (kind) {
    case TrackKind::ranges:
      return "range";
    case TrackKind::launches:
      return "kernel";
    case TrackKind::graphs:
      return "graph";
    case TrackKind::samples:
      return "sample";
    case TrackKind::bins:
      break;
  }
  return "bin";
}

std::string gpu_name(const Report& report, std::uint64_t device) {
  const std::string number = fmt::format("GPU {}", device);
  return device < report.devices.size() ? number + ": " + one_line(report.devices[device].name) : number;
}

/// The processes of one report.
class ReportTrace {
 public:
  explicit ReportTrace(const Report& report) : report_(report), kernels_(all_of(report)), places_(kernels_) {
    if (has_events(report)) {
      add_timeline(*report.program->timeline);
    } else {
      add_bins();
    }
    begin_at_zero();
  }

  [[nodiscard]] std::map<std::pair<std::uint64_t, std::uint64_t>, TraceProcess>& processes() { return processes_; }

  static bool has_events(const Report& report) {
    if (!report.program || !report.program->timeline) return false;
    const ProgramTimeline& timeline = *report.program->timeline;
    return !timeline.launches.empty() || !timeline.graphs.empty() || !timeline.ranges.empty() ||
           !timeline.samples.empty();
  }
  static bool has_bins(const Report& report) {
    return report.program && report.program->bin_s.value_or(0) > 0 &&
           std::ranges::any_of(report.results, [](const Record& record) { return !record.ran_s.empty(); });
  }

 private:
  static Cases all_of(const Report& report) {
    Cases all;
    for (const Record& record : report.results) all.push_back(&record);
    return all;
  }

  TraceProcess& process_on(std::uint64_t process, std::uint64_t device) {
    TraceProcess& found = processes_[{process, device + 1}];
    found.name = fmt::format("process {}, {}", process, gpu_name(report_, device));
    return found;
  }

  [[nodiscard]] static Json args_of(const Record& kernel) {
    Json args = Json::object();
    for (const char* parameter : {kernel_parameter, grid_parameter, block_threads_parameter}) {
      if (const Parameter* found = find_parameter(kernel, parameter)) {
        args[parameter] = json_values::parameter(found->value);
      }
    }
    if (kernel.predicted_s) args["predicted_seconds"] = json_values::number(kernel.predicted_s);
    if (kernel.caller) args["caller"] = *kernel.caller;
    if (kernel.operator_name) args["operator"] = *kernel.operator_name;
    return args;
  }

  TraceEvent event_of(const LaunchSpan& launch, bool is_own_time) const {
    TraceEvent event{
        .name = "unknown kernel", .span = time_span(launch.begin_s, launch.seconds), .args = Json::object()};
    if (launch.result && *launch.result < kernels_.size()) {
      const Record& kernel = *kernels_[*launch.result];
      event.name = places_.words(kernel);
      event.args = args_of(kernel);
      // Of a launch that is slowed this would say nothing.
      if (is_own_time && launch.seconds > 0 && kernel.useful_bytes() > 0) {
        event.args["bytes_per_second"] = json_values::number(kernel.useful_bytes() / launch.seconds);
      }
      event.args["result"] = *launch.result;
    }
    event.args["seconds"] = json_values::number(launch.seconds);
    if (launch.graph) event.args["graph"] = *launch.graph;
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
                       .args = {{"graph", graph.graph}, {"seconds", json_values::number(graph.seconds)}},
                       .is_instant = !graph.seconds};
      process_on(graph.process, graph.device).tracks[{TrackKind::graphs, graph.stream}].push_back(std::move(event));
    }
    for (const RangeSpan& range : timeline.ranges) {
      TraceProcess& process = processes_[{range.process, 0}];
      process.name = fmt::format("process {}, host", range.process);
      process.tracks[{TrackKind::ranges, range.thread}].push_back(
          {.name = one_line(range.name),
           .span = time_span(range.begin_s, range.seconds),
           .args = {{"seconds", json_values::number(range.seconds)}}});
    }
  }

  /// How long each kernel ran in each bin of the run, from the bin's begin on.
  void add_bins() {
    const double bin_s = report_.program->bin_s.value_or(0);
    for (const Record* kernel : kernels_) {
      const Parameter* parameter = find_parameter(*kernel, device_parameter);
      const auto* held = parameter == nullptr ? nullptr : std::get_if<std::uint64_t>(&parameter->value);
      const std::uint64_t device = held == nullptr ? 0 : *held;
      if (std::ranges::none_of(kernel->ran_s, [](double seconds) { return seconds > 0; })) continue;
      TraceProcess& process = processes_[{0, device}];
      process.name = gpu_name(report_, device) + fmt::format(", bins of {}", duration_words(bin_s));
      const Track track{TrackKind::bins, static_cast<std::uint64_t>(kernel - report_.results.data())};
      process.names[track] = places_.words(*kernel);
      for (std::size_t bin = 0; bin < kernel->ran_s.size(); ++bin) {
        if (!(kernel->ran_s[bin] > 0)) continue;
        Json args = args_of(*kernel);
        args["ran_seconds"] = json_values::number(kernel->ran_s[bin]);
        args["bin_seconds"] = json_values::number(bin_s);
        process.tracks[track].push_back(
            {.name = process.names[track],
             .span = time_span(static_cast<double>(bin) * bin_s, std::min(kernel->ran_s[bin], bin_s)),
             .args = std::move(args)});
      }
    }
  }

  /// What began before the first launch begins at 0.
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

/// Writes events, one a line.
class TraceWriter {
 public:
  explicit TraceWriter(std::ostream& out) : out_(out) {}

  void add(TraceProcess& process) {
    ++process_;
    next_thread_ = 0;
    name("process_name", 0, process.name);
    sort("process_sort_index", 0, process_);
    for (auto& [track, events] : process.tracks) {
      const auto own = process.names.find(track);
      add(track, own == process.names.end() ? track_name(track) : own->second, events);
    }
  }

 private:
  void add(const Track& track, const std::string& title, const std::vector<TraceEvent>& events) {
    std::vector<TimeSpan> spans;
    for (const TraceEvent& event : events) spans.push_back(event.span);
    const auto lanes = track.kind == TrackKind::ranges ? lanes_nested(spans) : lanes_side_by_side(spans);
    const std::uint64_t first = next_thread_ + 1;
    for (const std::size_t lane : lanes) next_thread_ = std::max<std::uint64_t>(next_thread_, first + lane);
    for (std::uint64_t thread = first; thread <= next_thread_; ++thread) {
      name("thread_name", thread, thread == first ? title : fmt::format("{} ({})", title, thread - first + 1));
      sort("thread_sort_index", thread, thread);
    }
    for (std::size_t i = 0; i < events.size(); ++i) {
      const TraceEvent& event = events[i];
      const auto in_us = [](std::int64_t ns) { return static_cast<double>(ns) / ns_per_us; };
      Json json = {{"name", event.name}, {"cat", category(track.kind)}, {"ph", event.is_instant ? "i" : "X"},
                   {"pid", process_},    {"tid", first + lanes[i]},     {"ts", in_us(spans[i].begin_ns)}};
      if (event.is_instant) {
        json["s"] = "t";  // an arrow on this track alone
      } else {
        json["dur"] = in_us(spans[i].end_ns - spans[i].begin_ns);
      }
      json["args"] = event.args;
      write(json);
    }
  }

  void name(const char* what, std::uint64_t thread, const std::string& text) {
    write({{"name", what}, {"ph", "M"}, {"pid", process_}, {"tid", thread}, {"args", {{"name", text}}}});
  }
  void sort(const char* what, std::uint64_t thread, std::uint64_t place) {
    write({{"name", what}, {"ph", "M"}, {"pid", process_}, {"tid", thread}, {"args", {{"sort_index", place}}}});
  }
  void write(const Json& json) {
    out_ << separator_ << json.dump(-1, ' ', true, Json::error_handler_t::replace);
    separator_ = ",\n";
  }

  std::ostream& out_;
  const char* separator_ = "";
  std::uint64_t process_ = 0;
  std::uint64_t next_thread_ = 0;
};

/// What the trace was made of, for whoever opens the file.
Json origin_of(const NamedReport& named) {
  const Report& report = named.report;
  Json origin = {{"report", named.name}, {"command", report.program->command}, {"started_at", report.started_at}};
  if (ReportTrace::has_events(report)) {
    origin["events_left_out"] = report.program->timeline->left_out;
  } else {
    origin["bin_seconds"] = json_values::number(report.program->bin_s);
  }
  return origin;
}

}  // namespace

std::optional<std::string> why_no_trace(const Report& report) {
  if (!report.program) return "has cases of probes; a trace is of a program: gpumem run --output app.json -- COMMAND";
  if (ReportTrace::has_events(report) || ReportTrace::has_bins(report)) return std::nullopt;
  return "does not say when kernels ran; run the program again: gpumem run --output app.json -- COMMAND";
}

void write_trace(std::ostream& out, std::span<const NamedReport> reports) {
  Json origins = Json::array();
  for (const NamedReport& named : reports) origins.push_back(origin_of(named));
  out << R"({"displayTimeUnit": "ms", "otherData": {"gpumem_reports": )"
      << origins.dump(-1, ' ', true, Json::error_handler_t::replace) << "},\n\"traceEvents\": [\n";
  TraceWriter writer(out);
  for (const NamedReport& named : reports) {
    ReportTrace trace(named.report);
    for (auto& [key, process] : trace.processes()) {
      if (reports.size() > 1) process.name = one_line(named.name) + ": " + process.name;
      const bool is_whole = !named.report.program->timeline || named.report.program->timeline->left_out == 0;
      if (!is_whole) {
        process.name +=
            fmt::format(" ({} of the program left out)", counted(named.report.program->timeline->left_out, "event"));
      }
      writer.add(process);
    }
  }
  out << "\n]}\n";
}

}  // namespace gpumem::report
