// Texts of a comparison: tables, matrices, means, and what is on one side only.

#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "tests/catch.hpp"
#include "tests/report/compare/compared.hpp"
#include "tests/report/examples.hpp"

namespace gpumem::report::test_compare_texts {

using namespace compared;

TEST_CASE("What differs between the runs is named, the GPU first") {
  NamedReport old_run = named("old", {timed(0, 1)});
  NamedReport new_run = named("new", {timed(0, 1)});
  old_run.report.device->driver_version = "580.1";
  new_run.report.device->driver_version = "581.2";
  old_run.report.device->uuid = "GPU-1";
  new_run.report.device->uuid = "GPU-2";
  old_run.report.results[0].parameters.push_back({"buffer_bytes", std::uint64_t{1} << 30U});
  new_run.report.results[0].parameters.push_back({"buffer_bytes", std::uint64_t{1} << 29U});
  for (NamedReport* run : {&old_run, &new_run}) run->report.results[0].chosen = {"buffer_bytes"};
  new_run.report.results[0].flags = {"throttled"};
  const std::vector<NamedReport> same_kind = {old_run, new_run};
  const std::string text = text_of(compare(same_kind), Format::table, 400);
  CHECK(contains(text, "Different: driver 580.1 -> 581.2; buffer size 1 GiB -> 512 MiB (1 case); "));
  CHECK(contains(text, "flag throttled no case -> 1 case."));
  CHECK(contains(text, "Also different: another GPU of this kind GPU-1 -> GPU-2."));

  new_run.report.device->name = "NVIDIA B200";
  const std::vector<NamedReport> other_kind = {old_run, new_run};
  CHECK(contains(text_of(compare(other_kind)), "Different: GPU NVIDIA H200 -> NVIDIA B200; driver"));
  CHECK_FALSE(contains(text_of(compare(other_kind)), "another GPU of this kind"));

  const std::vector<NamedReport> equal = {old_run, old_run};
  CHECK_FALSE(contains(text_of(compare(equal)), "ifferent"));
}

TEST_CASE("The table has a row per case, and the counts last") {
  const std::vector<NamedReport> reports = {named("a.json", {timed(0, 1), timed(1, 1), timed(2, 1)}),
                                            named("b.json", {timed(0, 1), timed(1, 0.958), timed(7, 1)})};
  const Comparison comparison = compare(reports);
  const std::string text = text_of(comparison);
  CHECK(contains(text, "       0  4000  4000     0.0  -0.1..+0.1  same\n"));
  CHECK(contains(text, "       1  4000  3832    -4.2  -4.3..-4.1  slower\n"));
  CHECK(contains(text, "Only in old: offset (1 case: offset 2).\n"));
  CHECK(contains(text, "Only in new: offset (1 case: offset 7).\n"));
  CHECK(contains(text, "1 same, 1 slower (worst: offset 1: -4.2 %), 0 faster, 0 ambiguous, 1 only in"));
  CHECK(contains(text, "These cases of offset are not the same: offset 2 -> 7.\n"));
  CHECK_FALSE(contains(text_of(comparison, Format::table, 80, true), "same\n"));
  CHECK(contains(text_of(comparison, Format::markdown), "| 1 | 4000 | 3832 | -4.2 | -4.3..-4.1 | slower |"));
}

TEST_CASE("Pairs are a matrix of changes, and those that changed have rows") {
  const Report old_report = examples::even_node(4);
  Report new_report = old_report;
  const auto times = [](HeadlineRecord& headline, double factor) {
    for (auto* value : {&headline.measured, &headline.ci95_low, &headline.ci95_high}) **value *= factor;
  };
  times(new_report.results[4].headline, 0.8);   // from 1 to 2
  times(new_report.results[6].headline, 0.99);  // from 2 to 0
  new_report.results[9] = without_time(new_report.results[9], Status::failed, "the link broke");
  const std::vector<NamedReport> reports = {{"a.json", old_report}, {"b.json", new_report}};
  const Comparison comparison = compare(reports);
  const std::string text = text_of(comparison);
  CHECK(contains(text,
                 "change in % by source (rows) and target (columns)\n"
                 "source      0    1      2    3\n"
                 "     0      -  0.0    0.0  0.0\n"
                 "     1    0.0    -  -20.0  0.0\n"
                 "     2  -1.0?  0.0      -  0.0\n"
                 "     3      !  0.0    0.0    -\n"
                 "?: ambiguous\n"
                 "!: did not run, or not well\n"));
  CHECK(contains(text, "     1       2   379   303   -20.0  -20.1..-19.9  slower\n"));
  CHECK_FALSE(contains(text, "same\n"));
  // Only what changed, and several new reports side by side, are rows.
  CHECK_FALSE(contains(text_of(comparison, Format::table, 80, true), "(rows)"));
  const std::vector<NamedReport> three = {{"a.json", old_report}, {"b.json", new_report}, {"c.json", old_report}};
  CHECK_FALSE(contains(text_of(compare(three)), "(rows)"));
}

TEST_CASE("A geometric mean says how much faster all cases are, whichever way their quantities are") {
  const auto latency = [](std::uint64_t offset, double cycles) {
    Record record = timed(offset, 1);
    record.probe = "latency";
    record.headline = {.quantity = "latency_cycles", .better = Better::less, .measured = cycles};
    return record;
  };
  const std::vector<NamedReport> reports = {
      named("old", {timed(0, 1), timed(1, 1), latency(0, 600), timed(5, 1), timed(6, 1)}),
      named("new", {timed(0, 2), timed(1, 0.5), latency(0, 300), without_time(timed(5, 1), Status::failed, "x")})};
  const Comparison comparison = compare(reports);
  const std::vector<MeanSpeed> means = mean_speeds(comparison, 0);
  REQUIRE(means.size() == 3);
  CHECK_FALSE(means[0].quantity);
  CHECK(means[0].cases == 3);
  CHECK(means[0].ratio == Approx(std::cbrt(2.0)));
  CHECK(means[1].quantity->name == "bandwidth_gb_per_s");
  CHECK(means[1].ratio == Approx(1));
  CHECK(means[2].quantity->name == "latency_cycles");
  CHECK(means[2].ratio == Approx(2));
  const std::string text = text_of(comparison, Format::table, 200);
  CHECK(text.ends_with(
      "Geometric mean of the changes: +26.0 % over 3 cases (bandwidth: +0.00 % over 2, latency: +100.0 % over 1).\n"));
  CHECK(contains(text_of(comparison, Format::markdown), "Geometric mean of the changes: +26.0 % over 3 cases"));

  const std::vector<NamedReport> alike = {named("old", {timed(0, 1)}), named("new", {timed(0, 2)})};
  CHECK(mean_speeds(compare(alike), 0).size() == 1);
  const std::vector<NamedReport> apart = {named("old", {timed(0, 1)}), named("new", {timed(1, 2)})};
  CHECK(mean_speeds(compare(apart), 0).empty());
}

TEST_CASE("Cases on one side only are named by all that tells them from the others") {
  const auto written = [](std::uint64_t offset) {
    Record record = timed(offset, 1);
    record.parameters[1].value = std::string("write");
    return record;
  };
  const std::vector<NamedReport> reports = {named("a.json", {timed(0, 1), timed(1, 1), written(0), written(1)}),
                                            named("b.json", {written(0), written(1)})};
  CHECK(contains(text_of(compare(reports)), "Only in old: offset (2 cases: offset 0, 1; op read).\n"));
}

TEST_CASE("A case that broke without a reason is named without one") {
  Record wrong = timed(1, 1);
  wrong.verified = false;
  wrong.headline.measured = std::nullopt;
  const std::vector<NamedReport> reports = {named("a.json", {timed(0, 1), timed(1, 1)}),
                                            named("b.json", {timed(0, 1), wrong})};
  const Comparison comparison = compare(reports);
  CHECK(contains(text_of(comparison), "offset 1: moved wrong data in new\n"));
  CHECK(gate(comparison, 0, 0.03).failure == "1 case moved wrong data (first: offset 1)");
}

TEST_CASE("No line of a table is wider than the terminal") {
  std::vector<Record> old_cases;
  std::vector<Record> new_cases;
  for (std::uint64_t i = 0; i < 40; ++i) {
    old_cases.push_back(timed(i, 1));
    new_cases.push_back(timed(i, i % 3 == 0 ? 0.8 : 1));
    new_cases.back().flags = {"throttled", "contended"};
  }
  const std::string hostile = "a\nb\x1b[31m" + std::string(300, 'x');
  new_cases[5] = without_time(new_cases[5], Status::failed, hostile);
  const std::vector<NamedReport> reports = {named("old", old_cases), named("new", new_cases), named("more", old_cases)};
  for (const unsigned width : {20U, 60U, 80U, 200U}) {
    std::istringstream lines(text_of(compare(reports), Format::table, width));
    for (std::string line; std::getline(lines, line);) {
      CAPTURE(width, line);
      CHECK(line.find('\x1b') == std::string::npos);
      CHECK((line.size() <= width || line.find(' ') == std::string::npos || contains(line, "…")));
    }
  }
}

TEST_CASE("Several reports are each held against the first") {
  const std::vector<NamedReport> reports = {named("a", {timed(0, 1)}), named("b", {timed(0, 2)}),
                                            named("c", {timed(1, 1)})};
  const Comparison comparison = compare(reports);
  REQUIRE(comparison.cases.size() == 2);
  CHECK(comparison.cases[0].changes[0].outcome == CaseVerdict::faster);
  CHECK(comparison.cases[0].changes[1].outcome == CaseVerdict::missing);
  CHECK(comparison.cases[1].changes[1].outcome == CaseVerdict::added);
  CHECK(tally(comparison, 0).compared() == 1);
  CHECK(tally(comparison, 0)[CaseVerdict::missing] == 0);
  CHECK(contains(text_of(comparison), "new 2: Nothing could be compared, 1 only in old, 1 only in new."));
}

}  // namespace gpumem::report::test_compare_texts
