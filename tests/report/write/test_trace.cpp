// When a program did what, in Chrome's trace event format: sound whatever a report says.

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <vector>

#include "report/record/kernels.hpp"
#include "report/write/reports/trace_lanes.hpp"
#include "report/write/writers.hpp"
#include "tests/catch.hpp"
#include "tests/report/examples.hpp"
#include "tests/report/program_example.hpp"

namespace gpumem::report::test_trace {

namespace {

using nlohmann::json;

json trace_of(const std::vector<NamedReport>& reports) {
  std::ostringstream out;
  write_trace(out, reports);
  return json::parse(out.str());
}
json trace_of(const Report& report) { return trace_of(std::vector<NamedReport>{{"r.json", report}}); }

std::vector<json> events(const json& trace, const std::string& phase) {
  std::vector<json> found;
  for (const json& event : trace.at("traceEvents")) {
    if (event.at("ph") == phase) found.push_back(event);
  }
  return found;
}

/// Events of the threads whose names begin so.
std::vector<json> on_threads(const json& trace, const std::string& beginning) {
  std::set<std::pair<json, json>> threads;
  for (const json& event : events(trace, "M")) {
    const bool is_name = event.at("name") == "thread_name";
    if (is_name && event.at("args").at("name").get<std::string>().starts_with(beginning)) {
      threads.emplace(event.at("pid"), event.at("tid"));
    }
  }
  std::vector<json> found;
  for (const json& event : trace.at("traceEvents")) {
    if (event.at("ph") != "M" && threads.contains({event.at("pid"), event.at("tid")})) found.push_back(event);
  }
  return found;
}

constexpr std::int64_t rounding_ns = 4;  // of months in microseconds

/// Checks everything that a viewer of traces takes for granted.
void check_sound(const json& trace) {
  std::map<std::pair<json, json>, std::vector<TimeSpan>> threads;
  for (const json& event : events(trace, "X")) {
    const auto ns = [](const json& us) { return std::llround(us.get<double>() * 1000); };
    CHECK(event.at("dur").get<double>() >= 0);
    CHECK(event.at("ts").get<double>() >= 0);
    const std::int64_t begin_ns = ns(event.at("ts"));
    threads[{event.at("pid"), event.at("tid")}].push_back({begin_ns, begin_ns + ns(event.at("dur"))});
  }
  for (auto& [thread, spans] : threads) {
    std::ranges::sort(spans, {}, [](const TimeSpan& span) { return std::pair(span.begin_ns, -span.end_ns); });
    std::vector<std::int64_t> open;
    for (const TimeSpan& span : spans) {
      while (!open.empty() && open.back() <= span.begin_ns + rounding_ns) open.pop_back();
      if (!open.empty()) CHECK(span.end_ns <= open.back() + rounding_ns);
      open.push_back(span.end_ns);
    }
  }
}

}  // namespace

TEST_CASE("A trace has a thread for each stream, and others for graphs and for what is seen access by access",
          "[trace]") {
  const json trace = trace_of(examples::program_in_time());
  check_sound(trace);
  const std::vector<json> kernels = on_threads(trace, "stream 7");
  REQUIRE(kernels.size() == 7);  // one of them on a second lane, two launches of graphs, and a sample
  const json& first = kernels.front();
  CHECK(first.at("name") == "elementwise_kernel<128, 2, direct_copy(int)>");
  CHECK(first.at("ts") == 1000);  // behind the ranges that begin before it
  CHECK(first.at("dur") == 1100);
  CHECK(first.at("args").at("grid") == "256x256");
  CHECK(first.at("args").at("block_threads") == 256);
  CHECK(first.at("args").at("caller") == "model.py:42 in forward");
  CHECK(first.at("args").at("operator") == "aten::copy_");
  CHECK(first.at("args").at("bytes_per_second").get<double>() == Approx(2 * 268'435'456 / 1.1e-3));
  CHECK(first.at("args").at("predicted_seconds").get<double>() > 0);
  CHECK(on_threads(trace, "stream 7 (2)").front().at("name") == "unknown kernel");
  CHECK(on_threads(trace, "stream 13").size() == 1);
  const std::vector<json> samples = on_threads(trace, "stream 7: seen access by access");
  REQUIRE(samples.size() == 1);
  CHECK(samples.front().at("cat") == "sample");
  CHECK_FALSE(samples.front().at("args").contains("bytes_per_second"));
  const std::vector<json> graphs = on_threads(trace, "stream 7: graphs");
  REQUIRE(graphs.size() == 2);
  CHECK(graphs[0].at("dur") == 800);
  CHECK(graphs[1].at("ph") == "i");
  const std::vector<json> ranges = on_threads(trace, "thread 42: ranges");
  REQUIRE(ranges.size() == 2);
  CHECK(ranges[0].at("ts") == 0);
  CHECK(ranges[0].at("tid") == ranges[1].at("tid"));
  CHECK(trace.at("otherData").at("gpumem_reports")[0].at("events_left_out") == 3);
}

TEST_CASE("A trace of a report without single launches is of the bins in which kernels ran", "[trace]") {
  Report report = examples::program();
  CHECK_FALSE(why_no_trace(report));
  const json trace = trace_of(report);
  check_sound(trace);
  CHECK(events(trace, "X").size() == 4);
  const std::vector<json> first = on_threads(trace, "elementwise_kernel");
  REQUIRE(first.size() == 2);
  CHECK(first[0].at("dur") == 8000);
  CHECK(first[1].at("ts") == 32000);
  CHECK(first[1].at("args").at("ran_seconds") == 3e-3);
  report.results[0].ran_s = {1, 0, 0};  // on several streams at once
  check_sound(trace_of(report));
}

TEST_CASE("A report that does not say when kernels ran is no trace", "[trace]") {
  CHECK(why_no_trace(examples::measured_copy())->starts_with("has cases of probes"));
  Report report = examples::program();
  for (Record& record : report.results) record.ran_s.clear();
  CHECK(why_no_trace(report)->starts_with("does not say when kernels ran"));
  report.program->timeline = ProgramTimeline{};
  CHECK(why_no_trace(report));
  report.program->timeline = examples::program_in_time().program->timeline;
  CHECK_FALSE(why_no_trace(report));
}

TEST_CASE("Several reports are processes of one trace", "[trace]") {
  const json trace = trace_of({{"a.json", examples::program_in_time()}, {"b.json", examples::program()}});
  check_sound(trace);
  std::set<std::string> names;
  std::set<json> numbers;
  for (const json& event : events(trace, "M")) {
    if (event.at("name") != "process_name") continue;
    names.insert(event.at("args").at("name").get<std::string>());
    CHECK(numbers.insert(event.at("pid")).second);
  }
  CHECK(names == std::set<std::string>{"a.json: process 4711, host (3 events of the program left out)",
                                       "a.json: process 4711, GPU 0: NVIDIA H200 (3 events of the program left out)",
                                       "b.json: GPU 0: NVIDIA H200, bins of 16 ms"});
}

TEST_CASE("A trace is sound whatever a report says", "[trace]") {
  Report report = examples::program_in_time();
  ProgramTimeline& timeline = *report.program->timeline;
  report.results[0].parameters[0].value = "a\"b\\c\n\x1b\xff</script>(int)";
  for (LaunchSpan& launch : timeline.launches) launch = {0, 1, 99, 3, {}, 1e60, 1e60};
  timeline.launches.push_back({12345, 1, 0, 3, {}, -1e60, 1e-60});
  timeline.ranges.clear();
  for (int i = 0; i < 100; ++i) {
    timeline.ranges.push_back({"\xff\"", 1, 1, i * 1e-3, 1});
    timeline.launches.push_back({1, 1, 0, 3, {}, i * 1e-3, 50e-3});
  }
  const json trace = trace_of(report);
  check_sound(trace);
  CHECK(events(trace, "X").size() == 100 + 106 + 1 + 1);
}

TEST_CASE("On lanes side by side nothing overlaps, and clocks that are off by little need no other lane", "[trace]") {
  std::vector<TimeSpan> spans = {{0, 10'000}, {9'500, 20'000}, {15'000, 30'000}, {20'100, 40'000}};
  CHECK(lanes_side_by_side(spans) == std::vector<std::size_t>{0, 0, 1, 0});
  CHECK(spans[1].begin_ns == 10'000);
  CHECK(spans[2].begin_ns == 15'000);
}

TEST_CASE("On nested lanes one is within another, or behind it", "[trace]") {
  std::vector<TimeSpan> spans = {{0, 100}, {10, 50}, {20, 60}, {60, 100}, {100, 120}};
  CHECK(lanes_nested(spans) == std::vector<std::size_t>{0, 0, 1, 0, 0});
}

TEST_CASE("A span of time takes any number", "[trace]") {
  CHECK(time_span(1e-3, 2e-6).end_ns == 1'002'000);
  CHECK(time_span(-1e60, 1e60).end_ns == 0);
  CHECK(time_span(0, -1).end_ns == 0);
}

}  // namespace gpumem::report::test_trace
