// Comparing reports: which cases belong together, what the noise allows to say, and what a gate makes of it.

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "tests/catch.hpp"
#include "tests/report/compare/compared.hpp"

namespace gpumem::report::test_compare {

using namespace compared;

namespace {

CaseVerdict outcome(const Record& old_case, const Record& new_case) {
  const std::vector<NamedReport> reports = {named("old", {old_case}), named("new", {new_case})};
  return compare(reports).cases.at(0).changes.at(0).outcome;
}

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

}  // namespace gpumem::report::test_compare
