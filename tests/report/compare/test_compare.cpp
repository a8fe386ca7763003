// Comparing reports: which cases belong together, what the noise allows to say, and what a gate makes of it.

#include <algorithm>
#include <cmath>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "report/compare/compare.hpp"
#include "report/write/comparisons/comparison.hpp"
#include "tests/catch.hpp"
#include "tests/report/examples.hpp"

namespace gpumem::report::test_compare {

namespace {

/// A case of the probe "offset" that took 1 ms / `speed`, with an interval of so much each way.
Record timed(std::uint64_t offset, double speed, double half_width = 0.001) {
  Record record;
  record.probe = "offset";
  record.swept = "offset_elements";
  record.parameters = {{"offset_elements", offset}, {"op", std::string("read")}};
  record.verified = true;
  record.useful_bytes_read = 4'000'000'000;
  const double median = 1e-3 / speed;
  record.time = TimeRecord{.summary = {.median = measure::Seconds(median),
                                       .ci95_low = measure::Seconds(median * (1 - half_width)),
                                       .ci95_high = measure::Seconds(median * (1 + half_width)),
                                       .count = 15},
                           .samples = {}};
  record.headline.measured = 4 / median;
  record.headline.ci95_low = 4 / (median * (1 + half_width));
  record.headline.ci95_high = 4 / (median * (1 - half_width));
  return record;
}

NamedReport named(const std::string& name, std::vector<Record> results, const std::string& backend = "cuda") {
  Report report;
  report.backend = backend;
  report.started_at = "2026-11-20T10:00:00Z";
  report.device.emplace().name = "NVIDIA H200";
  report.results = std::move(results);
  return {name, std::move(report)};
}

Record without_time(Record record, Status status, const std::string& reason) {
  record.status = status;
  record.reason = reason;
  record.verified = std::nullopt;
  record.time = std::nullopt;
  record.headline.measured = std::nullopt;
  return record;
}

CaseVerdict outcome(const Record& old_case, const Record& new_case) {
  const std::vector<NamedReport> reports = {named("old", {old_case}), named("new", {new_case})};
  return compare(reports).cases.at(0).changes.at(0).outcome;
}

std::string text_of(const Comparison& comparison, Format format = Format::table, unsigned width = 80,
                    bool changed_only = false) {
  std::ostringstream out;
  write_comparison(out, comparison, format, {.width = width}, changed_only);
  return out.str();
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

using Partners = std::vector<std::optional<std::size_t>>;

}  // namespace

TEST_CASE("Cases are paired by probe and parameters, wherever they stand") {
  const std::vector<Record> old_cases = {timed(0, 1), timed(1, 1), timed(2, 1)};
  std::vector<Record> new_cases = {timed(2, 1), timed(0, 1), timed(7, 1)};
  std::ranges::reverse(new_cases[0].parameters);
  CHECK(pair_cases(old_cases, new_cases) == Partners{1, std::nullopt, 0});
  new_cases[1].probe = "stride";
  CHECK(pair_cases(old_cases, new_cases) == Partners{std::nullopt, std::nullopt, 0});
}

TEST_CASE("The number 4 and the name 4 are different values") {
  Record number = timed(4, 1);
  Record name = timed(4, 1);
  name.parameters[0].value = std::string("4");
  CHECK(pair_cases(std::vector{number}, std::vector{name}) == Partners{std::nullopt});
}

TEST_CASE("Repeated cases are paired in order") {
  const std::vector<Record> thrice = {timed(0, 1), timed(0, 2), timed(0, 3)};
  const std::vector<Record> twice = {timed(0, 1), timed(0, 2)};
  CHECK(pair_cases(thrice, twice) == Partners{0, 1, std::nullopt});
}

TEST_CASE("What auto decided counts as auto, unless a case has the very value") {
  const auto with_threads = [](std::uint64_t threads, bool chosen) {
    Record record = timed(0, 1);
    record.parameters.push_back({"block_threads", threads});
    if (chosen) record.chosen = {"block_threads"};
    return record;
  };
  CHECK(pair_cases(std::vector{with_threads(128, true)}, std::vector{with_threads(256, true)}) == Partners{0});
  CHECK(pair_cases(std::vector{with_threads(128, true)}, std::vector{with_threads(256, false)}) ==
        Partners{std::nullopt});
  CHECK(pair_cases(std::vector{with_threads(128, true)},
                   std::vector{with_threads(256, true), with_threads(128, false)}) == Partners{1});
  // Both are equal in every value; the one that was asked for in the same way comes first.
  CHECK(pair_cases(std::vector{with_threads(128, true)},
                   std::vector{with_threads(128, false), with_threads(128, true)}) == Partners{1});
}

TEST_CASE("A case that ran alone is compared with the same case of a sweep, in both directions") {
  const auto with_threads = [](std::uint64_t offset, std::uint64_t threads, double half_width) {
    Record record = timed(offset, 1, half_width);
    record.parameters.push_back({"block_threads", threads});
    record.chosen = {"block_threads"};
    return record;
  };
  const NamedReport alone = named("alone", {with_threads(1, 256, 0.002)});
  const NamedReport sweep =
      named("sweep", {with_threads(0, 128, 0.001), with_threads(1, 128, 0.004), with_threads(2, 128, 0.001)});
  for (const bool alone_first : {true, false}) {
    const std::vector<NamedReport> reports = {alone_first ? alone : sweep, alone_first ? sweep : alone};
    const Comparison comparison = compare(reports);
    const CaseTally counts = tally(comparison, 0);
    CHECK(comparison.cases.size() == 3);
    CHECK(counts.compared() == 1);
    CHECK(counts[CaseVerdict::same] == 1);
    CHECK(counts[alone_first ? CaseVerdict::added : CaseVerdict::missing] == 2);
    const auto both = std::ranges::find_if(comparison.cases, [](const ComparedCase& any) { return any.in_both(0); });
    REQUIRE(both != comparison.cases.end());
    const CaseChange& change = both->changes.front();
    REQUIRE(change.shape.size() == 1);
    CHECK(change.shape.front().parameter == "block_threads");
    // Each side brings the interval of its own samples.
    REQUIRE(change.speed);
    CHECK(std::log(*change.speed->high) == Approx(std::hypot(0.002, 0.004)).epsilon(0.01));
  }
}

TEST_CASE("A parameter that only one version has does not keep cases apart, unless its values do") {
  const auto with_numa = [](std::uint64_t offset, const std::string& numa) {
    Record record = timed(offset, 1);
    record.parameters.push_back({"numa", numa});
    return record;
  };
  CHECK(pair_cases(std::vector{timed(0, 1)}, std::vector{with_numa(0, "gpu")}) == Partners{0});
  CHECK(pair_cases(std::vector{with_numa(0, "gpu")}, std::vector{timed(0, 1)}) == Partners{0});
  CHECK(pair_cases(std::vector{timed(0, 1)}, std::vector{with_numa(0, "gpu"), with_numa(0, "off")}) ==
        Partners{std::nullopt});
}

TEST_CASE("The interval of a ratio adds the two half-widths in quadrature, in logarithms") {
  // 3 and 4 parts in a thousand of logarithm make 5.
  const auto around = [](double value, double log_width) {
    return Estimate{.value = value, .low = value * std::exp(-log_width), .high = value * std::exp(log_width)};
  };
  const Estimate faster = speed_ratio(around(100, 0.003), around(110, 0.004), Better::more);
  CHECK(faster.value == Approx(1.1));
  CHECK(*faster.low == Approx(1.1 * std::exp(-0.005)).epsilon(1e-12));
  CHECK(*faster.high == Approx(1.1 * std::exp(0.005)).epsilon(1e-12));
  const Estimate longer = speed_ratio(around(100, 0.003), around(110, 0.004), Better::less);
  CHECK(longer.value == Approx(1 / 1.1));
  CHECK(*longer.high == Approx(std::exp(0.005) / 1.1).epsilon(1e-12));
}

TEST_CASE("Each end of the interval comes from the ends that push it there") {
  const Estimate old_value = {.value = 1, .low = 1 * std::exp(-0.01), .high = 1 * std::exp(0.02)};
  const Estimate new_value = {.value = 1, .low = 1 * std::exp(-0.03), .high = 1 * std::exp(0.04)};
  const Estimate ratio = speed_ratio(old_value, new_value, Better::more);
  CHECK(std::log(*ratio.low) == Approx(-std::hypot(0.03, 0.02)));
  CHECK(std::log(*ratio.high) == Approx(std::hypot(0.04, 0.01)));
}

TEST_CASE("The interval of the ratio holds the true one as often as it says") {
  std::mt19937_64 random(20261120);
  std::lognormal_distribution<double> times(std::log(1e-3), 0.02);
  const auto measured = [&] {
    std::vector<measure::Seconds> samples;
    for (int i = 0; i < 15; ++i) samples.emplace_back(times(random));
    const measure::Summary summary = measure::summarise(samples);
    return Estimate{
        .value = summary.median.count(), .low = summary.ci95_low.count(), .high = summary.ci95_high.count()};
  };
  constexpr int trials = 4000;
  int held = 0;
  for (int i = 0; i < trials; ++i) {
    const Estimate ratio = speed_ratio(measured(), measured(), Better::less);
    held += *ratio.low <= 1 && *ratio.high >= 1 ? 1 : 0;
  }
  CHECK(held >= trials * 95 / 100);
  CHECK(held <= trials * 99 / 100);
}

TEST_CASE("Verdicts say only what the whole interval says") {
  const auto verdict = [](double low, double value, double high) {
    return judged({.value = value, .low = low, .high = high}, 0.01);
  };
  CHECK(verdict(0.99, 1.0, 1.01) == CaseVerdict::same);
  CHECK(verdict(0.999, 1.0, 1.011) == CaseVerdict::ambiguous);
  CHECK(verdict(0.985, 0.99, 0.995) == CaseVerdict::ambiguous);
  CHECK(verdict(0.95, 0.97, 0.989) == CaseVerdict::slower);
  CHECK(verdict(0.95, 0.97, 0.99) == CaseVerdict::ambiguous);
  CHECK(verdict(1.011, 1.02, 1.03) == CaseVerdict::faster);
  CHECK(verdict(0.5, 1.0, 2.0) == CaseVerdict::ambiguous);
  CHECK(judged({.value = 0.5, .low = {}, .high = {}}, 0.01) == CaseVerdict::ambiguous);
}

TEST_CASE("Bandwidths are compared, else times") {
  CHECK(outcome(timed(0, 1), timed(0, 1.001)) == CaseVerdict::same);
  CHECK(outcome(timed(0, 1), timed(0, 0.95)) == CaseVerdict::slower);
  CHECK(outcome(timed(0, 1), timed(0, 1.05)) == CaseVerdict::faster);
  Record old_time = timed(0, 1);
  Record new_time = timed(0, 0.5);
  old_time.headline.measured = std::nullopt;
  new_time.headline.measured = std::nullopt;
  const std::vector<NamedReport> reports = {named("old", {old_time}), named("new", {new_time})};
  const Comparison comparison = compare(reports);
  CHECK(comparison.cases[0].quantity->name == "time_seconds");
  CHECK(comparison.cases[0].changes[0].speed->value == Approx(0.5));
  CHECK(comparison.cases[0].changes[0].outcome == CaseVerdict::slower);
  CHECK(outcome(timed(0, 1), new_time) == CaseVerdict::slower);  // what both have
}

TEST_CASE("With another buffer the bandwidth counts, not the time") {
  Record larger = timed(0, 0.5);
  larger.useful_bytes_read *= 2;
  larger.headline = timed(0, 1).headline;
  CHECK(outcome(timed(0, 1), larger) == CaseVerdict::same);
}

TEST_CASE("Too few samples say nothing, however equal they are") {
  Record once = timed(0, 0.5, 0);
  once.headline.ci95_low.reset();
  once.headline.ci95_high.reset();
  CHECK(outcome(timed(0, 1), once) == CaseVerdict::ambiguous);
  const std::vector<NamedReport> reports = {named("old", {timed(0, 1)}), named("new", {once})};
  CHECK(tally(compare(reports), 0).too_few_samples == 1);
  CHECK_FALSE(gate(compare(reports), 0, 0.03).failure);
  CHECK(gate(compare(reports), 0, 0.03).undecided == 1);
}

TEST_CASE("Cases that did not run have no change, and say so") {
  const Record good = timed(0, 1);
  const Record failed = without_time(good, Status::failed, "out of memory");
  const Record skipped = without_time(good, Status::skipped, "needs CUDA 13");
  Record wrong = without_time(good, Status::ok, "3 words differ");
  wrong.verified = false;
  CHECK(outcome(good, failed) == CaseVerdict::failed);
  CHECK(outcome(good, skipped) == CaseVerdict::skipped);
  CHECK(outcome(good, wrong) == CaseVerdict::wrong_data);
  CHECK(outcome(failed, good) == CaseVerdict::recovered);
  CHECK(outcome(failed, skipped) == CaseVerdict::not_run);
}

TEST_CASE("A gate fails on sure slowdowns, on cases that broke, and on nothing to compare") {
  const auto of = [](const std::vector<Record>& old_cases, const std::vector<Record>& new_cases) {
    const std::vector<NamedReport> reports = {named("old", old_cases), named("new", new_cases)};
    return gate(compare(reports), 0, 0.03);
  };
  CHECK_FALSE(of({timed(0, 1)}, {timed(0, 1)}).failure);
  CHECK_FALSE(of({timed(0, 1)}, {timed(0, 2)}).failure);
  CHECK_FALSE(of({timed(0, 1)}, {timed(0, 0.975)}).failure);
  CHECK(of({timed(0, 1), timed(1, 1), timed(2, 1)}, {timed(0, 0.96), timed(1, 0.9), timed(2, 1)}).failure ==
        "2 cases slower by more than 3 % (worst: offset 1: -10.0 %)");
  const Gate unsure = of({timed(0, 1, 0.02)}, {timed(0, 0.96, 0.02)});
  CHECK_FALSE(unsure.failure);
  CHECK(unsure.undecided == 1);
  CHECK(of({timed(0, 1), timed(1, 1)}, {without_time(timed(0, 1), Status::failed, "lost\nthe GPU"), timed(1, 1)})
            .failure == "1 case failed (first: offset 0: lost the GPU)");
  CHECK(of({timed(0, 1)}, {timed(1, 1)}).failure == "nothing could be compared");
  CHECK(of({}, {}).failure == "nothing could be compared");
  CHECK_FALSE(of({timed(0, 1), timed(1, 1)}, {without_time(timed(0, 1), Status::skipped, "no"), timed(1, 1)}).failure);
}

TEST_CASE("A slowdown in another launch shape proves nothing, and the gate says so") {
  const auto shaped = [](std::uint64_t offset, double speed, std::uint64_t threads, std::uint64_t buffer) {
    Record record = timed(offset, speed);
    record.parameters.push_back({"block_threads", threads});
    record.parameters.push_back({"buffer_bytes", buffer});
    record.chosen = {"block_threads", "buffer_bytes"};
    return record;
  };
  const auto of = [](const std::vector<Record>& old_cases, const std::vector<Record>& new_cases) {
    const std::vector<NamedReport> reports = {named("old", old_cases), named("new", new_cases)};
    return gate(compare(reports), 0, 0.03);
  };
  const Record steady = timed(9, 1);
  const Gate reshaped = of({shaped(0, 1, 128, 1024), steady}, {shaped(0, 0.6, 256, 1024), steady});
  CHECK_FALSE(reshaped.failure);
  CHECK(reshaped.reshaped == 1);
  CHECK(of({shaped(0, 1, 128, 1024)}, {shaped(0, 0.6, 256, 1024)}).failure ==
        "nothing could be compared in the same launch shape");
  CHECK(of({shaped(0, 1, 128, 1024)}, {shaped(0, 0.6, 128, 2048)}).failure);
}

TEST_CASE("Predictions are compared as medians") {
  Record old_case = timed(0, 1);
  old_case.time = std::nullopt;
  old_case.headline.measured = std::nullopt;
  old_case.headline.predicted = 4000;
  Record new_case = old_case;
  new_case.headline.predicted = 3900;
  const std::vector<NamedReport> reports = {named("old", {old_case}, "model"), named("new", {new_case}, "model")};
  const Comparison comparison = compare(reports);
  const CaseChange& change = comparison.cases[0].changes[0];
  CHECK(change.outcome == CaseVerdict::slower);
  CHECK(*change.speed->low == *change.speed->high);
  CHECK(text_of(comparison).starts_with("PREDICTED"));
  const std::vector<NamedReport> mixed = {named("old", {old_case}, "model"), named("new", {timed(0, 1)})};
  CHECK(compare(mixed).cases[0].changes[0].outcome == CaseVerdict::same);
  CHECK(text_of(compare(mixed)).starts_with("MEASURED against PREDICTED"));
}

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

}  // namespace gpumem::report::test_compare
