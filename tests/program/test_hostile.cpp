#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <sstream>
#include <string>

#include "program/results/program.hpp"
#include "report/explain/explain.hpp"
#include "report/read/read_report.hpp"
#include "report/record/joined.hpp"
#include "report/record/kernels.hpp"
#include "report/write/writers.hpp"
#include "tests/catch.hpp"
#include "tests/counts.hpp"
#include "tests/program/raw_writer.hpp"
#include "tests/source_folder.hpp"

// Raw files that nobody wrote: under the sanitizers, a crash or a number out of nowhere fails.

namespace gpumem::program::test_hostile {

namespace {

namespace test = gpumem::test;

test::RawWriter small_program() {
  test::RawWriter writer;
  writer.event(inject::EventKind::command, std::string("./app\0--flag\0", 13));
  writer.device(test::h200()).image(1, test::content_of(test::source_folder() / "tests/program/raw/lines.cubin"));
  writer.kernel(1, "_Z7stridedPKfPfi", 1).kernel(2, "_Z3badPKfPf");
  writer.range(1, "step");
  writer.slot(1, 10, 100e3).ranges[0] = {.range = 1, .launches = 10};
  writer.slot(2, 10, 100e3);
  inject::Site shared = test::streaming(inject::RawOp::load, 1000, 32);
  shared.space = inject::RawSpace::shared;
  shared.wavefronts = 8000;
  shared.least_wavefronts = 1000;
  inject::Site local = test::streaming(inject::RawOp::store, 1000, 4, 0x70);
  local.space = inject::RawSpace::local;
  writer.sample(0, {test::streaming(inject::RawOp::load, 8192, 32), test::streaming(inject::RawOp::atomic, 8192)});
  writer.sample(1, {shared, local, test::streaming(inject::RawOp::store, 8192, 8)}, 0, std::string(44, 7));
  writer.problem("a problem");
  writer.caller(0, {{"/usr/lib/python3/dist-packages/a.py", 7, "f", true, "a"}, {"/home/b/model.py", 42, "forward"}},
                "aten::add.Tensor");
  writer.array(0, test::streaming(inject::RawOp::load, 8192, 32), 1 << 26, {{"/home/b/model.py", 12}});
  return writer;
}

/// Requires that the report, with all that `gpumem run` adds to it, can be read back after it is written.
void require_readable(const report::Report& report) {
  report::Report whole = report::completed(report);
  std::ostringstream json;
  report::write(json, whole, report::Format::json, {});
  REQUIRE_NOTHROW(report::read_report(json.str(), "what was written"));
}

/// Requires that a report holds only what it may, whatever its raw files held.
void require_sane(const report::Report& report) {
  require_readable(report);
  const auto amount = [](std::optional<double> value) { return !value || (std::isfinite(*value) && *value >= 0); };
  for (const report::Record& record : report.results) {
    REQUIRE(amount(record.predicted_s));
    REQUIRE(amount(record.headline.measured));
    REQUIRE(amount(record.headline.predicted));
    for (const report::MetricRecord& metric : record.metrics) REQUIRE(amount(metric.value()));
    for (const report::StageRecord& stage : record.stages) REQUIRE(amount(stage.predicted_s));
    for (const report::SiteRecord& site : record.access) {
      REQUIRE(amount(site.active_lanes));
      for (const report::CostRecord& cost : site.costs) {
        REQUIRE(amount(cost.per_request.predicted));
        REQUIRE(cost.least.value_or(0) <= cost.per_request.predicted);
      }
      REQUIRE(site.site.find('\0') == std::string::npos);
    }
    REQUIRE(record.range.find('\0') == std::string::npos);
    for (const Parameter& parameter : record.parameters) {
      REQUIRE(to_string(parameter.value).find('\0') == std::string::npos);
    }
  }
}

/// The same program, with counts.
test::RawWriter counted_program() {
  test::RawWriter writer = small_program();
  writer.header.engine = inject::EngineKind::counters;
  writer.counts(0, test::counts_of({{&measure::Counts::global_load_requests, 1 << 20},
                                    {&measure::Counts::global_load_sectors, 32 << 20},
                                    {&measure::Counts::dram_read_bytes, 1 << 30},
                                    {&measure::Counts::achieved_occupancy, 0.5}}));
  return writer;
}

/// Some bytes of it replaced, or the end cut off.
std::string damaged(std::string bytes, std::mt19937& random) {
  if (random() % 8 == 0) return bytes.substr(0, random() % bytes.size());
  for (unsigned i = 0; i < 1 + random() % 20; ++i) {
    const std::size_t at = random() % bytes.size();
    // Large and small numbers, and whatever else: what makes sums overflow is rare by chance.
    const unsigned char interesting[] = {0, 1, 0x7f, 0x80, 0xff};
    bytes[at] = static_cast<char>(random() % 2 == 0 ? interesting[random() % 5] : random());
  }
  if (random() % 2 == 0 && bytes.size() > 8) {
    const double extreme[] = {1e300, 1e-300, 1e60, 1e18, 1e-9, -1, std::numeric_limits<double>::infinity()};
    std::memcpy(&bytes[random() % (bytes.size() / 8 - 1) * 8], &extreme[random() % std::size(extreme)], sizeof(double));
  }
  return bytes;
}

}  // namespace

TEST_CASE("damaged raw files never end the program", "[program][hostile]") {
  const test::TemporaryDirectory folder;
  const test::RawWriter writers[] = {small_program(), counted_program()};
  std::mt19937 random(7);
  unsigned still_read = 0;
  for (unsigned round = 0; round < 300; ++round) {
    const test::RawWriter& writer = writers[round % 2];
    test::put(folder / (writer.name() + inject::events_suffix), damaged(writer.events_file(), random));
    test::put(folder / (writer.name() + inject::launches_suffix), damaged(writer.launches_file(), random));
    const report::Report report = program_report(read_raw_data(folder.path()), {});
    require_sane(report);
    if (report.program->launches_counted > 0) ++still_read;
  }
  CHECK(still_read > 90);
}

TEST_CASE("counts that nothing can have are left out, and said", "[program][hostile]") {
  for (const double wrong : {1e300, 1e-300, 1e19, -1.0, std::numeric_limits<double>::infinity()}) {
    const test::TemporaryDirectory folder;
    test::RawWriter writer = small_program();
    writer.header.engine = inject::EngineKind::counters;
    writer.counts(0, test::counts_of({{&measure::Counts::dram_read_bytes, wrong},
                                      {&measure::Counts::global_load_requests, 1000},
                                      {&measure::Counts::achieved_occupancy, wrong}}));
    writer.write(folder.path());
    const report::Report report = program_report(read_raw_data(folder.path()), {});
    require_sane(report);
    const auto record =
        std::ranges::find_if(report.results, [](const auto& result) { return result.counters.has_value(); });
    REQUIRE(record != report.results.end());
    CHECK_FALSE(record->counters->dram_read_bytes);
    CHECK_FALSE(record->counters->achieved_occupancy);
    CHECK(record->counters->global_load_requests == 1000);
    CHECK(std::ranges::any_of(report.program->notes, [](const std::string& note) {
      return note.find("damaged at byte") != std::string::npos;
    }));
  }
}

/// Returns the report of the program that was written, such as one with one event more, or another kernel.
report::Report report_of(const test::RawWriter& writer) {
  const test::TemporaryDirectory folder;
  writer.write(folder.path());
  report::Report report = program_report(read_raw_data(folder.path()), {});
  require_sane(report);
  return report;
}

bool says_damaged(const report::Report& report) {
  return std::ranges::any_of(report.program->notes,
                             [](const std::string& note) { return note.find("damaged") != std::string::npos; });
}

TEST_CASE("numbers of kernels that no kernel has are damage", "[program][hostile]") {
  CHECK_FALSE(says_damaged(report_of(small_program())));
  for (const std::uint32_t wrong : {1U << 27U, 1U << 31U, 0xffff'ffffU, 0x7fff'ffe0U, 300U << 20U}) {
    CAPTURE(wrong);
    for (std::uint32_t inject::KernelEvent::*member :
         {&inject::KernelEvent::registers_per_thread, &inject::KernelEvent::static_shared_bytes,
          &inject::KernelEvent::local_bytes_per_thread}) {
      test::RawWriter writer = small_program();
      inject::KernelEvent kernel{.kernel = 1, .registers_per_thread = 32};
      kernel.*member = wrong;
      writer.event(inject::EventKind::kernel, test::bytes_of(kernel) + "k");
      CHECK(says_damaged(report_of(writer)));
    }
    test::RawWriter writer = small_program();
    writer.slots.front().dynamic_shared_bytes = wrong;
    CHECK(says_damaged(report_of(writer)));
    writer = small_program();
    writer.slots.front().device = wrong;
    CHECK(says_damaged(report_of(writer)));
    writer = small_program();
    inject::DeviceEvent device = test::h200(1);
    device.shared_bytes_per_multiprocessor = wrong;
    CHECK(says_damaged(report_of(writer.device(device))));
    writer = small_program();
    CHECK(says_damaged(report_of(writer.counts(0, {}, wrong))));
    CHECK(says_damaged(report_of(small_program().code(1, "", wrong))));
  }
  // A launch of more threads than run in years.
  test::RawWriter writer = small_program();
  writer.slots.front().grid[0] = 0x7fff'ffff;
  writer.slots.front().grid[1] = 65535;
  CHECK(says_damaged(report_of(writer)));
}

TEST_CASE("a piece of time before the first launch is damage", "[program][hostile]") {
  constexpr std::uint64_t began = std::uint64_t{1} << 60U;
  for (const auto& [begin, took, fits] :
       {std::tuple(began + 10, 50ULL, true), std::tuple(began - 1000, 50ULL, true),
        std::tuple(std::uint64_t{7}, 50ULL, false), std::tuple(began + 10, 1ULL << 61U, false),
        std::tuple(~std::uint64_t{0}, 50ULL, false)}) {
    CAPTURE(begin, took);
    test::RawWriter writer = small_program();
    writer.totals.began_ns = began;
    writer.totals.ended_ns = began + 1000;
    writer.event(inject::EventKind::spans,
                 test::bytes_of(inject::SpansEvent{.spans = 1}) +
                     test::bytes_of(inject::Span{.of = 0, .begin_ns = begin, .took_ns = took}));
    const report::Report report = report_of(writer);
    CHECK(says_damaged(report) != fits);
    CHECK(report.program->timeline.has_value() == fits);
    if (fits) CHECK(report.program->timeline->launches.front().begin_s >= 0);
  }
}

TEST_CASE("counts over more launches than there were count as many as there were", "[program][hostile]") {
  test::RawWriter writer = small_program();
  writer.counts(0, test::counts_of({{&measure::Counts::dram_read_bytes, 1e6}}), 4000);
  const report::Report report = report_of(writer);
  CHECK_FALSE(says_damaged(report));
  CHECK(report.program->launches_counted == 2 + 10);
}

TEST_CASE("a name that would grow without end stays as it is", "[program][hostile]") {
  std::string bomb = "_Z1f1PIiiES_IS0_S0_E";
  const std::string digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  for (std::size_t i = 1; i < 30; ++i) bomb += std::string("S_IS") + digits[i] + "_S" + digits[i] + "_E";
  test::RawWriter writer = small_program();
  writer.event(inject::EventKind::kernel,
               test::bytes_of(inject::KernelEvent{.kernel = 1, .registers_per_thread = 32}) + bomb);
  writer.event(inject::EventKind::kernel, test::bytes_of(inject::KernelEvent{.kernel = 2, .registers_per_thread = 32}) +
                                              std::string(1 << 20, 'x'));
  writer.range(1, std::string(1 << 20, 'r'));
  const report::Report report = report_of(writer);
  for (const report::Record& record : report.results) {
    for (const Parameter& parameter : record.parameters) CHECK(to_string(parameter.value).size() <= 16384);
    CHECK(record.range.size() < 20000);
  }
  CHECK(std::ranges::any_of(report.results,
                            [&](const auto& record) { return to_string(record.parameters.front().value) == bomb; }));
}

TEST_CASE("damage everywhere is said in a few lines", "[program][hostile]") {
  test::RawWriter writer = small_program();
  for (unsigned i = 0; i < 5000; ++i) writer.event(inject::EventKind::kernel, "");
  CHECK(report_of(writer).program->notes.size() < 20);
}

TEST_CASE("raw files of nothing but noise are notes", "[program][hostile]") {
  const test::TemporaryDirectory folder;
  std::mt19937 random(3);
  for (unsigned round = 0; round < 100; ++round) {
    std::string noise;
    for (unsigned i = 0; i < 3000; ++i) noise += static_cast<char>(random());
    test::put(folder / "1-1.events", round % 2 == 0 ? noise : test::RawWriter().events_file() + noise);
    test::put(folder / "1-1.launches", round % 3 == 0 ? noise : test::RawWriter().launches_file() + noise);
    const report::Report report = program_report(read_raw_data(folder.path()), {});
    require_sane(report);
    if (round % 2 == 0) CHECK(report.program->notes.size() >= 1);
  }
}

TEST_CASE("an event that says it is larger than the file takes no memory", "[program][hostile]") {
  const test::TemporaryDirectory folder;
  test::RawWriter writer = small_program();
  writer.events += test::bytes_of(inject::EventHeader{inject::EventKind::image, 0xffff'fff0});
  writer.write(folder.path());
  CHECK(program_report(read_raw_data(folder.path()), {}).program->launches_counted == 2);
}

}  // namespace gpumem::program::test_hostile
