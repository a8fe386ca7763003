// The output of `gpumem run` for a user's program: the golden files, and what they do not hold.

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>

#include "report/explain/explain.hpp"
#include "report/read/read_report.hpp"
#include "report/record/kernels.hpp"
#include "report/record/quantities.hpp"
#include "report/text/text.hpp"
#include "report/write/writers.hpp"
#include "tests/catch.hpp"
#include "tests/report/examples.hpp"
#include "tests/report/golden.hpp"
#include "tests/report/program_example.hpp"

namespace gpumem::report::test_program {

namespace {

std::string written(const Report& report, Format format, unsigned width = 80) {
  std::ostringstream out;
  write(out, report, format, {.width = width});
  return out.str();
}

std::string table(const Report& report, unsigned width = 200) { return written(report, Format::table, width); }

bool says(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

/// Kernels that waste, with so many of them.
Report wasteful(std::size_t count) {
  Report report = examples::program();
  report.results.clear();
  for (std::size_t i = 0; i < count; ++i) {
    report.results.push_back(
        examples::kernel_case("waste" + std::to_string(i), 10e-3, 1e-3 * static_cast<double>(i + 1)));
  }
  return report;
}

}  // namespace

TEST_CASE("A program is written as the golden files show", "[run]") {
  const Report report = completed(examples::program());
  compare_with_golden("program.csv", written(report, Format::csv));
  compare_with_golden("program.md", written(report, Format::markdown));
  compare_with_golden("program.80.txt", table(report, 80));
  compare_with_golden("program.200.txt", table(report, 200));
}

TEST_CASE("A program that says what it did when is written as the golden files show", "[run]") {
  const Report report = completed(examples::program_in_time());
  const std::string json = written(report, Format::json);
  compare_with_golden("program_in_time.json", json);
  compare_with_golden("program_in_time.md", written(report, Format::markdown));
  compare_with_golden("program_in_time.trace", written(report, Format::trace));
  CHECK(written(read_report(json, "r.json"), Format::json) == json);
}

TEST_CASE("A program's table never exceeds its width", "[run]") {
  for (unsigned width = 20; width <= 250; width += width < 120 ? 1 : 7) {
    std::istringstream lines(table(examples::program(), width));
    for (std::string line; std::getline(lines, line);) {
      INFO(width << ": " << line);
      CHECK(display_width(line) <= width);
      CHECK((line.empty() || line.back() != ' '));
    }
  }
}

TEST_CASE("A counted program is written as the golden files show", "[run]") {
  const Report report = examples::counted_program();
  compare_with_golden("program_counted.80.txt", table(report, 80));
  compare_with_golden("program_counted.160.txt", table(report, 160));
  CHECK(written(read_report(written(report, Format::json), "r.json"), Format::json) == written(report, Format::json));
}

TEST_CASE("A program's table says why in full at every width of a terminal", "[run]") {
  const Report report = examples::program();
  for (unsigned width = 60; width <= 250; width += 10) {
    std::string text = table(report, width);
    std::string words;  // without line breaks and blanks
    std::ranges::remove_copy_if(text, std::back_inserter(words), [](char c) { return c == ' ' || c == '\n'; });
    INFO(text);
    for (const Record& record : {report.results[0], report.results[1]}) {
      std::string why = record.why_brief;
      std::erase(why, ' ');
      CHECK(says(words, why));
    }
  }
}

TEST_CASE("A program's kernels are ranked by what could be saved, ten of them", "[run]") {
  const std::string text = table(wasteful(13));
  CHECK(text.find("waste12 ") < text.find("waste11 "));
  CHECK(says(text, "waste3 "));
  CHECK_FALSE(says(text, "waste2 "));
  CHECK(says(text, "\n3 more kernels could save 6.0 ms; save all of them with --output report.json"));
  CHECK_FALSE(says(table(wasteful(10)), "more kernel"));
  CHECK(says(table(wasteful(11)), "\n1 more kernel could save 1.0 ms;"));
}

TEST_CASE("A program's kernels have a column of ranges where it marks any", "[run]") {
  Report report = examples::program();
  CHECK(says(table(report), "range"));
  CHECK(read_report(written(report, Format::json), "r.json").results[1].range == "forward");
  for (Record& record : report.results) record.range.clear();
  CHECK_FALSE(says(table(report), "range"));
  CHECK_FALSE(says(written(report, Format::json), "\"range\""));
  report.results[1].range = "\x1b[31mone\ntwo";
  CHECK(says(table(report), "one two"));
  CHECK_FALSE(says(table(report), "\x1b"));
}

TEST_CASE("A program whose kernels are fine has no table", "[run]") {
  Report report = examples::program();
  report.results = {examples::kernel_case("good", 10e-3, 1e-4), examples::kernel_case("better", 10e-3, 0)};
  for (Record& record : report.results) record.metrics[1].measured = 0.5;
  report.program->skipped.clear();
  report.program->notes.clear();
  const std::string text = table(report);
  CHECK(says(text, "\n2 kernels are fine: 100 % of the GPU time.\n"));
  CHECK_FALSE(says(text, "could save"));
  report.program->skipped.emplace_back(graphs_reason, 12);
  const std::string partly = table(report);
  CHECK(says(partly, "\n2 kernels are fine: 100 % of the GPU time that is known.\n"));
  CHECK(says(partly, "\n12 launches of CUDA graphs were not seen, and their kernels are in no sum;"));
  report.program->skipped.clear();
  report.results.pop_back();
  CHECK(says(table(report), "\n1 kernel is fine: 50 % of the GPU time.\n"));
  const Record good = report.results[0];
  report.results[0].bottleneck = Bottleneck{"latency", {}};
  report.results[0].stages = {{"latency", 9e-4, {}}, {"dram", 1e-4, {}}};
  CHECK_FALSE(says(table(report), "is fine"));
  report.results[0] = good;
  report.results.push_back(report.results.front());
  report.results.back().parameters[1].value = "7";
  CHECK(says(table(report), "\n1 kernel in 2 launch configurations "));
}

TEST_CASE("A program's kernels that were not seen have a reason, or are counted", "[run]") {
  Report report = examples::program();
  const std::string reason = *report.results[3].reason;
  CHECK(says(table(report), "not seen access by access: launched by a CUDA graph"));
  CHECK_FALSE(says(table(report), "10 launches not seen"));  // the row says it
  report.results[3].metrics[1].measured = 0.01;              // of no weight
  const std::string text = table(report);
  CHECK(says(text, "\n1 more kernel has not been seen access by access: 1 % of the GPU time.\n"));
  CHECK(says(text, "\n10 launches not seen access by access: launched by a CUDA graph"));
  CHECK_FALSE(says(text, "triton"));
  Record& counted = report.results.emplace_back(report.results[3]);  // of no weight either, but looked at
  counted.status = Status::ok;
  counted.reason.reset();
  CHECK(says(table(report), "\n1 more kernel has no known saving: 1 % of the GPU time.\n1 more kernel has not "));

  Record& unpriced = report.results.front();
  unpriced.metrics[4].predicted.reset();
  unpriced.no_prediction = "the profile has no rate for it";
  unpriced.why_brief = unpriced.why = "";
  CHECK(says(table(report), "no saving is known: the profile has no rate for it"));
}

TEST_CASE("A program's headline says what ran and what was seen", "[run]") {
  Report report = examples::program();
  const auto headline = [&] { return table(report).substr(0, table(report).find('\n')); };
  CHECK(headline() ==
        "gpumem: 5 kernels in 60 launches of python3 train.py, 31 ms on the GPU; 5 launches seen access by access, "
        "260 ms for");
  report.program->processes = 4;
  report.program->exit_code = 137;
  report.program->command = {"sh", "-c", "a b"};
  report.program->gpu_seconds.reset();
  report.program->sampling_seconds.reset();
  report.program->launches_counted = 1;
  report.program->kernels_seen = 1;
  CHECK(headline() ==
        "gpumem: 1 kernel in 60 launches of sh -c 'a b' (4 processes, exit code 137); 1 launch seen access by access");
  report.program->launches_counted = 0;
  CHECK(headline().ends_with("; none seen access by access"));
  report.program->launches_seen = 0;
  CHECK(headline() == "gpumem: no kernel was launched by sh -c 'a b' (4 processes, exit code 137)");
}

TEST_CASE("A program comes back from JSON as it was", "[run]") {
  const Report report = examples::program();
  Report read = read_report(written(report, Format::json), "r.json");
  REQUIRE(read.program);
  CHECK(read.program->command == report.program->command);
  CHECK(read.program->exit_code == 0);
  CHECK(read.program->skipped == report.program->skipped);
  CHECK(read.program->gpu_seconds == report.program->gpu_seconds);
  CHECK(read.program->notes == report.program->notes);
  const SiteRecord& site = read.results[0].access[0];
  CHECK(site.requests == report.results[0].access[0].requests);
  CHECK(site.active_lanes == 32);
  REQUIRE(site.costs.size() == 2);
  CHECK(site.costs[0].least == 4);
  CHECK(site.per_request(lines_unit).predicted == 32);
  CHECK(written(read, Format::json) == written(report, Format::json));
  for (std::size_t i = 0; i < read.results.size(); ++i) read.results[i].why_brief = report.results[i].why_brief;
  CHECK(table(read) == table(report));
}

TEST_CASE("A program of another version may say less, and nothing wrong", "[run]") {
  auto json = nlohmann::ordered_json::parse(written(examples::program(), Format::json));
  for (const char* member : {"gpu_seconds", "sampling_seconds", "notes"}) json["program"].erase(member);
  json["program"]["exit_code"] = nullptr;
  const Report read = read_report(json.dump(), "r.json");
  CHECK_FALSE(read.program->exit_code);
  CHECK_FALSE(read.program->gpu_seconds);
  json["program"]["exit_code"] = 256;
  CHECK_THROWS_WITH(read_report(json.dump(), "r.json"),
                    "r.json: /program/exit_code: expected a whole number from 0 to 255");
  json.erase("program");
  CHECK_FALSE(read_report(json.dump(), "r.json").program);
}

TEST_CASE("A program's quantities are described, and found in its kernels", "[run]") {
  const Report report = examples::program();
  const auto json = nlohmann::json::parse(written(report, Format::json));
  for (const Metric& metric : kernel_probe().metrics) {
    INFO(metric.quantity.name);
    CHECK(json["quantities"][metric.quantity.name]["purpose"] == metric.quantity.purpose);
    CHECK(json["quantities"][metric.quantity.name]["better"] == to_string(metric.quantity.better));
  }
  CHECK(json["words"]["probes"]["kernel"]["purpose"] == kernel_probe().purpose);
  CHECK(case_quantity(report.results[0], "sectors_per_request") == 32);
  CHECK(case_quantity(report.results[0], "lines_per_request") == 32);
  CHECK(case_quantity(report.results[1], "wavefronts_per_request") == 32);
}

TEST_CASE("A program's columns of CSV come after those of probes", "[run]") {
  Report report = examples::measured_copy();
  order_columns(report, {});
  std::ostringstream out;
  write_csv(out, report, {"all"});
  const std::string text = out.str();
  const std::string header = text.substr(0, text.find('\n'));
  CHECK(header.find(",parameters.kernel,parameters.grid,") > header.find(",headline.quantity,"));
  CHECK(header.ends_with(",metrics_predicted.could_save_high_seconds,range"));
}

}  // namespace gpumem::report::test_program
