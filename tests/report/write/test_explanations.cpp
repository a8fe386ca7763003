// The output of `gpumem explain` for a small report, compared with tests/report/golden, and the column of a table.

#include <sstream>

#include "report/explain/explain.hpp"
#include "report/text/text.hpp"
#include "report/write/writers.hpp"
#include "tests/catch.hpp"
#include "tests/report/examples.hpp"
#include "tests/report/golden.hpp"

namespace gpumem::report::test_explanations {

namespace {

/// Writes at two offsets, measured and counted, and a third that failed.
Report small_report() {
  Report report = examples::measured_copy();
  report.results.resize(3);
  for (std::size_t i = 0; i < 2; ++i) {
    Record& record = report.results[i];
    const bool shifted = i == 1;
    record.parameters[1].value = "write";
    record.useful_bytes_read = 0;
    record.access.erase(record.access.begin());
    record.access.front().cost(sectors).counted = shifted ? 5 : 4;
    const double seconds = shifted ? 320e-6 : 240e-6;
    record.time = examples::time_record(seconds, 15);
    record.headline.measured = static_cast<double>(record.useful_bytes_written) / seconds / 1e9;
    record.headline.predicted = *record.headline.measured * (shifted ? 1.2 : 1);
    record.fraction_of_peak = *record.headline.measured / *record.headline.peak;
    record.bottleneck = Bottleneck{shifted ? "l2_sectors" : "dram", shifted ? "l2_sectors" : "dram"};
    record.stages = {{"launch", 158e-6, {}},
                     {"l2_sectors", shifted ? 260e-6 : 190e-6, shifted ? 310e-6 : 190e-6},
                     {"dram", 235e-6, 236e-6}};
    record.counters.emplace();
    record.counters->global_store_requests = 8388608;
    record.counters->global_store_sectors = shifted ? 41943040 : 33554432;
    record.counters->l2_write_requests = shifted ? 15938355 : 8388608;
    record.counters->dram_write_bytes = 1.0738e9;
    record.counters->dram_read_bytes = 1.2e6;
    record.counters->achieved_occupancy = 0.93;
  }
  report.results[2].status = Status::failed;
  report.results[2].verified = false;
  report.results[2].reason = "wrong data\x1b[31m at word 7";
  return report;
}

std::string explained(const Report& report, const std::vector<std::size_t>& cases, unsigned width) {
  std::ostringstream out;
  write_explained(out, report, cases, width);
  return out.str();
}

std::string table_of(const Report& report, const TableStyle& style) {
  std::ostringstream out;
  write_table(out, report, style);
  return out.str();
}

}  // namespace

TEST_CASE("an explained report is what the golden files show", "[explain]") {
  compare_with_golden("explained.80.txt", explained(small_report(), {0, 1, 2}, 80));
  compare_with_golden("explained.120.txt", explained(small_report(), {1}, 120));
  std::ostringstream markdown;
  write_explained_markdown(markdown, small_report(), std::vector<std::size_t>{0, 1, 2});
  compare_with_golden("explained.md", markdown.str());
}

TEST_CASE("a report without cases says so, and what to do", "[explain]") {
  Report report;
  CHECK(explained(report, {}, 80) ==
        "The report has no cases to explain; make one that has: gpumem probe --output report.json\n");
  report.program = ProgramRecord{};
  report.program->command = {"./a b", "\x1b[31m"};
  report.program->exit_code = 1;
  report.program->notes = {"no library"};
  const std::string text = explained(report, {}, 80);
  CHECK_THAT(text, Catch::Matchers::StartsWith("'./a b' "));
  CHECK_THAT(text, Catch::Matchers::ContainsSubstring(
                       "(exit code 1) launched no kernel; no library. There is nothing to explain"));
  CHECK_THAT(text, Catch::Matchers::EndsWith("gpumem run --output report.json -- COMMAND\n"));
  CHECK(text.find('\x1b') == std::string::npos);
  report.program->launches_seen = report.program->kernels_seen = 2;
  CHECK_THAT(explained(report, {}, 80), Catch::Matchers::ContainsSubstring("launched 2 kernels, and none was sampled"));
}

TEST_CASE("what others wrote into a report cannot reach the terminal", "[explain]") {
  CHECK(explained(small_report(), {2}, 80).find('\x1b') == std::string::npos);
}

TEST_CASE("cases of an earlier report are explained with what it has", "[explain]") {
  Report report = examples::banks();
  for (const unsigned width : {80U, 120U}) {
    std::istringstream lines(explained(report, {0, 31}, width));
    for (std::string line; std::getline(lines, line);) CHECK(display_width(line) <= width);
  }
  report.results.front().bottleneck.reset();
  CHECK(explained(report, {0}, 80).find("No prediction and no counter shows its limit.") != std::string::npos);
  report.results.front().no_prediction = "no stage does this";
  CHECK(explained(report, {0}, 120).find("no counter shows its limit: no stage does this.") != std::string::npos);
}

TEST_CASE("the why column is the last, fits, and is only there when asked for", "[explain]") {
  Report report = small_report();
  add_explanations(report.results);
  CHECK(table_of(report, {.width = 120}).find("why") == std::string::npos);
  const std::string wide = table_of(report, {.width = 200, .why = true});
  CHECK(wide.find("  5 sectors per store where 4 would do; align the base: 1.33 x\n") != std::string::npos);
  for (const unsigned width : {80U, 90U, 100U, 140U}) {
    for (const bool bars : {false, true}) {
      const std::string text = table_of(report, {.width = width, .bars = bars, .why = true});
      std::istringstream lines(text);
      for (std::string line; std::getline(lines, line);) CHECK(display_width(line) <= width);
      CHECK(text.find("5 sectors per store where 4 would do") != std::string::npos);
    }
  }
  // Bars give way to it, and come back where there is room for both.
  CHECK(table_of(report, {.width = 100, .bars = true, .why = true}).find("█") == std::string::npos);
  CHECK(table_of(report, {.width = 200, .bars = true, .why = true}).find("█") != std::string::npos);
  std::ostringstream markdown;
  write_markdown(markdown, report, true);
  CHECK(markdown.str().find("| why |") != std::string::npos);
  CHECK(markdown.str().find("| 5 sectors per store where 4 would do; align the base: 1.33 x |") != std::string::npos);
}

}  // namespace gpumem::report::test_explanations
