// Every verdict that a check of cases can come to, and the reason it gives.

#include <limits>

#include "tests/catch.hpp"
#include "tests/report/check/held.hpp"

namespace gpumem::report::test_check {

using namespace checked;

TEST_CASE_METHOD(Checks, "a check passes when the worst of its cases is within bounds", "[check]") {
  const CheckRecord check = evaluate(shifted_reads(), measured(), {});
  CHECK(verdict(said(check)) == "pass");
  CHECK(check.measured.value() == Approx(4480.0 / 4580));
  CHECK(check.at_least == 0.8);
  CHECK_FALSE(check.at_most);
  CHECK(check.quantity == "bandwidth_gb_per_s");
  CHECK(check.cases == CaseNumbers{0, 1, 2});
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
  CHECK(evaluate(expectation, measured(), {}).cases == CaseNumbers{0, 1, 4, 5});
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

}  // namespace gpumem::report::test_check
