// Checks of what a whole report says: its device, its flags, and whether its cases ran and moved the right data.

#include "tests/catch.hpp"
#include "tests/report/check/held.hpp"

namespace gpumem::report::test_check_report {

using namespace checked;

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
  CHECK(check.cases == CaseNumbers{2, 5});
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
  CHECK(check_soundness(report, {})[0].cases == CaseNumbers{1});
  CHECK(verdict(both(report).second) == "pass");
  report = changed(2, skip);
  CHECK(verdict(both(report).first) == "pass");
  report.results[4].verified = false;
  report.results[4].status = Status::failed;
  report.results[4].reason = "wrong data";
  CHECK(both(report).first.starts_with("pass: "));  // it ran; the other line says what was wrong
  CHECK(verdict(both(report).second) == "fail");
  CHECK(check_soundness(report, {})[1].cases == CaseNumbers{4});
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

TEST_CASE("a report without a suite is asked about every flag that spoils a measurement", "[check]") {
  std::vector<std::string> flags;
  for (const Expectation& expectation : common_expectations(measured())) flags.push_back(expectation.flags.at(0));
  CHECK(flags == std::vector<std::string>{"throttled", "ecc_errors", "contended", "link_degraded", "counts_differ"});
}

}  // namespace gpumem::report::test_check_report
