// Every verdict that a check can come to, and the reason it gives.

#include <limits>

#include "report/check/check.hpp"
#include "report/record/readings.hpp"
#include "tests/catch.hpp"
#include "tests/report/check/checks.hpp"
#include "tests/report/checked.hpp"

namespace gpumem::report::test_check {

namespace {

using namespace checked;

/// "pass: reason", "fail: ...", "skip: ..."
std::string said(const CheckRecord& check) { return std::string(to_string(check.verdict)) + ": " + check.reason; }

std::string held(const Expectation& expectation, const Report& report = measured(), const CheckRules& rules = {}) {
  return said(evaluate(expectation, report, rules));
}

Report changed(std::size_t index, void (*change)(Record&)) {
  Report report = measured();
  change(report.results[index]);
  return report;
}

void fail(Record& record) {
  record = shifted(std::get<std::uint64_t>(record.parameters[0].value), "read", 1);
  record.status = Status::failed;
  record.reason = "no\nmemory";
  record.time.reset();
  record.headline.measured.reset();
  record.verified.reset();
}

void skip(Record& record) {
  fail(record);
  record.status = Status::skipped;
  record.reason = "cannot map";
}

using Cases = std::vector<std::size_t>;

}  // namespace

TEST_CASE_METHOD(Checks, "a check passes when the worst of its cases is within bounds", "[check]") {
  const CheckRecord check = evaluate(shifted_reads(), measured(), {});
  CHECK(verdict(said(check)) == "pass");
  CHECK(check.measured.value() == Approx(4480.0 / 4580));
  CHECK(check.at_least == 0.8);
  CHECK_FALSE(check.at_most);
  CHECK(check.quantity == "bandwidth_gb_per_s");
  CHECK(check.cases == Cases{0, 1, 2});
  CHECK(check.attempts == 1);
  CHECK_FALSE(check.required);
}

TEST_CASE_METHOD(Checks, "a check fails by its worst case and says how many miss the bound, and why it was expected",
                 "[check]") {
  Expectation expectation = shifted_reads();
  expectation.at_least = 0.985;
  CHECK(verdict(held(expectation)) == "fail");
  expectation.at_least = 0.98;
  expectation.because = "sectors\nare shared";
  const CheckRecord check = evaluate(expectation, measured(), {});
  CHECK(verdict(said(check)) == "fail");
  CHECK(check.measured.value() == Approx(4480.0 / 4580));
}

TEST_CASE_METHOD(Checks, "the reference of a case is the one that was asked for alike", "[check]") {
  Expectation expectation = shifted_reads();
  expectation.cases = select({1}, {"read", "write"});
  expectation.at_least = 0.5;
  CHECK(verdict(held(expectation)) == "pass");
  CHECK(evaluate(expectation, measured(), {}).cases == Cases{0, 1, 4, 5});
}

TEST_CASE_METHOD(Checks, "bounds are inclusive, and hold from above as well", "[check]") {
  Expectation expectation = shifted_reads();
  expectation.relative_to.reset();
  expectation.quantity = "cycles_per_request";
  expectation.cases = select({1}, {"read"});
  expectation.at_least = 5;
  expectation.at_most = 5;
  CHECK(verdict(held(expectation)) == "pass");
  expectation.at_least.reset();
  expectation.at_most = 4.999;
  CHECK(held(expectation).starts_with("fail: "));
  expectation.at_most.reset();
  expectation.at_least = 5.001;
  CHECK(held(expectation).starts_with("fail: "));
  // If there is a lower and an upper bound, the nearer one decides.
  expectation.cases = select({1, 3, 8}, {"read"});
  expectation.at_least = 5;
  expectation.at_most = 11;
  CHECK(verdict(held(expectation)) == "fail");
}

TEST_CASE_METHOD(Checks, "a case that failed fails the check, one that was skipped skips it", "[check]") {
  CHECK(verdict(held(shifted_reads(), changed(1, fail))) == "fail");
  CHECK(verdict(held(shifted_reads(), changed(1, skip))) == "skip");
  CHECK(verdict(held(shifted_reads(), changed(0, fail))) == "fail");
  CHECK(verdict(held(shifted_reads(), changed(0, skip))) == "skip");
  Report report = changed(1, skip);
  report.results[2].headline.measured = 100;  // what is known to be bad stays bad
  CHECK(verdict(held(shifted_reads(), report)) == "fail");
  CHECK_FALSE(evaluate(shifted_reads(), changed(1, fail), {}).measured);
  CHECK_FALSE(evaluate(shifted_reads(), changed(1, skip), {}).measured);
}

TEST_CASE_METHOD(Checks, "what is not known is a skip that says what is missing", "[check]") {
  Expectation expectation = shifted_reads();
  expectation.relative_to.reset();
  expectation.cases = select({1}, {"read"});
  expectation.quantity = "sectors_per_request";
  expectation.at_least = 0;
  CHECK(verdict(held(expectation)) == "skip");
  Report counted = measured();
  counted.results[1].access[0].cost(sectors).counted = 5;
  CHECK(verdict(held(expectation, counted)) == "pass");
  expectation.quantity = "dram_read_bytes";
  CHECK(verdict(held(expectation)) == "skip");
  counted.results[1].counters.emplace();
  CHECK(verdict(held(expectation, counted)) == "skip");
  counted.results[1].counters->dram_read_bytes = 2.14e9;
  CHECK(verdict(held(expectation, counted)) == "pass");
  expectation.quantity = "never_known_ns";
  CHECK(verdict(held(expectation)) == "skip");
  expectation.quantity = "bandwidth_gb_per_s";
  CHECK(verdict(held(expectation, changed(1, [](Record& record) { record.headline.measured.reset(); }))) == "skip");
  CHECK(verdict(held(expectation, changed(1, [](Record& record) {
                       record.headline.measured = std::numeric_limits<double>::quiet_NaN();
                     }))) == "skip");
  expectation = shifted_reads();
  CHECK(verdict(held(expectation, changed(0, [](Record& record) { record.headline.measured = 0; }))) == "skip");
}

TEST_CASE_METHOD(Checks, "a prediction to hold it against has to be one of this GPU", "[check]") {
  Expectation expectation = shifted_reads();
  expectation.relative_to.reset();
  expectation.quantity = "measured_over_predicted";
  CHECK(verdict(held(expectation)) == "pass");
  CHECK(verdict(held(expectation, changed(1, [](Record& record) { record.flags = {"predicted_from_attributes"}; }))) ==
        "skip");
  Report predicted = measured();
  predicted.backend = "model";
  CHECK(verdict(held(expectation, predicted, {.accept_predictions = true})) == "skip");
}

TEST_CASE_METHOD(Checks, "cases and references that a report lacks are a skip", "[check]") {
  Expectation expectation = shifted_reads();
  expectation.cases = select({5}, {"read"});
  CHECK(verdict(held(expectation)) == "skip");
  expectation = shifted_reads();
  Report report = measured();
  report.results.erase(report.results.begin());
  CHECK(verdict(held(expectation, report)) == "skip");
  report.results.push_back(shifted(0, "read", 4000));
  report.results.push_back(shifted(0, "read", 4000));
  CHECK(verdict(held(expectation, report)) == "skip");
}

TEST_CASE_METHOD(Checks, "a share says of what, and two values say their unit once where it is long", "[check]") {
  Expectation expectation = shifted_reads();
  expectation.quantity = "cycles_per_request";
  expectation.at_most = 2;
  CHECK(verdict(held(expectation)) == "pass");
  expectation = shifted_reads();
  expectation.relative_to.reset();
  expectation.quantity = "fraction_of_peak";
  CHECK(verdict(held(expectation)) == "pass");
}

TEST_CASE_METHOD(Checks, "a case of another probe can be the reference", "[check]") {
  Report report = measured();
  report.results.push_back(shifted(0, "read", 5000));
  report.results.back().probe = "plain";
  Expectation expectation = shifted_reads();
  expectation.relative_to = Selection{.probes = {"plain"}};
  CHECK(verdict(held(expectation, report)) == "pass");
}

TEST_CASE_METHOD(Checks, "planned cases that are not there keep a check from passing", "[check]") {
  const Report whole = measured();
  std::vector<Record> planned = whole.results;
  for (Record& record : planned) {
    record.parameters[2].value = std::string("auto");
    record.chosen.clear();
  }
  const CheckRules rules{.accept_predictions = false, .planned = planned};
  CHECK(held(shifted_reads(), whole, rules).starts_with("pass: "));
  Report cut = whole;
  cut.results.resize(2);
  CHECK(verdict(held(shifted_reads(), cut, rules)) == "skip");
  Expectation flags = without({"throttled"});
  CHECK(verdict(held(flags, cut, rules)) == "skip");
  const CheckRecord ran = check_soundness(cut, rules)[0];
  CHECK(verdict(said(ran)) == "fail");
  CHECK(ran.cases.empty());  // nothing to measure again
}

TEST_CASE_METHOD(Checks, "an expectation of another GPU is skipped", "[check]") {
  Expectation expectation = shifted_reads();
  expectation.gpu = "NVIDIA H200";
  CHECK(held(expectation).starts_with("pass: "));
  expectation.gpu = "NVIDIA A100";
  CHECK(verdict(held(expectation)) == "skip");
  Report report = measured();
  report.device.reset();
  CHECK(verdict(held(expectation, report)) == "skip");
}

TEST_CASE_METHOD(Checks, "quantities of the device", "[check]") {
  CHECK(verdict(held(of_device("pcie_width", 16))) == "pass");
  CHECK(verdict(held(of_device("pcie_width", 17))) == "fail");
  CHECK(verdict(held(of_device("pcie_generation", 4))) == "skip");
  Report report = measured();
  report.device.reset();
  CHECK(held(of_device("pcie_width", 16), report).starts_with("skip: "));
}

TEST_CASE_METHOD(Checks, "flags fail a check, and pass it only where they were watched", "[check]") {
  CHECK(verdict(held(without({"throttled"}))) == "pass");
  CHECK(verdict(held(without({"throttled", "ecc_errors"}))) == "skip");
  CHECK(held(without({"counts_differ"})).find("add --counters") != std::string::npos);
  CHECK(held(without({"link_degraded"})).find("no case used the host link") != std::string::npos);
  Report report = measured();
  report.results[2].flags = {"wide_interval", "ecc_errors", "throttled"};
  report.results[5].flags = {"throttled"};
  const CheckRecord check = evaluate(without({"throttled", "ecc_errors"}), report, {});
  CHECK(verdict(said(check)) == "fail");
  CHECK(check.cases == Cases{2, 5});
  Expectation writes = without({"ecc_errors"});
  writes.cases = select({}, {"write"});
  CHECK(held(writes, report).starts_with("skip: "));
  report.watched->push_back("ecc_errors");
  CHECK(verdict(held(writes, report)) == "pass");
  report.watched.reset();
  CHECK(held(without({"throttled"}), report).starts_with("fail: "));  // what was seen was seen
  report.results[2].flags.clear();
  report.results[5].flags.clear();
  CHECK(verdict(held(without({"throttled"}), report)) == "skip");
  for (Record& record : report.results) skip(record);
  report.watched = {"throttled"};
  CHECK(verdict(held(without({"throttled"}), report)) == "skip");
}

TEST_CASE_METHOD(Checks, "every report is asked whether its cases ran and moved the right data", "[check]") {
  const auto both = [](const Report& report, const CheckRules& rules = {}) {
    const auto checks = check_soundness(report, rules);
    return std::pair(said(checks.at(0)), said(checks.at(1)));
  };
  CHECK(both(measured()) == std::pair<std::string, std::string>("pass: 8 cases", "pass: 8 cases"));
  Report report = changed(1, fail);
  skip(report.results[2]);
  CHECK(verdict(both(report).first) == "fail");
  CHECK(check_soundness(report, {})[0].cases == Cases{1});
  CHECK(verdict(both(report).second) == "pass");
  report = changed(2, skip);
  CHECK(verdict(both(report).first) == "pass");
  report.results[4].verified = false;
  report.results[4].status = Status::failed;
  report.results[4].reason = "wrong data";
  CHECK(both(report).first.starts_with("pass: "));  // it ran; the other line says what was wrong
  CHECK(verdict(both(report).second) == "fail");
  CHECK(check_soundness(report, {})[1].cases == Cases{4});
  report = changed(0, [](Record& record) { record.verified.reset(); });
  CHECK(verdict(both(report).second) == "skip");
  report = changed(5, [](Record& record) { record.time.reset(); });
  CHECK(verdict(both(report).first) == "fail");
  report.results.clear();
  CHECK(both(report) ==
        std::pair<std::string, std::string>("skip: the report has no cases", "skip: nothing was verified"));
  report.results.push_back(shifted(0, "read", 1));
  skip(report.results[0]);
  CHECK(verdict(both(report).first) == "skip");
}

TEST_CASE_METHOD(Checks, "predictions pass nothing unless they were asked for", "[check]") {
  Report report = measured();
  report.backend = "model";
  report.watched = std::vector<std::string>{};
  for (Record& record : report.results) {
    record.headline.measured.reset();
    record.time.reset();
    record.verified.reset();
  }
  const std::vector<Expectation> all = {shifted_reads(), of_device("pcie_width", 16), without({"throttled"})};
  const std::vector<CheckRecord> refused = check(report, all, {});
  REQUIRE(refused.size() == 5);
  for (const CheckRecord& record : refused) {
    CHECK(said(record) == "skip: predicted, not measured; add --backend model to accept predictions");
  }
  CHECK(said(nothing_checked(refused, true).at(0)) ==
        "fail: none of 1 expectation of the suite's own cases has an answer; the first one skipped, shifted "
        "reads lose "
        "little: " +
            refused[2].reason);
  const std::vector<CheckRecord> accepted = check(report, all, {.accept_predictions = true});
  CHECK(verdict(said(accepted[0])) == "pass");
  CHECK(verdict(said(accepted[1])) == "skip");
  CHECK(verdict(said(accepted[2])) == "pass");
  CHECK(said(accepted[3]).starts_with("pass: "));
  CHECK(verdict(said(accepted[4])) == "skip");
}

TEST_CASE("a suite none of whose expectations has an answer was not checked", "[check]") {
  Expectation elsewhere = shifted_reads();
  elsewhere.gpu = "NVIDIA A100";
  const std::vector<CheckRecord> checks = check(measured(), std::vector{elsewhere}, {});
  const std::vector<CheckRecord> nothing = nothing_checked(checks, true);
  REQUIRE(nothing.size() == 1);
  CHECK(says_nothing_checked(nothing[0]));
  CHECK(fails_run(nothing[0]));
  CHECK(said(nothing[0]).starts_with("fail: none of 1 expectation of the suite's own cases has an answer"));
  CHECK(nothing_checked(checks, false).empty());
  CHECK(nothing_checked(check(measured(), std::vector{elsewhere, shifted_reads()}, {}), true).empty());
  CHECK(nothing_checked(check(measured(), {}, {}), true).empty());  // a suite of probes alone
  const CheckTally all = tally(checks);
  CHECK(all.passed == 2);
  CHECK(all.failed == 0);
  CHECK(all.skipped == 1);
}

TEST_CASE("what any report is asked is no answer to what a suite asks of its own cases", "[check]") {
  Expectation elsewhere = shifted_reads();
  elsewhere.gpu = "NVIDIA A100";
  const Expectation generic = without({"throttled"});
  const Expectation device = of_device("pcie_width", 16);
  const auto nothing = [](const std::vector<Expectation>& all) {
    return nothing_checked(check(measured(), all, {}), true).size() == 1;
  };
  CHECK(nothing({elsewhere, generic, device}));
  CHECK_FALSE(nothing({generic, device}));  // a suite that is about nothing else
  Expectation own_flags = generic;
  own_flags.cases.probes = {measured().results.front().probe};
  CHECK_FALSE(nothing({elsewhere, own_flags}));
}

TEST_CASE_METHOD(Checks, "what passed stays so, what failed is looked at again, and what concerns the cases too",
                 "[check]") {
  const std::vector<Expectation> all = {shifted_reads(), without({"throttled"})};
  Report report = measured();
  report.results[2].headline.measured = 100;
  std::vector<CheckRecord> checks = check(report, all, {});
  CHECK(cases_of_failures(checks) == Cases{0, 1, 2});

  report.results[2].headline.measured = 4480;
  report.results[1].flags = {"throttled"};
  checks = check_again(checks, report, all, {}, 2);
  CHECK(verdict(said(checks[2])) == "pass");
  CHECK(checks[2].attempts == 2);
  CHECK(said(checks[3]).starts_with("fail: "));
  CHECK(checks[3].attempts == 2);
  CHECK(checks[0].attempts == 1);
  CHECK(cases_of_failures(checks) == Cases{1});

  report.results[1].flags.clear();
  report.results[1].headline.measured = 100;
  checks = check_again(checks, report, all, {}, 3);
  CHECK(checks[2].verdict == Verdict::pass);  // it was good enough once
  CHECK(checks[2].attempts == 2);
  CHECK(verdict(said(checks[3])) == "pass");
  CHECK(cases_of_failures(checks).empty());
}

TEST_CASE("a repetition that moves wrong data fails, whatever was before", "[check]") {
  const std::vector<Expectation> all = {shifted_reads()};
  Report report = measured();
  report.results[2].headline.measured = 100;
  std::vector<CheckRecord> checks = check(report, all, {});
  report.results[2].verified = false;
  report.results[2].status = Status::failed;
  checks = check_again(checks, report, all, {}, 2);
  CHECK(checks[1].verdict == Verdict::fail);
  CHECK(checks[1].attempts == 2);
  CHECK(checks[2].verdict == Verdict::fail);
}

TEST_CASE_METHOD(Checks, "a dry run says what would be asked, and of how many cases", "[check]") {
  Expectation named = shifted_reads();
  named.gpu = "NVIDIA H200";
  const auto checks = foreseen(std::vector{named, of_device("pcie_width", 16), without({"throttled"})}, measured());
  CHECK(verdict(said(checks.at(0))) == "skip");
  CHECK(verdict(said(checks.at(1))) == "skip");
  CHECK(verdict(said(checks.at(2))) == "skip");
}

TEST_CASE("a report without a suite is asked about every flag that spoils a measurement", "[check]") {
  std::vector<std::string> flags;
  for (const Expectation& expectation : common_expectations(measured())) flags.push_back(expectation.flags.at(0));
  CHECK(flags == std::vector<std::string>{"throttled", "ecc_errors", "contended", "link_degraded", "counts_differ"});
}

TEST_CASE_METHOD(Checks, "checks of several GPUs are said in a line, but for what failed", "[check]") {
  const auto check = [](std::uint64_t gpu, Verdict verdict, const std::string& reason, std::optional<double> measured) {
    CheckRecord record;
    record.name = "reads";
    record.device = gpu;
    record.verdict = verdict;
    record.reason = reason;
    record.measured = measured;
    record.at_least = 0.8;
    return record;
  };
  Report report = measured();
  report.checks = {check(0, Verdict::pass, "offset 0: 4500 GB/s", 0.94),
                   check(1, Verdict::fail, "offset 3: 1 GB/s", 0.1),
                   check(2, Verdict::pass, "offset 8: 4400 GB/s", 0.9), check(3, Verdict::skip, "not counted", {}),
                   check(4, Verdict::skip, "not counted", {})};
  report.checks.emplace_back().name = "of all";
  const std::vector<CheckRecord> brief = in_brief(report);
  REQUIRE(brief.size() == 4);
  CHECK(verdict(said(brief[0])) == "fail");
  CHECK(verdict(said(brief[1])) == "skip");
  CHECK(verdict(said(brief[2])) == "pass");
  CHECK(brief[2].measured == 0.9);
  CHECK(brief[3].name == "of all");
}

}  // namespace gpumem::report::test_check
