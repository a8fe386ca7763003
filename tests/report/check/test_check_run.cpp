// Checks of a run as a whole: whether anything was checked, checks that are repeated, and those of several GPUs.

#include "tests/catch.hpp"
#include "tests/report/check/held.hpp"

namespace gpumem::report::test_check_run {

using namespace checked;

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
  CHECK(cases_of_failures(checks) == CaseNumbers{0, 1, 2});

  report.results[2].headline.measured = 4480;
  report.results[1].flags = {"throttled"};
  checks = check_again(checks, report, all, {}, 2);
  CHECK(verdict(said(checks[2])) == "pass");
  CHECK(checks[2].attempts == 2);
  CHECK(said(checks[3]).starts_with("fail: "));
  CHECK(checks[3].attempts == 2);
  CHECK(checks[0].attempts == 1);
  CHECK(cases_of_failures(checks) == CaseNumbers{1});

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

}  // namespace gpumem::report::test_check_run
