// Raw files that are cut off, damaged or say nothing.

#include <filesystem>
#include <optional>
#include <string>

#include "engine/base/error.hpp"
#include "tests/catch.hpp"
#include "tests/files.hpp"
#include "tests/program/reports_of_raw.hpp"

namespace gpumem::program::test_program_damaged {

using namespace reports_of_raw;
namespace test = gpumem::test;

TEST_CASE("a cut-off event is ignored, and so is all that is damaged", "[program]") {
  const test::TemporaryDirectory folder;
  const RawWriter writer = two_kernels();
  const std::string events = folder / (writer.name() + inject::events_suffix);
  const auto report = [&] { return program_report(read_raw_data(folder.path()), {}); };
  writer.write(folder.path());
  const std::string whole = writer.events_file();

  test::put(events, whole.substr(0, whole.size() - 100));
  CHECK(report().program->launches_counted == 1);
  CHECK(report().program->launches_seen == 20);
  CHECK(report().program->notes.empty());

  test::put(events, whole.substr(0, 10));
  CHECK(notes_contain(report(), "ends before it says what it is"));

  test::put(events, "PK" + whole.substr(2));
  CHECK(report().results.size() == 1);  // without names they are all one
  CHECK(notes_contain(report(), "is no raw file of gpumem"));

  std::string other = whole;
  other[offsetof(inject::FileHeader, version)] = 99;
  test::put(events, other);
  CHECK(notes_contain(report(), "written by another version of gpumem (format 99, this one reads " +
                                    std::to_string(inject::raw_version) + ")"));

  other = whole;
  other[sizeof(inject::FileHeader)] = 99;  // the kind of the first event
  test::put(events, other);
  CHECK(notes_contain(report(), "damaged from byte 32 on"));

  RawWriter wrong = two_kernels();
  inject::Site site = streaming(inject::RawOp::load, requests);
  site.sectors = ~std::uint64_t{0};
  wrong.sample(0, {streaming(inject::RawOp::load, requests), site});
  wrong.slots[0].grid[1] = 0;
  wrong.write(folder.path());
  CHECK(notes_contain(report(), ".events: damaged at byte"));
  CHECK(notes_contain(report(), ".launches: 1 entry damaged"));

  RawWriter cut = two_kernels();
  cut.sample(0, {streaming(inject::RawOp::load, requests)}, 0, std::string(8, 'p'));
  cut.write(folder.path());
  CHECK_FALSE(notes_contain(report(), "damaged"));
  constexpr std::size_t of_parameters = sizeof(inject::EventHeader) + offsetof(inject::SampleEvent, parameter_bytes);
  cut.events[cut.events.size() - 8 - sizeof(inject::Site) - sizeof(inject::SampleEvent) - sizeof(inject::EventHeader) +
             of_parameters] = 9;  // one more than there are
  cut.write(folder.path());
  CHECK(notes_contain(report(), ".events: damaged at byte"));

  std::filesystem::remove(events);
  CHECK(notes_contain(report(), ".events: is missing"));
  wrong.write(folder.path());
  std::filesystem::remove(folder / (writer.name() + inject::launches_suffix));
  CHECK(notes_contain(report(), ".launches: is missing"));
}

TEST_CASE("strings from raw files hold no zeros", "[program]") {
  RawWriter writer;
  writer.device(test::h200()).kernel(1, std::string("_Z1k\0hidden", 11));
  writer.slot(1, 1, 1e3);
  const report::Report report = report_of({writer});
  CHECK(parameter(report.results.at(0), report::kernel_parameter) == Value("k"));
}

TEST_CASE("what the raw files tell before a report is made", "[program]") {
  const test::TemporaryDirectory folder;
  CHECK(!program_traces(read_raw_data(folder.path())).used_cuda);
  CHECK(program_report(read_raw_data(folder.path()), {}).results.empty());
  CHECK(program_report(read_raw_data(folder.path()), {}).program->processes == 0);

  RawWriter blind(5);
  blind.problem("harmless").problem("another tool holds the driver; end it", true).write(folder.path());
  CHECK(program_traces(read_raw_data(folder.path())).used_cuda);
  CHECK(program_traces(read_raw_data(folder.path())).fatal == "another tool holds the driver; end it");
  two_kernels().write(folder.path());
  CHECK(program_traces(read_raw_data(folder.path())).fatal == std::nullopt);
  CHECK_THROWS_AS(read_raw_data(folder / "nowhere"), Error);
}

}  // namespace gpumem::program::test_program_damaged
