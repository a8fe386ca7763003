// When kernels, graphs and ranges of a program ran, from raw files.

#include <algorithm>
#include <string>

#include "program/watch/time_line.hpp"
#include "tests/catch.hpp"
#include "tests/program/reports_of_raw.hpp"

namespace gpumem::program::test_program_timeline {

using namespace reports_of_raw;
namespace test = gpumem::test;

TEST_CASE("kernels of graphs are results, and graphs that run as a whole are results themselves", "[program]") {
  RawWriter writer;
  writer.totals.began_ns = 1;
  writer.device(test::h200()).kernel(1, "_Z4goodv").kernel(2, "CUDA graph of 3 kernels: good");
  writer.kernel(3, "CUDA graph of 1 kernel: other").kernel(4, "_Z5nevrnv");
  writer.slot(1, 10, 1e5).launches = 300;  // a graph launched it as well
  writer.slot(2, 4, 5e5).launches = 100;
  inject::add_ran(writer.slots.back().ran, 20'000'000, 30'000'000, 10'000'000);
  writer.slot(3, 2, 2e5);
  writer.slot(4, 0, 0);  // of a graph that was never launched
  const auto graph = [&](std::uint32_t slot, inject::GraphKernel kernel, std::uint32_t as_a_whole) {
    writer.event(inject::EventKind::graph,
                 test::bytes_of(inject::GraphEvent{slot, 1, as_a_whole, 0}) + test::bytes_of(kernel));
  };
  graph(1, {.slot = 0, .launches = 3}, 0);
  graph(2, {.slot = 3, .launches = 1}, 1);
  const report::Report report = report_of({writer});
  CHECK(report.program->gpu_seconds == Approx(300 * 1e-4 + 2 * 2e-4));
  CHECK(report.program->launches_seen == 302);
  REQUIRE(report.results.size() == 2);
  CHECK(std::get<std::string>(parameter(report.results[0], report::kernel_parameter)) == "good()");
  CHECK(std::get<std::string>(parameter(report.results[1], report::kernel_parameter)) ==
        "CUDA graph of 1 kernel: other");
  REQUIRE(report.results[0].ran_s.size() > 0);
  const auto& graphs = report.program->graphs;
  REQUIRE(graphs.size() == 2);
  CHECK(graphs[0].name == "CUDA graph of 3 kernels: good");
  CHECK(graphs[0].kernels == 3);
  CHECK(graphs[0].launches == 100);
  CHECK(graphs[0].by_node);
  CHECK(graphs[0].time_s == Approx(5e-4));
  CHECK(graphs[0].gpu_s == Approx(100 * 5e-4));
  CHECK(!graphs[1].by_node);
}

TEST_CASE("spans of launches, samples, graphs and ranges are a timeline", "[program]") {
  RawWriter writer;
  writer.totals.began_ns = 1'000'000'000;
  writer.totals.spans_left_out = 7;
  writer.device(test::h200()).kernel(1, "_Z4goodv").kernel(2, "CUDA graph of 1 kernel: good").range(3, "step");
  writer.slot(1, 10, 1e5);
  writer.slot(2, 4, 1e5);
  writer.event(inject::EventKind::graph, test::bytes_of(inject::GraphEvent{1, 1, 0, 0}) +
                                             test::bytes_of(inject::GraphKernel{.slot = 0, .launches = 1}));
  const inject::Span spans[] = {
      {.kind = inject::SpanKind::launch, .of = 0, .lane = 0xabc, .begin_ns = 1'002'000'000, .took_ns = 5'000},
      {.kind = inject::SpanKind::launch, .of = 0, .lane = 0, .begin_ns = 1'001'000'000, .took_ns = 5'000},
      {.kind = inject::SpanKind::launch, .of = 1, .lane = 0xdef, .begin_ns = 1'003'000'000, .took_ns = 9'000},
      {.kind = inject::SpanKind::sample, .of = 0, .lane = 0, .begin_ns = 1'000'500'000, .took_ns = 1'000'000},
      {.kind = inject::SpanKind::range, .of = 3, .lane = 77, .begin_ns = 1'000'000'000, .took_ns = 10'000'000},
      {.kind = inject::SpanKind::range, .of = 4, .lane = 77, .begin_ns = 1'000'000'000, .took_ns = 1},   // without name
      {.kind = inject::SpanKind::launch, .of = 9, .lane = 0, .begin_ns = 1'000'000'000, .took_ns = 1}};  // whose?
  std::string payload = test::bytes_of(inject::SpansEvent{.spans = 7});
  for (const inject::Span& span : spans) payload += test::bytes_of(span);
  writer.event(inject::EventKind::spans, payload);
  const report::Report report = report_of({writer});
  REQUIRE(report.program->timeline);
  const report::ProgramTimeline& timeline = *report.program->timeline;
  CHECK(timeline.left_out == 7);
  REQUIRE(timeline.launches.size() == 2);
  CHECK(timeline.launches[0].begin_s == Approx(1e-3));
  CHECK(timeline.launches[0].stream == 0);
  CHECK(timeline.launches[1].stream == 1);
  CHECK(timeline.launches[1].result == 0);
  REQUIRE(timeline.graphs.size() == 1);
  CHECK(timeline.graphs[0].graph == 0);
  CHECK(timeline.graphs[0].stream == 2);
  REQUIRE(timeline.samples.size() == 1);
  CHECK(timeline.samples[0].seconds == Approx(1e-3));
  REQUIRE(timeline.ranges.size() == 1);
  CHECK(timeline.ranges[0].name == "step");
  CHECK(report.program->notes.empty());

  payload.back() = '\x7f';  // a time that no clock has
  RawWriter damaged = writer;
  damaged.event(inject::EventKind::spans, payload);
  CHECK(notes_contain(report_of({damaged}), "damaged"));
}

TEST_CASE("kernels have the ranges that they are launched in, those of most launches first", "[program]") {
  const auto range_of = [](const report::Report& report, const char* kernel) {
    const auto record = std::ranges::find_if(report.results, [&](const report::Record& result) {
      return parameter(result, report::kernel_parameter) == Value(kernel);
    });
    return record->range;
  };
  constexpr const char* good = "good(float const*, float*)";
  constexpr const char* bad = "bad(float const*, float*)";
  CHECK(range_of(report_of({two_kernels()}), good).empty());

  RawWriter writer = two_kernels();
  writer.range(1, "forward").range(2, "back\nward").range(3, "update").range(4, "loss");
  writer.slots[0].ranges[0] = {.range = 1, .launches = 2};
  writer.slots[0].ranges[1] = {.range = 2, .launches = 3};
  writer.slots[1].ranges[0] = {.range = 9, .launches = 3};  // its name is lost
  CHECK(range_of(report_of({writer}), good) == "back ward, forward");
  CHECK(range_of(report_of({writer}), bad).empty());

  RawWriter child = two_kernels(101);  // ranges have numbers of its own
  child.range(1, "loss").range(2, "forward");
  child.slots[0].ranges[0] = {.range = 1, .launches = 1};
  child.slots[0].ranges[1] = {.range = 2, .launches = 2};
  CHECK(range_of(report_of({writer, child}), good) == "forward, back ward, loss");
  child.slots[0].in_other_ranges = 1;
  CHECK(range_of(report_of({writer, child}), good) == "forward, back ward, loss, ...");
  child.slots[0].in_other_ranges = 0;
  writer.slots[0].ranges[2] = {.range = 3, .launches = 1};
  CHECK(range_of(report_of({writer, child}), good) == "forward, back ward, update, ...");
}

TEST_CASE("kernels say when they ran, in bins of the whole run", "[program]") {
  constexpr std::uint64_t bin = inject::narrowest_bin_ns;
  RawWriter writer = two_kernels();  // 1 ms and 3 ms of GPU time
  writer.totals.began_ns = 1000;
  inject::add_ran(writer.slots[0].ran, 0, bin, 10);
  inject::add_ran(writer.slots[0].ran, 3 * bin, 4 * bin, 30);
  RawWriter child = two_kernels(101);
  child.totals.began_ns = 1000 + 200 * bin;
  inject::add_ran(child.slots[1].ran, 0, bin, 7);

  const report::Report alone = report_of({writer});
  CHECK(alone.program->bin_s == Approx(static_cast<double>(bin) * 1e-9));
  CHECK(alone.results[0].ran_s.empty());
  const std::vector<double>& ran_s = alone.results[1].ran_s;
  REQUIRE(ran_s.size() == 4);  // what comes after the last is no part of the run
  CHECK(ran_s[0] == Approx(0.25e-3));
  CHECK(ran_s[1] == 0);
  CHECK(ran_s[3] == Approx(0.75e-3));

  const report::Report both = report_of({writer, child});
  CHECK(both.program->bin_s == Approx(4 * static_cast<double>(bin) * 1e-9));
  REQUIRE(both.results[0].ran_s.size() == 51);
  CHECK(both.results[0].ran_s[50] == Approx(6e-3));
  REQUIRE(both.results[1].ran_s.size() == 51);
  CHECK(both.results[1].ran_s[0] == Approx(2e-3));

  child.totals.began_ns = ~std::uint64_t{0};  // nobody vouches for it
  CHECK(report_of({writer, child}).results[1].ran_s.size() == 4);
  CHECK_FALSE(report_of({two_kernels()}).program->bin_s);
  writer.slots[0].ran.ran_ns[5] = ~std::uint64_t{0};
  CHECK(notes_contain(report_of({writer}), "1 entry damaged"));
}

}  // namespace gpumem::program::test_program_timeline
