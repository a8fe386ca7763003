#include "report/text/text.hpp"
#include "report/write/timeline.hpp"
#include "tests/catch.hpp"
#include "tests/report/examples.hpp"

namespace gpumem::report::test_timeline {

namespace {

using Lines = std::vector<std::string>;

Record make(const std::string& way, std::uint64_t streams, double seconds) {
  Record record;
  record.swept = "streams";
  record.compared = "way";
  record.parameters = {{"streams", streams}, {"way", way}};
  record.useful_bytes_read = 1'000'000;
  record.time = examples::time_record(seconds, 15);
  record.timeline = {{"copy in", 0, 0, seconds}};
  return record;
}

std::vector<std::string> titles(const std::vector<Record>& records) {
  Cases cases;
  for (const Record& record : records) cases.push_back(&record);
  std::vector<std::string> found;
  for (const Timeline& timeline : telling_timelines(cases)) found.push_back(timeline.title);
  return found;
}

Lines drawn_of(const Record& record, std::size_t width, bool unicode) {
  return drawn(telling_timelines({&record}), width, unicode);
}

}  // namespace

TEST_CASE("A stage is busy while it runs in any stream") {
  Record record = make("a", 2, 10e-3);
  record.timeline = {{"out", 1, 5e-3, 10e-3}, {"in", 0, 0, 2e-3}, {"in", 1, 1e-3, 3e-3}, {"in", 1, 3e-3, 4e-3}};
  const auto timelines = telling_timelines({&record});
  REQUIRE(timelines.size() == 1);
  REQUIRE(timelines[0].lanes.size() == 2);
  CHECK(timelines[0].lanes[0].stage == "in");
  REQUIRE(timelines[0].lanes[0].busy.size() == 1);
  CHECK(timelines[0].lanes[0].busy[0].end_s == 4e-3);
  CHECK(timelines[0].end_s() == 10e-3);
}

TEST_CASE("Cells show the share of their time that a stage is busy") {
  Record record = make("a", 1, 10e-3);
  record.timeline = {{"in", 0, 0, 1.9e-3}, {"kernel", 0, 1.9e-3, 2.4e-3}, {"kernel", 0, 5e-3, 10e-3}};
  // 10 cells of 1 ms.
  CHECK(drawn_of(record, 20, false) == Lines{"this case: 10.0 ms",    //
                                             "  in      ##........",  //
                                             "  kernel  ..+..#####",  // 0.1 of the second cell, 0.4 of the third
                                             "          0  10.0 ms"});
  CHECK(drawn_of(record, 20, true) == Lines{"this case: 10.0 ms",  //
                                            "  in      ▇▆",        //
                                            "  kernel   ▁▃  ▇▇▇▇▇", "          0  10.0 ms"});
}

TEST_CASE("Both cases are drawn on one axis") {
  const std::vector<Record> records = {make("a", 1, 10e-3), make("a", 4, 4e-3)};
  const auto timelines = telling_timelines({&records[0], &records[1]});
  CHECK(drawn(timelines, 21, false) == Lines{"1 stream: 10.0 ms",      //
                                             "  copy in  ##########",  //
                                             "4 streams: 4.00 ms",     //
                                             "  copy in  ####......",  //
                                             "           0  10.0 ms"});
}

TEST_CASE("Too little room, no bars") {
  const Record record = make("a", 1, 10e-3);
  CHECK(drawn_of(record, 20, true).empty());
  CHECK(drawn({}, 80, true).empty());
  for (std::size_t width = 21; width < 200; ++width) {
    for (const std::string& line : drawn_of(record, width, false)) CHECK(display_width(line) <= width);
  }
}

TEST_CASE("The fastest case is shown with the slowest of the same alternative") {
  CHECK(titles({make("staged", 1, 15e-3), make("staged", 2, 9e-3), make("staged", 4, 6e-3), make("pageable", 1, 48e-3),
                make("pageable", 4, 48e-3)}) ==
        Lines{"1 stream, way staged: 15.0 ms", "4 streams, way staged: 6.00 ms"});
}

TEST_CASE("Of cases as fast as each other the first is shown") {
  CHECK(titles({make("a", 1, 15e-3), make("a", 4, 6.03e-3), make("a", 8, 6e-3)}) ==
        Lines{"1 stream: 15.0 ms", "4 streams: 6.03 ms"});
}

TEST_CASE("Where all are as fast one is shown") {
  CHECK(titles({make("a", 1, 6.02e-3), make("a", 4, 6e-3)}) == Lines{"1 stream: 6.02 ms"});
}

TEST_CASE("An axis of any length has room for its end") {
  for (const double seconds : {1e-12, 1e3, 1e8, 1e24, 1e300}) {
    const Lines lines = drawn_of(make("a", 1, seconds), 40, false);
    REQUIRE(lines.size() == 3);
    CHECK(lines.back().find("0  ") != std::string::npos);
    CHECK(display_width(lines.back()) == 40);
  }
}

TEST_CASE("Only cases that move as many bytes are shown together") {
  std::vector<Record> records = {make("a", 1, 1e-3), make("a", 2, 4e-3), make("b", 2, 9e-3)};
  records[0].useful_bytes_read /= 8;  // takes the least time, and is the slowest
  CHECK(titles(records) == Lines{"2 streams, way b: 9.00 ms", "2 streams, way a: 4.00 ms"});
  records.pop_back();
  CHECK(titles(records) == Lines{"2 streams: 4.00 ms"});
}

TEST_CASE("At one place of the sweep the fastest alternative is shown with the slowest") {
  CHECK(titles({make("staged", 4, 6e-3), make("pageable", 4, 48e-3), make("other", 4, 7e-3)}) ==
        Lines{"way pageable: 48.0 ms", "way staged: 6.00 ms"});
}

TEST_CASE("Only cases that ran and have a timeline are shown") {
  std::vector<Record> records = {make("a", 1, 15e-3), make("a", 2, 9e-3), make("a", 4, 6e-3)};
  records[0].status = Status::failed;
  records[2].timeline.clear();
  CHECK(titles(records) == Lines{"2 streams: 9.00 ms"});
  records[1].time.reset();
  CHECK(titles(records).empty());  // nothing says how long it takes
  records[1].predicted_s = 5e-3;
  CHECK(titles(records) == Lines{"2 streams: 5.00 ms"});
}

}  // namespace gpumem::report::test_timeline
