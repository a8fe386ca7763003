// A record through its line of JSON and back: nothing is lost, and what is no record is refused.

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "report/read/read_report.hpp"
#include "report/write/json_values.hpp"
#include "tests/catch.hpp"
#include "tests/report/examples.hpp"

namespace gpumem::report::test_read_record {

namespace {

using Json = nlohmann::ordered_json;

std::string line_of(const Record& record) {
  return json_values::record_json(record).dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// A record with every field set, to values that tell them apart.
Record full_record() {
  Record record;
  record.probe = "offset";
  record.parameters = {{"offset_elements", std::uint64_t{7}},
                       {"op", std::string("copy")},
                       {"buffer_bytes", std::numeric_limits<std::uint64_t>::max()},
                       {"elements_per_thread", std::string("auto")}};
  record.swept = "offset_elements";
  record.compared = "op";
  record.baseline = std::string("read");
  record.chosen = {"elements_per_thread", "buffer_bytes"};
  record.verified = true;
  record.useful_bytes_read = 1'000'000'000'001;
  record.useful_bytes_written = 2;
  using measure::Seconds;
  record.time = TimeRecord{.summary = {.median = Seconds(0.1),
                                       .ci95_low = Seconds(0.09),
                                       .ci95_high = Seconds(0.11),
                                       .min = Seconds(0.08),
                                       .p05 = Seconds(0.085),
                                       .p95 = Seconds(0.2),
                                       .count = 3},
                           .samples = {Seconds(0.1), Seconds(1.0 / 3), Seconds(3e-7)}};
  record.headline.measured = 10.0 / 3;
  record.headline.predicted = 4000.25;
  record.headline.peak = 4814.3;
  record.fraction_of_peak = 0.7;
  record.relative_measured = 0.9;
  record.relative_predicted = 0.8;
  record.access = {{"source", "global", "load", 4, {{sectors, {5, 4.5}}}},
                   {"tile", "shared", "store", 16, {{wavefronts, {std::nullopt, 2}}, {"banks", {3, {}}}}}};
  record.access.front().pattern = "lanes 8 elements apart; \"each\" element 3.2 times";
  record.bank_grid = BankGrid{.tile_rows = 200,
                              .tile_columns = 2,
                              .first_row = 7,
                              .first_column = 1,
                              .element_bytes = 8,
                              .elements = 2,
                              .banks = {"0v", "12"},
                              .requests = 9,
                              .wavefronts = 3,
                              .least_wavefronts = 1,
                              .lanes = {{.lane = 31, .row = 8, .column = 1, .wavefront = 2}},
                              .text = "The slowest"};
  record.bottleneck = Bottleneck{"dram", "l2_sectors"};
  record.metrics = {{"zeta_cycles", 1.25, 2.5}, {"alpha_cycles", {}, {}}};
  record.timeline = {{"copy in", 0, 0, 1.0 / 3}, {"kernel", 3, 1e-9, 0.5}};
  record.flags = {"throttled", "cache_resident"};
  return record;
}

void check_same(const Reading& found, const Reading& expected) {
  CHECK(found.predicted == expected.predicted);
  CHECK(found.counted == expected.counted);
}

void check_same(const TimeRecord& found, const TimeRecord& expected) {
  CHECK(found.summary.median == expected.summary.median);
  CHECK(found.summary.ci95_low == expected.summary.ci95_low);
  CHECK(found.summary.ci95_high == expected.summary.ci95_high);
  CHECK(found.summary.min == expected.summary.min);
  CHECK(found.summary.p05 == expected.summary.p05);
  CHECK(found.summary.p95 == expected.summary.p95);
  CHECK(found.summary.count == expected.summary.count);
  CHECK(found.samples == expected.samples);
}

void check_same(const BankGrid& found, const BankGrid& expected) {
  CHECK(found.tile_rows == expected.tile_rows);
  CHECK(found.tile_columns == expected.tile_columns);
  CHECK(found.first_row == expected.first_row);
  CHECK(found.first_column == expected.first_column);
  CHECK(found.element_bytes == expected.element_bytes);
  CHECK(found.elements == expected.elements);
  CHECK(found.banks == expected.banks);
  CHECK(found.requests == expected.requests);
  CHECK(found.wavefronts == expected.wavefronts);
  CHECK(found.least_wavefronts == expected.least_wavefronts);
  REQUIRE(found.lanes.size() == expected.lanes.size());
  for (std::size_t i = 0; i < found.lanes.size(); ++i) {
    CHECK(found.lanes[i].lane == expected.lanes[i].lane);
    CHECK(found.lanes[i].row == expected.lanes[i].row);
    CHECK(found.lanes[i].column == expected.lanes[i].column);
    CHECK(found.lanes[i].wavefront == expected.lanes[i].wavefront);
  }
  CHECK(found.text == expected.text);
}

void check_same(const Record& found, const Record& expected) {
  CHECK(found.probe == expected.probe);
  CHECK((found.parameters == expected.parameters));
  CHECK(found.swept == expected.swept);
  CHECK(found.compared == expected.compared);
  CHECK((found.baseline == expected.baseline));
  CHECK(found.chosen == expected.chosen);
  CHECK((found.status == expected.status));
  CHECK(found.reason == expected.reason);
  CHECK(found.verified == expected.verified);
  CHECK(found.useful_bytes_read == expected.useful_bytes_read);
  CHECK(found.useful_bytes_written == expected.useful_bytes_written);
  REQUIRE(found.time.has_value() == expected.time.has_value());
  if (found.time) check_same(*found.time, *expected.time);
  CHECK(found.headline.measured == expected.headline.measured);
  CHECK(found.headline.predicted == expected.headline.predicted);
  CHECK(found.headline.peak == expected.headline.peak);
  CHECK(found.fraction_of_peak == expected.fraction_of_peak);
  CHECK(found.relative_measured == expected.relative_measured);
  CHECK(found.relative_predicted == expected.relative_predicted);
  REQUIRE(found.access.size() == expected.access.size());
  for (std::size_t i = 0; i < found.access.size(); ++i) {
    CHECK(found.access[i].site == expected.access[i].site);
    CHECK(found.access[i].space == expected.access[i].space);
    CHECK(found.access[i].op == expected.access[i].op);
    CHECK(found.access[i].word_bytes == expected.access[i].word_bytes);
    CHECK(found.access[i].pattern == expected.access[i].pattern);
    for (const char* unit : {sectors, wavefronts, "banks"}) {
      check_same(found.access[i].per_request(unit), expected.access[i].per_request(unit));
    }
  }
  REQUIRE(found.bank_grid.has_value() == expected.bank_grid.has_value());
  if (found.bank_grid) check_same(*found.bank_grid, *expected.bank_grid);
  REQUIRE(found.bottleneck.has_value() == expected.bottleneck.has_value());
  if (found.bottleneck) {
    CHECK(found.bottleneck->predicted == expected.bottleneck->predicted);
    CHECK(found.bottleneck->counted == expected.bottleneck->counted);
  }
  REQUIRE(found.metrics.size() == expected.metrics.size());
  for (std::size_t i = 0; i < found.metrics.size(); ++i) {
    CHECK(found.metrics[i].name == expected.metrics[i].name);
    CHECK(found.metrics[i].measured == expected.metrics[i].measured);
    CHECK(found.metrics[i].predicted == expected.metrics[i].predicted);
  }
  REQUIRE(found.timeline.size() == expected.timeline.size());
  for (std::size_t i = 0; i < found.timeline.size(); ++i) {
    CHECK(found.timeline[i].stage == expected.timeline[i].stage);
    CHECK(found.timeline[i].stream == expected.timeline[i].stream);
    CHECK(found.timeline[i].start_s == expected.timeline[i].start_s);
    CHECK(found.timeline[i].end_s == expected.timeline[i].end_s);
  }
  CHECK(found.flags == expected.flags);
  CHECK(line_of(found) == line_of(expected));
}

void check_round_trip(const Record& record) { check_same(read_record_line(line_of(record)), record); }

/// True if reading ends in one of the two ways it may: a record, or an exception of the kind that its header names.
bool ends_well(const std::string& line) {
  try {
    static_cast<void>(read_record_line(line));
  } catch (const std::runtime_error&) {
  }
  return true;
}

/// Every value of a record's JSON, however deep, as a pointer.
std::vector<Json::json_pointer> pointers_of(const Json& json) {
  std::vector<Json::json_pointer> pointers;
  const Json flat = json.flatten();
  for (const auto& [path, value] : flat.items()) {
    for (Json::json_pointer pointer(path); !pointer.empty(); pointer = pointer.parent_pointer()) {
      if (std::ranges::find(pointers, pointer) == pointers.end()) pointers.push_back(pointer);
    }
  }
  return pointers;
}

}  // namespace

TEST_CASE("a record with every field set survives its line", "[read_record]") { check_round_trip(full_record()); }

TEST_CASE("a record with no field set survives its line", "[read_record]") { check_round_trip(Record{}); }

TEST_CASE("failed and skipped records survive their lines", "[read_record]") {
  Record record = full_record();
  record.status = Status::failed;
  record.verified = false;
  record.reason = "wrong data: \"7\"\n at \xe2\x82\xac";
  record.time.reset();
  check_round_trip(record);
  record.status = Status::skipped;
  record.verified.reset();
  check_round_trip(record);
}

TEST_CASE("the records of every example survive their lines", "[read_record]") {
  for (const Report& report : {examples::measured_copy(), examples::model(), examples::banks(), examples::dry_run(),
                               examples::single_cases(), examples::transfers(), examples::overlap()}) {
    for (const Record& record : report.results) check_round_trip(record);
  }
}

TEST_CASE("a site has a pattern where there is any", "[read_record]") {
  const Record record = full_record();
  const Json access = Json::parse(line_of(record)).at("access");
  REQUIRE(access.size() == 2);
  CHECK(access[0].at("pattern") == record.access[0].pattern);
  CHECK_FALSE(access[1].contains("pattern"));
  Json earlier = Json::parse(line_of(record));
  earlier["access"][0].erase("pattern");
  CHECK(read_record_line(earlier.dump()).access[0].pattern.empty());
}

TEST_CASE("a record is one line, however its texts are broken", "[read_record]") {
  Record record = full_record();
  record.reason = "one\ntwo\r\nthree";
  const std::string line = line_of(record);
  CHECK(line.find('\n') == std::string::npos);
}

TEST_CASE("what a line cannot hold is absent or replaced, not fatal", "[read_record]") {
  Record record = full_record();
  record.headline.measured = std::numeric_limits<double>::quiet_NaN();
  record.metrics = {{"cycles", std::numeric_limits<double>::infinity(), {}}};
  record.reason = "not UTF-8: \xff";
  const Record read = read_record_line(line_of(record));
  CHECK_FALSE(read.headline.measured);
  CHECK_FALSE(read.metrics.front().measured);
  CHECK(read.reason == "not UTF-8: \xef\xbf\xbd");
}

TEST_CASE("members that a later version adds are ignored", "[read_record]") {
  Json json = Json::parse(line_of(full_record()));
  json["new"] = {{"deep", {1, 2, 3}}};
  json["access"][0]["new"] = 1;
  check_same(read_record_line(json.dump()), full_record());
}

TEST_CASE("text that is no JSON is refused", "[read_record]") {
  for (const std::string line : {"", "\n", " ", "hello", "{", "[]", "null", "3", "\"x\"", "{}", "{}{}", "NaN",
                                 "\xff\xfe", R"({"probe": 1e999})", R"({"error": "no GPU"})"}) {
    INFO(line);
    CHECK_THROWS_AS(read_record_line(line), std::runtime_error);
  }
  CHECK_THROWS_AS(read_record_line(std::string(100, '\0')), std::runtime_error);
  CHECK_THROWS_AS(read_record_line(line_of(full_record()) + line_of(full_record())), std::runtime_error);
}

TEST_CASE("a truncated line is refused wherever it ends", "[read_record]") {
  const std::string line = line_of(full_record());
  for (std::size_t length = 0; length + 1 < line.size(); ++length) {  // all but the end of the line
    if (line[length] != '\n') CHECK_THROWS_AS(read_record_line(line.substr(0, length)), std::runtime_error);
  }
}

TEST_CASE("a line without one of its members is refused", "[read_record]") {
  const Json whole = Json::parse(line_of(full_record()));
  for (const auto& [name, value] : whole.items()) {
    INFO(name);
    Json json = whole;
    json.erase(name);
    if (name == "counters" || name == "bank_grid") continue;  // which may be missing
    CHECK_THROWS_AS(read_record_line(json.dump()), std::runtime_error);
  }
  for (const char* part : {"useful_bytes", "time_seconds", "bandwidth_gb_per_s", "relative_to_baseline"}) {
    for (const auto& [name, value] : whole.at(part).items()) {
      INFO(part << "/" << name);
      Json json = whole;
      json[part].erase(name);
      CHECK_THROWS_AS(read_record_line(json.dump()), std::runtime_error);
    }
  }
}

TEST_CASE("a picture of banks whose parts do not fit together is refused", "[read_record]") {
  const auto refused = [](const char* name, const Json& value) {
    INFO(name << ' ' << value.dump());
    Json json = Json::parse(line_of(full_record()));
    json["bank_grid"][name] = value;
    CHECK_THROWS_AS(read_record_line(json.dump()), std::runtime_error);
  };
  refused("banks", Json::array());
  refused("banks", {""});
  refused("banks", {"01", "0"});
  refused("banks", {"0w"});
  refused("banks", Json(129, "0"));
  refused("banks", {std::string(129, '0')});
  refused("wavefronts", 2);  // a lane is served by the third
  refused("wavefronts", 33);
  refused("element_bytes", 0);
  refused("elements", 17);
  refused("lanes", {{{"lane", 32}, {"row", 0}, {"column", 0}, {"wavefront", 0}}});
}

TEST_CASE("members of the wrong type are refused, not bent into shape", "[read_record]") {
  struct Example {
    const char* pointer;
    Json value;
  };
  const std::vector<Example> examples = {
      {"/probe", 3},
      {"/parameters", Json::array()},
      {"/parameters", nullptr},
      {"/parameters/offset_elements", -1},
      {"/parameters/offset_elements", 1.5},
      {"/parameters/offset_elements", true},
      {"/parameters/offset_elements", nullptr},
      {"/parameters/offset_elements", 2e19},
      {"/compared", 3},
      {"/baseline", nullptr},
      {"/baseline", -1},
      {"/chosen_by_auto", "op"},
      {"/status", "fine"},
      {"/status", nullptr},
      {"/reason", 3},
      {"/verified", 1},
      {"/access/0/pattern", 3},
      {"/access/0/pattern", nullptr},
      {"/useful_bytes/read", -1},
      {"/useful_bytes/written", 0.5},
      {"/time_seconds", 0.1},
      {"/time_seconds/median", nullptr},
      {"/time_seconds/count", -3},
      {"/time_seconds/samples", Json::object()},
      {"/time_seconds/samples/1", "0.1"},
      {"/bandwidth_gb_per_s/measured", "N/A"},
      {"/access", Json::object()},
      {"/access", nullptr},
      {"/access/0", 4},
      {"/access/0/word_bytes", -4},
      {"/access/0/sectors_per_request", 4},
      {"/access/0/sectors_per_request/predicted", "4"},
      {"/bottleneck", "dram"},
      {"/bottleneck/predicted", 3},
      {"/metrics", Json::array()},
      {"/metrics/zeta_cycles", "1"},
      {"/timeline", "none"},
      {"/timeline/0/stage", 1},
      {"/timeline/0/stream", -1},
      {"/timeline/1/end_s", nullptr},
      {"/flags", "throttled"},
      {"/flags/0", 7},
  };
  for (const auto& [pointer, value] : examples) {
    INFO(pointer << " = " << value.dump());
    Json json = Json::parse(line_of(full_record()));
    json.at(Json::json_pointer(pointer)) = value;
    CHECK_THROWS_AS(read_record_line(json.dump()), std::runtime_error);
  }
}

TEST_CASE("any value in place of any other is read or refused", "[read_record]") {
  const Json whole = Json::parse(line_of(full_record()));
  std::string deep(100'000, '[');
  deep.append(100'000, ']');
  const std::vector<Json> values = {
      nullptr, true, -1, 1.5, ~std::uint64_t{0}, "x", Json::array(), Json::array({1}), Json::object(), Json{{"x", 1}}};
  std::size_t next = 0;
  for (const Json::json_pointer& pointer : pointers_of(whole)) {
    INFO(pointer.to_string());
    for (int i = 0; i < 3; ++i) {  // each place has three values in turn
      Json json = whole;
      json.at(pointer) = values[next++ % values.size()];
      CHECK(ends_well(json.dump()));
    }
    Json json = whole;
    json.at(pointer) = "HERE";
    std::string line = json.dump();
    line.replace(line.find("\"HERE\""), 6, deep);
    CHECK(ends_well(line));
  }
}

}  // namespace gpumem::report::test_read_record
