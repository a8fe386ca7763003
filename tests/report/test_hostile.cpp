// Reports that once broke something (tests/fuzz/regressions), and what keeps others from it.

#include <filesystem>
#include <numeric>
#include <span>
#include <sstream>

#include "engine/base/error.hpp"
#include "report/explain/explain.hpp"
#include "report/read/read_report.hpp"
#include "report/record/cases.hpp"
#include "report/text/text.hpp"
#include "report/write/portraits/portrait.hpp"
#include "report/write/writers.hpp"
#include "tests/catch.hpp"
#include "tests/files.hpp"
#include "tests/report/examples.hpp"
#include "tests/source_folder.hpp"

namespace gpumem::report::test_hostile {

namespace {

template <class Write>
std::string written(const Write& write) {
  std::ostringstream out;
  write(out);
  return out.str();
}

void check_plain(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) CHECK(one_line(line) == line);
}

void check_writers(const Report& report) {
  for (const unsigned width : {20U, 80U, 200U}) {
    check_plain(written([&](std::ostream& out) {
      write_table(out, report, {.width = width, .color = false, .bars = width > 20, .why = width > 80});
    }));
  }
  check_plain(written([&](std::ostream& out) { write_csv(out, report); }));
  check_plain(written([&](std::ostream& out) { write_markdown(out, report); }));
  const NamedReport named{"report", report};
  check_plain(written([&](std::ostream& out) { write_portrait_page(out, std::span(&named, 1)); }));
  check_plain(written([&](std::ostream& out) { write_portrait_table(out, std::span(&named, 1), {}); }));
  if (!why_no_trace(report)) check_plain(written([&](std::ostream& out) { write_trace(out, std::span(&named, 1)); }));
  std::vector<std::size_t> cases(report.results.size());
  std::iota(cases.begin(), cases.end(), std::size_t{0});
  check_plain(written([&](std::ostream& out) { write_explained(out, report, cases, 80); }));
  const std::string json = written([&](std::ostream& out) { write_json(out, report); });
  check_plain(json);
  CHECK(written([&](std::ostream& out) { write_json(out, read_report(json, "again")); }) == json);
}

/// "1e+60" put where the report has the first value of a member.
std::string complaint_with(const std::string& member, const std::string& number) {
  std::string json = written([](std::ostream& out) { write_json(out, examples::overlap()); });
  const std::size_t begin = json.find("\"" + member + "\": ") + member.size() + 4;
  json.replace(begin, json.find_first_of(",}", begin) - begin, number);
  try {
    static_cast<void>(read_report(json, "r.json"));
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("Reports that once broke something are refused or written", "[hostile]") {
  std::size_t count = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(test::source_folder() / "tests/fuzz/regressions/report")) {
    INFO(entry.path());
    const std::string text = test::content_of(entry.path());
    ++count;
    Report report;
    try {
      report = read_report(text, "r.json");
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::usage);
      continue;
    }
    check_writers(report);
    check_writers(completed(report));
  }
  CHECK(count > 5);
}

TEST_CASE("Quantities that would leave what a double holds are refused", "[hostile]") {
  for (const char* member : {"median", "measured", "peak_gb_per_s"}) {
    INFO(member);
    CHECK(complaint_with(member, "0").empty());
    CHECK(complaint_with(member, "1e60").empty());
    for (const char* number : {"1e61", "1e-61", "5e-324", "-1", "1.7e308"}) {
      INFO(number);
      CHECK(complaint_with(member, number).ends_with(": expected a number that is 0 or from 1e-60 to 1e+60"));
    }
  }
  CHECK(complaint_with("start_s", "-1e-9").empty());  // just before the first event that was recorded
  CHECK_FALSE(complaint_with("start_s", "-1e61").empty());
}

TEST_CASE("A report has so many different parameters and metrics", "[hostile]") {
  Report report = examples::overlap();
  const std::size_t own = report.results[0].metrics.size();
  for (std::size_t i = own; i < 201; ++i) report.results[0].metrics.push_back({"metric_" + std::to_string(i), 1, {}});
  const std::string json = written([&](std::ostream& out) { write_json(out, report); });
  CHECK_THROWS_WITH(read_report(json, "r.json"),
                    "r.json: /results/0: expected at most 200 different parameters or metrics in a report");
}

TEST_CASE("A record is a case of a probe that takes its values", "[hostile]") {
  Probe probe;
  probe.axes = {{.flag = "size", .parameter = "size_bytes", .purpose = "", .defaults = "", .minimum = 4, .maximum = 8},
                {.flag = "op", .parameter = "op", .purpose = "", .defaults = "", .names = {"read", "write"}}};
  Record record;
  record.parameters = {{"op", "read"}, {"other", "x"}, {"size_bytes", std::uint64_t{8}}};
  const auto tested = case_of(record, probe);
  REQUIRE(tested);
  CHECK(tested->number("size_bytes") == 8);
  CHECK(tested->parameters.size() == 2);
  for (const Value& value : {Value(std::uint64_t{3}), Value(std::uint64_t{9}), Value("auto")}) {
    record.parameters[2].value = value;
    CHECK_FALSE(case_of(record, probe));
  }
  record.parameters[2].value = std::uint64_t{4};
  CHECK(case_of(record, probe));
  for (const Value& value : {Value(std::uint64_t{1}), Value("copy"), Value("")}) {
    record.parameters[0].value = value;
    CHECK_FALSE(case_of(record, probe));
  }
  record.parameters[0].value = "write";
  CHECK(case_of(record, probe));
  probe.validate = [](const Case&) { throw usage_error("these do not go together"); };
  CHECK_FALSE(case_of(record, probe));
  probe.validate = {};
  record.parameters.pop_back();
  CHECK_FALSE(case_of(record, probe));
}

TEST_CASE("What would steer a terminal becomes blank", "[hostile]") {
  CHECK(one_line("a\nb\x1b[31m\x7f\r\t") == "a b [31m   ");
  CHECK(one_line("\u009b31m|\u202e|\u2066|\u2028|\u200b|\ufeff|\u00ad") == " 31m| | | | | | ");
  CHECK(one_line("plain ± é 漢 😀 █") == "plain ± é 漢 😀 █");
  // Bytes that are no UTF-8: alone, too long a form, a surrogate, beyond Unicode, cut off.
  CHECK(one_line("\x80|\xc0\x80|\xed\xa0\x80|\xf4\x90\x80\x80|\xe2\x82") == "?|??|???|????|??");
  CHECK(one_line(std::string("a\0b", 3)) == "a b");
  CHECK(without_controls("a\nb\x1b") == "a\nb ");
}

}  // namespace gpumem::report::test_hostile
