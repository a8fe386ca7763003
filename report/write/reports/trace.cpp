// The timeline of programs on their GPUs in Chrome's trace event format, which https://ui.perfetto.dev and
// chrome://tracing open. Times are in microseconds since the first launch, or since the first range if that is earlier.
// https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU describes the format.

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <string>

#include "report/text/text.hpp"
#include "report/write/json_values.hpp"
#include "report/write/reports/trace_events.hpp"
#include "report/write/reports/trace_lanes.hpp"
#include "report/write/writers.hpp"

namespace gpumem::report {

namespace {

using json_values::Json;

constexpr double ns_per_us = 1000;

struct TrackWords {
  const char* category;
  const char* name;  ///< of a track with a number
};
/// In the order of the enumerators.
constexpr TrackWords track_words[] = {{"range", "thread {}: ranges"},
                                      {"kernel", "stream {}"},
                                      {"graph", "stream {}: graphs"},
                                      {"sample", "stream {}: seen access by access, and slower for it"},
                                      {"bin", ""}};

const TrackWords& words_of(const Track& track) { return track_words[static_cast<std::size_t>(track.kind)]; }

Json arguments_json(const TraceArguments& arguments) {
  Json object = Json::object();
  for (const auto& [name, value] : arguments)
    object[name] = std::visit([](const auto& held) { return Json(held); }, value);
  return object;
}

/// Writes events, one a line.
class TraceWriter {
 public:
  explicit TraceWriter(std::ostream& out) : out_(out) {}

  void add(const TraceProcess& process) {
    ++process_;
    next_thread_ = 0;
    name("process_name", 0, process.name);
    sort("process_sort_index", 0, process_);
    for (const auto& [track, events] : process.tracks) {
      const auto own = process.names.find(track);
      add(track,
          own == process.names.end() ? fmt::format(fmt::runtime(words_of(track).name), track.number) : own->second,
          events);
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
      Json json = {{"name", event.name}, {"cat", words_of(track).category}, {"ph", event.is_instant ? "i" : "X"},
                   {"pid", process_},    {"tid", first + lanes[i]},         {"ts", in_us(spans[i].begin_ns)}};
      if (event.is_instant) {
        json["s"] = "t";  // an arrow on this track alone
      } else {
        json["dur"] = in_us(spans[i].end_ns - spans[i].begin_ns);
      }
      json["args"] = arguments_json(event.arguments);
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

/// The report that a trace's events come from, for people who open the file.
Json origin_of(const NamedReport& named) {
  const Report& report = named.report;
  Json origin = {{"report", named.name}, {"command", report.program->command}, {"started_at", report.started_at}};
  if (has_timeline(report)) {
    origin["events_left_out"] = report.program->timeline->left_out;
  } else {
    origin["bin_seconds"] = json_values::number(report.program->bin_s);
  }
  return origin;
}

}  // namespace

std::optional<std::string> why_no_trace(const Report& report) {
  if (!report.program) return "has cases of probes; a trace is of a program: gpumem run --output app.json -- COMMAND";
  if (has_timeline(report) || has_bins(report)) return std::nullopt;
  return "does not say when kernels ran; run the program again: gpumem run --output app.json -- COMMAND";
}

void write_trace(std::ostream& out, std::span<const NamedReport> reports) {
  Json origins = Json::array();
  for (const NamedReport& named : reports) origins.push_back(origin_of(named));
  out << R"({"displayTimeUnit": "ms", "otherData": {"gpumem_reports": )"
      << origins.dump(-1, ' ', true, Json::error_handler_t::replace) << "},\n\"traceEvents\": [\n";
  TraceWriter writer(out);
  for (const NamedReport& named : reports) {
    const auto& timeline = named.report.program->timeline;
    const std::uint64_t left_out = timeline ? timeline->left_out : 0;
    for (TraceProcess& process : trace_processes(named.report)) {
      if (reports.size() > 1) process.name = one_line(named.name) + ": " + process.name;
      if (left_out > 0) process.name += fmt::format(" ({} of the program left out)", counted(left_out, "event"));
      writer.add(process);
    }
  }
  out << "\n]}\n";
}

}  // namespace gpumem::report
