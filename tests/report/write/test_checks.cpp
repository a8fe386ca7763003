// The writers of checks, compared with golden files of one report that holds every verdict and hostile texts.

#include <algorithm>
#include <functional>
#include <sstream>

#include "report/check/check_words.hpp"
#include "report/read/read_report.hpp"
#include "report/text/text.hpp"
#include "report/write/writers.hpp"
#include "tests/catch.hpp"
#include "tests/report/checked.hpp"
#include "tests/report/golden.hpp"

namespace gpumem::report::test_checks {

namespace {

/// Passed, failed, skipped and skipped though required, by names that would break a careless writer.
Report every_verdict() {
  Report report = checked::measured();
  report.results[2].headline.measured = 2000;
  report.results[5].flags = {"throttled"};
  Expectation narrow = checked::shifted_reads();
  narrow.name = "shifted writes keep a \"third\": 50 %, <b>|</b> & more\x1b[31m";
  narrow.cases = checked::select({1, 3}, {"write"});
  narrow.at_least = 0.3;
  narrow.at_most = 0.6;
  Expectation other = checked::shifted_reads();
  other.name = "an A100";
  other.gpu = "NVIDIA A100";
  other.required = true;
  Expectation uncounted = checked::shifted_reads();
  uncounted.name = "a name that is far too long for the column it would stand in, as names that people choose are";
  uncounted.quantity = "dram_read_bytes";
  const std::vector<Expectation> all = {checked::shifted_reads(),        narrow, checked::of_device("pcie_width", 16),
                                        checked::without({"throttled"}), other,  uncounted};
  report.checks = check(report, all, {});
  report.checks[4].attempts = 2;
  report.passed = false;
  report.host.name = "gpu\xff<17>\x01";
  return report;
}

std::string text_of(const std::function<void(std::ostream&)>& write) {
  std::ostringstream out;
  write(out);
  return out.str();
}

std::string lines(unsigned width, bool color = false, CheckLines shown = CheckLines::all) {
  return text_of([&](std::ostream& out) {
    write_checks(out, every_verdict(), {.width = width, .color = color, .bars = false, .why = false}, shown);
  });
}

std::span<const Report> alone(const Report& report) { return {&report, 1}; }

}  // namespace

TEST_CASE("checks are written as the golden files show", "[check]") {
  const Report report = every_verdict();
  compare_with_golden("checks.80.txt", lines(80));
  compare_with_golden("checks.200.txt", lines(200));
  compare_with_golden("checks.exceptions.txt", lines(80, false, CheckLines::exceptions));
  compare_with_golden("checks.color.txt", lines(80, true));
  compare_with_golden("checks.md", text_of([&](std::ostream& out) { write_checks_markdown(out, report); }));
  compare_with_golden("checks.github.txt", text_of([&](std::ostream& out) { write_checks_github(out, report); }));
  compare_with_golden("checks.xml", text_of([&](std::ostream& out) { write_junit(out, alone(report)); }));
  compare_with_golden("checks.prom", text_of([&](std::ostream& out) { write_openmetrics(out, alone(report)); }));
}

TEST_CASE("lines of checks never exceed the width and have no trailing blanks", "[check]") {
  for (unsigned width = 40; width <= 210; width += 5) {
    std::istringstream in(lines(width));
    for (std::string line; std::getline(in, line);) {
      INFO("at " << width << ": " << line);
      CHECK(display_width(line) <= width);
      CHECK((line.empty() || line.back() != ' '));
    }
  }
}

TEST_CASE("the verdict on all checks is the first line, and the only one if nothing else is asked for", "[check]") {
  const std::string verdict = lines(80, false, CheckLines::none);
  CHECK(verdict.starts_with("FAIL  mine on NVIDIA H200, "));
  CHECK(verdict.ends_with(": 4 passed, 2 failed, 2 skipped\n"));
  CHECK(std::ranges::count(verdict, '\n') == 1);
  for (const CheckLines shown : {CheckLines::exceptions, CheckLines::all}) {
    CHECK(lines(200, false, shown).starts_with(verdict));
  }
}

TEST_CASE("all that passed at once is one line, which names what came nearest to its bound", "[check]") {
  const std::string shown = lines(200, false, CheckLines::exceptions);
  CHECK(shown.find("\nPASS  3 expectations; nearest to its bound: shifted writes keep") != std::string::npos);
  CHECK(shown.find("\nPASS  the link has all its lanes") != std::string::npos);  // at the second attempt
}

TEST_CASE("a skip of what is required is no pass", "[check]") {
  Report report = every_verdict();
  report.passed.reset();
  std::erase_if(report.checks, [](const CheckRecord& check) { return check.verdict == Verdict::fail; });
  CHECK(text_of([&](std::ostream& out) { write_checks(out, report, {}); }).starts_with("FAIL"));
  std::erase_if(report.checks, [](const CheckRecord& check) { return check.required; });
  CHECK(text_of([&](std::ostream& out) { write_checks(out, report, {}); }).starts_with("PASS"));
}

TEST_CASE("checks survive the way through JSON", "[check]") {
  Report report = every_verdict();
  report.host.name = "gpu17";
  const auto json_of = [](const Report& any) { return text_of([&](std::ostream& out) { write_json(out, any); }); };
  const std::string json = json_of(report);
  const Report read = read_report(json, "r.json");
  CHECK(json_of(read) == json);
  CHECK(read.suite == "mine");
  CHECK(read.passed == false);
  CHECK(read.watched == report.watched);
  REQUIRE(read.checks.size() == report.checks.size());
  CHECK(read.checks[6].required == report.checks[6].required);
  CHECK(read.checks[4].attempts == 2);
  CHECK(read.checks[2].cases == report.checks[2].cases);
}

TEST_CASE("a value that misses its bound never looks like it", "[check]") {
  CheckRecord check;
  check.measured = 0.79999;
  check.at_least = 0.8;
  CHECK(bound_words(check) == "0.79999 < 0.8");
  check.measured = 0.712;
  CHECK(bound_words(check) == "0.712 < 0.8");
  check.measured = 0.8;
  CHECK(bound_words(check) == "0.800 >= 0.8");
  check.at_most = 33.6;
  check.measured = 33.6000001;
  CHECK(bound_words(check) == "33.6000001 > 33.6");
  check.measured = 32;
  CHECK(bound_words(check) == "32 in 0.8..33.6");
  check.at_least.reset();
  CHECK(bound_words(check) == "32 <= 33.6");
  check.measured.reset();
  CHECK(bound_words(check).empty());
}

TEST_CASE("quantities have the unit that their name says", "[check]") {
  CHECK(labelled_value("bandwidth_gb_per_s", 4580.3) == "4580 GB/s");
  CHECK(labelled_value("time_seconds", 1.2345e-3) == "1.23 ms");
  CHECK(labelled_value("fraction_of_peak", 0.9512) == "0.951 of peak");
  CHECK(labelled_value("dram_read_bytes", 2.14e9) == "2.14 GB");
  CHECK(labelled_value("cycles_per_request", 32.04) == "32.0 cycles per request");
  CHECK(labelled_value("pcie_width", 16) == "pcie width 16");
  CHECK(labelled_value("fixed_cost_us", 2.44) == "fixed cost 2.44 us");
}

TEST_CASE("bytes that are no UTF-8 are replaced one by one", "[check]") {
  CHECK(valid_utf8("ab\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80") == "ab\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80");
  const std::string gone = "\xEF\xBF\xBD";
  CHECK(valid_utf8("\xff") == gone);
  CHECK(valid_utf8("\xc3") == gone);
  CHECK(valid_utf8("\xc0\xaf") == gone + gone);             // longer than needed
  CHECK(valid_utf8("\xed\xa0\x80") == gone + gone + gone);  // a surrogate
  CHECK(valid_utf8("\xf4\x90\x80\x80") == gone + gone + gone + gone);
  CHECK(valid_utf8("\xe2\x82x") == gone + gone + "x");
}

TEST_CASE("gauges of cases that were asked for twice are there once", "[check]") {
  Report report = checked::measured();
  report.results.push_back(report.results[0]);
  report.results.back().headline.measured = 4000;
  const std::string text = text_of([&](std::ostream& out) { write_openmetrics(out, alone(report)); });
  const std::string sample =
      "gpumem_bandwidth_bytes_per_second{suite=\"mine\",gpu=\"NVIDIA H200\",uuid=\"GPU-1\",probe=\"shift\","
      "offset_elements=\"0\",op=\"read\",block_threads=\"256\",reading=\"measured\"} ";
  const std::size_t first = text.find(sample);
  REQUIRE(first != std::string::npos);
  CHECK(text.compare(first + sample.size(), 7, "4000000") == 0);  // the later one
  CHECK(text.find(sample, first + 1) == std::string::npos);
}

TEST_CASE("writers of checks cope with a report that says nothing", "[check]") {
  const Report empty;
  CHECK(text_of([&](std::ostream& out) { write_openmetrics(out, alone(empty)); }).ends_with("# EOF\n"));
  CHECK(text_of([&](std::ostream& out) { write_openmetrics(out, {}); }) == "# EOF\n");
  CHECK(text_of([&](std::ostream& out) { write_junit(out, alone(empty)); }).find("tests=\"0\"") != std::string::npos);
  CHECK(text_of([&](std::ostream& out) { write_checks(out, empty, {}); }).find("0 passed, 0 failed, 0 skipped\n") !=
        std::string::npos);
}

}  // namespace gpumem::report::test_checks
