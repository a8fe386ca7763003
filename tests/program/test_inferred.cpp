#include <algorithm>
#include <string>

#include "program/read/raw_data.hpp"
#include "program/results/program.hpp"
#include "report/record/kernels.hpp"
#include "report/write/reports/program_kernels.hpp"
#include "tests/catch.hpp"
#include "tests/program/raw_writer.hpp"

namespace gpumem::program::test_inferred {

namespace {

namespace test = gpumem::test;
using gpumem::test::RawWriter;
using gpumem::test::streaming;

constexpr std::uint64_t requests = 1 << 20;
constexpr std::uint32_t blocks = requests / 8;  // for the requests of `streaming`

report::Report report_of(const RawWriter& process) {
  const test::TemporaryDirectory folder;
  process.write(folder.path());
  return program_report(read_raw_data(folder.path()), {});
}

RawWriter one_kernel() {
  RawWriter writer;
  writer.device(test::h200()).kernel(1, "_Z3badPKfPf");
  return writer;
}

std::vector<inject::Site> wasteful(std::uint64_t of_each) {
  return {streaming(inject::RawOp::load, of_each, 32), streaming(inject::RawOp::store, of_each, 4, 0x90)};
}

/// The result of this grid.
const report::Record& of_grid(const report::Report& report, std::uint32_t grid) {
  return *std::ranges::find_if(report.results, [&](const report::Record& record) {
    return std::ranges::find(record.parameters, report::grid_parameter, &Parameter::name)->value ==
           Value(std::to_string(grid));
  });
}

const report::MetricRecord& metric(const report::Record& record, const char* name) {
  return *std::ranges::find(record.metrics, name, &report::MetricRecord::name);
}

bool has_flag(const report::Record& record, const char* flag) { return std::ranges::count(record.flags, flag) > 0; }

/// Never timed.
void launch_once(RawWriter& writer, std::uint32_t grid) {
  inject::LaunchSlot& slot = writer.slot(1, 1, 1, grid);
  slot.times = 0;
  slot.timed = slot.timed_ns = 0;
}

inject::SampleEvent part_seen(std::uint32_t sites, std::uint64_t seen_blocks) {
  return {.slot = 0, .sites = sites, .busiest_loads = 100, .blocks = seen_blocks};
}

}  // namespace

TEST_CASE("what was not seen of a launch is taken to be like what was", "[program]") {
  RawWriter whole = one_kernel();
  whole.slot(1, 10, 300e3, blocks);
  whole.sample(0, wasteful(requests));
  const report::Record expected = report_of(whole).results.front();
  CHECK_FALSE(has_flag(expected, "partly_seen"));

  // A quarter of the blocks, and of the loads in these only half; but all of these were counted.
  RawWriter part = one_kernel();
  part.slot(1, 10, 300e3, blocks);
  std::vector<inject::Site> sites = wasteful(requests / 4);
  sites[0] = streaming(inject::RawOp::load, requests / 8, 32);
  sites[0].only_counted = requests / 8;
  part.event(inject::EventKind::sample,
             test::bytes_of(part_seen(2, blocks / 4)) + test::bytes_of(sites[0]) + test::bytes_of(sites[1]));
  const report::Record inferred = report_of(part).results.front();
  CHECK(has_flag(inferred, "partly_seen"));
  CHECK(inferred.useful_bytes_read == expected.useful_bytes_read);
  CHECK(inferred.useful_bytes_written == expected.useful_bytes_written);
  CHECK(inferred.access[0].requests == requests);
  CHECK(inferred.predicted_s == expected.predicted_s);
  CHECK(metric(inferred, report::could_save_name).predicted == metric(expected, report::could_save_name).predicted);
}

TEST_CASE("a sample with absurd counts is a sample", "[program]") {
  RawWriter part = one_kernel();
  part.slot(1, 10, 300e3, 0x7fff'ffff).grid[1] = 1024;
  std::vector<inject::Site> sites = wasteful(1);
  sites[0].only_counted = std::uint64_t{1} << 45U;
  part.event(inject::EventKind::sample,
             test::bytes_of(part_seen(2, 1)) + test::bytes_of(sites[0]) + test::bytes_of(sites[1]));
  CHECK(report_of(part).results.size() == 1);
}

TEST_CASE("a kernel that was looked at with another grid could save as large a share", "[program]") {
  RawWriter writer = one_kernel();
  writer.slot(1, 10, 300e3, blocks);
  writer.slot(1, 5, 200e3, blocks / 2).unseen[static_cast<int>(inject::Unseen::alike)] = 5;
  writer.slot(1, 5, 100e3, blocks / 64).unseen[static_cast<int>(inject::Unseen::alike)] = 5;
  writer.sample(0, wasteful(requests));
  const report::Report report = report_of(writer);
  const report::Record& seen = of_grid(report, blocks);
  const report::Record& alike = of_grid(report, blocks / 2);
  CHECK(alike.status == report::Status::ok);
  CHECK(has_flag(alike, "seen_by_another_grid"));
  CHECK(alike.why == seen.why);
  CHECK(alike.access.empty());
  CHECK(metric(alike, report::gpu_time_name).measured == Approx(1e-3));
  CHECK(*metric(alike, report::could_save_name).predicted ==
        Approx(*metric(seen, report::could_save_name).predicted / 3));
  // So few blocks may do something else.
  CHECK(of_grid(report, blocks / 64).status == report::Status::skipped);
  CHECK(report.program->skipped.size() == 1);
}

TEST_CASE("blocks of a grid that was not looked at do as much as those of the one that was", "[program]") {
  RawWriter half = one_kernel();
  half.slot(1, 10, 200e3, blocks / 2);
  half.sample(0, wasteful(requests / 2));
  const report::Record expected = report_of(half).results.front();
  REQUIRE(expected.predicted_s);

  RawWriter writer = one_kernel();
  writer.slot(1, 10, 300e3, blocks);
  writer.slot(1, 10, 200e3, blocks / 2).unseen[static_cast<int>(inject::Unseen::alike)] = 10;
  writer.slot(1, 10, 20e6, blocks / 4).unseen[static_cast<int>(inject::Unseen::alike)] = 10;
  writer.sample(0, wasteful(requests));
  const report::Report report = report_of(writer);
  const report::Record& alike = of_grid(report, blocks / 2);
  CHECK(alike.predicted_s == expected.predicted_s);
  CHECK(alike.bottleneck->predicted == expected.bottleneck->predicted);
  CHECK(alike.useful_bytes_read == expected.useful_bytes_read);
  CHECK(alike.headline.predicted == expected.headline.predicted);
  CHECK(alike.predicted_low_s < expected.predicted_low_s);
  CHECK(alike.predicted_high_s > expected.predicted_high_s);
  CHECK(alike.work->blocks == blocks / 2);
  // So long a time is not explained by blocks like these.
  const report::Record& other = of_grid(report, blocks / 4);
  CHECK_FALSE(other.predicted_s);
  CHECK(other.no_prediction->starts_with("no launch of this grid was looked at, but one of grid " +
                                         std::to_string(blocks) + ": its accesses explain "));
}

TEST_CASE("a launch that is alone takes as long as others of its kernel, or as predicted", "[program]") {
  RawWriter writer = one_kernel();
  writer.slot(1, 10, 300e3, blocks);
  launch_once(writer, 2 * blocks);
  launch_once(writer, 64 * blocks);
  writer.sample(0, wasteful(requests)).sample(1, wasteful(2 * requests)).sample(2, wasteful(64 * requests));
  const report::Report report = report_of(writer);
  const report::Record& other = of_grid(report, 2 * blocks);
  CHECK(has_flag(other, "time_of_another_grid"));
  CHECK_FALSE(metric(other, report::gpu_time_name).measured);
  CHECK(*metric(other, report::gpu_time_name).predicted == Approx(600e-6));
  const report::Record& alone = of_grid(report, 64 * blocks);
  CHECK(has_flag(alone, "time_predicted"));
  CHECK(metric(alone, report::gpu_time_name).predicted == alone.predicted_s);
  double shares = 0;
  double seconds = 0;
  for (const report::Record& record : report.results) {
    shares += metric(record, report::gpu_share_name).value().value_or(0);
    seconds += metric(record, report::gpu_time_name).value().value_or(0);
  }
  CHECK(shares == Approx(1));
  CHECK(*report.program->gpu_seconds == Approx(seconds));
  CHECK_FALSE(report.results.back().time);
  const std::vector<std::string> said = report::ProgramKernels(report, 10).not_seen();
  CHECK(std::ranges::count(said, "Of 1 kernel no launch was timed: the time is predicted.") == 1);
}

TEST_CASE("a launch that is alone takes as long as its repeat, unless a launch of any process was timed", "[program]") {
  RawWriter writer = one_kernel();
  launch_once(writer, blocks);
  writer.slots.back().repeat_ns = 250'000;
  launch_once(writer, 2 * blocks);
  writer.sample(0, wasteful(requests)).sample(1, wasteful(2 * requests));
  const report::Report report = report_of(writer);
  const report::Record& repeated = of_grid(report, blocks);
  CHECK(has_flag(repeated, "time_of_repeat"));
  CHECK_FALSE(has_flag(repeated, "time_predicted"));
  CHECK(*metric(repeated, report::gpu_time_name).measured == Approx(250e-6));
  REQUIRE(repeated.time);
  CHECK(repeated.time->summary.median.count() == Approx(250e-6));
  // It is measured, so that other grids may be as long.
  CHECK(has_flag(of_grid(report, 2 * blocks), "time_of_another_grid"));
  CHECK(*metric(of_grid(report, 2 * blocks), report::gpu_time_name).predicted == Approx(500e-6));
  const std::vector<std::string> said = report::ProgramKernels(report, 10).not_seen();
  CHECK(std::ranges::any_of(said, [](const std::string& line) { return line.find("a repeat") != line.npos; }));

  RawWriter other(101);
  other.device(test::h200()).kernel(1, "_Z3badPKfPf").slot(1, 3, 300e3, blocks);
  const test::TemporaryDirectory folder;
  writer.write(folder.path());
  other.write(folder.path());
  const report::Report both = program_report(read_raw_data(folder.path()), {});
  CHECK_FALSE(has_flag(of_grid(both, blocks), "time_of_repeat"));
  CHECK(*metric(of_grid(both, blocks), report::gpu_time_name).measured == Approx(4 * 300e-6));
}

TEST_CASE("a prediction is held against launches like the one that was priced", "[program]") {
  const std::string parameters(16, 'x');
  RawWriter writer = one_kernel();
  writer.slot(1, 10, 300e3, blocks);
  inject::LaunchSlot& slot = writer.slots.back();
  writer.sample(0, wasteful(requests), 0, parameters);

  SECTION("some are: times are theirs") {
    for (int i = 5; i < 10; ++i) slot.time_ns[i] = 3e3F;
    slot.like_seen = 0x1f;
    const report::Record record = report_of(writer).results.front();
    CHECK(has_flag(record, "launches_differ"));
    CHECK(record.time->summary.median.count() == Approx(300e-6));
    CHECK(record.time->summary.count == 5);
    CHECK(record.predicted_s);
  }
  SECTION("none is, and they take something else: nothing is predicted") {
    std::fill_n(slot.time_ns, 10, 3e3F);
    const report::Record record = report_of(writer).results.front();
    CHECK(has_flag(record, "launches_differ"));
    CHECK_FALSE(record.predicted_s);
    CHECK(record.no_prediction ==
          "its launches differ, and the one that was looked at is none of those that were timed");
  }
  SECTION("none is, but they take as long: the numbers do not matter") {
    const report::Record record = report_of(writer).results.front();
    CHECK_FALSE(has_flag(record, "launches_differ"));
    CHECK(record.predicted_s);
  }
}

}  // namespace gpumem::program::test_inferred
