// `gpumem check` of suites that it measures: verdicts, attempts, options and exit codes.

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "report/write/writers.hpp"
#include "tests/app/commands/check_run.hpp"
#include "tests/catch.hpp"

namespace gpumem::app::test_check {

using namespace gpumem::app::test;
using gpumem::test::put;
using nlohmann::json;

TEST_CASE("check command: a line per expectation, a summary, and what the report keeps of it") {
  CheckRun fixture;
  fixture.arguments.outputs = {fixture.path("r.json")};
  fixture.arguments.verbose = true;
  CHECK(fixture.run() == 0);
  CHECK(fixture.err.str().empty());
  const std::string text = fixture.out.str();
  CHECK(text.starts_with("PASS  fake on Fake GPU, "));
  CHECK(text.find(": 3 passed, 0 failed, 0 skipped\n") != std::string::npos);
  CHECK(text.find("\nPASS  every case ran      4 cases\n") != std::string::npos);
  CHECK(text.find("\nPASS  shifts cost little  1 >= 0.8  shift 1: 100 GB/s against 100 GB/s\n") != std::string::npos);
  const json report = json::parse(fixture.content("r.json"));
  CHECK(report["suite"] == "fake");
  CHECK(report["watched_flags"] == json{"throttled"});
  CHECK(report["results"].size() == 4);
  REQUIRE(report["checks"].size() == 3);
  CHECK(report["checks"][2]["name"] == "shifts cost little");
  CHECK(report["checks"][2]["verdict"] == "pass");
  CHECK(report["checks"][2]["cases"] == json{0, 1, 2, 3});
}

TEST_CASE("check command: what fails ends in exit code 1 and says so") {
  CheckRun fixture;
  fixture.slow = [](const Case& tested) { return tested.number("shift_elements") == 2; };
  fixture.arguments.outputs = {fixture.path("r.json")};
  fixture.arguments.junit = fixture.path("r.xml");
  fixture.arguments.openmetrics = fixture.path("r.prom");
  CHECK(fixture.run() == 1);
  CHECK(fixture.out.str().find("FAIL  shifts cost little  0.500 < 0.8  shift 2: 50 GB/s against 100 GB/s\n") !=
        std::string::npos);
  CHECK(fixture.err.str() ==
        "gpumem: fake: 1 expectation failed, the first, shifts cost little: shift 2: 50 GB/s against 100 GB/s\n");
  CHECK(json::parse(fixture.content("r.json"))["checks"][2]["verdict"] == "fail");
  CHECK(fixture.content("r.xml").find("<failure") != std::string::npos);
  CHECK(fixture.content("r.prom").ends_with("# EOF\n"));
}

TEST_CASE("check command: attempts repeat only what failed, with what auto chose before") {
  CheckRun fixture;
  int slow_runs = 1;
  fixture.slow = [&](const Case& tested) { return tested.number("shift_elements") == 2 && slow_runs-- > 0; };
  json suite = plain_suite;
  suite["expectations"][0]["cases"]["shift"] = 2;
  suite["expectations"].push_back({{"name", "three"}, {"cases", {{"probe", "shift"}, {"shift", 3}}}, {"at_least", 60}});
  fixture.write("suite.json", suite);
  fixture.arguments.attempts = 3;
  fixture.arguments.outputs = {fixture.path("r.json")};
  CHECK(fixture.run() == 0);
  CHECK(fixture.err.str() == "gpumem: note: attempt 2 of 3: measuring 2 cases again for 1 failed expectation\n");
  CHECK(fixture.runs_of(0) == 2);
  CHECK(fixture.runs_of(1) == 1);
  CHECK(fixture.runs_of(2) == 2);
  CHECK(fixture.runs_of(3) == 1);
  const auto tries = [](const std::string& line) { return line.starts_with("try "); };
  CHECK(std::ranges::count_if(fixture.log, tries) == 3);  // once per candidate, and no more
  const json report = json::parse(fixture.content("r.json"));
  CHECK(report["checks"][2]["attempts"] == 2);
  CHECK(report["checks"][2]["reason"].get<std::string>().ends_with("; passed at attempt 2"));
  CHECK(report["checks"][3]["attempts"] == 1);
  REQUIRE(report["results"].size() == 4);
  CHECK(report["results"][2]["bandwidth_gb_per_s"]["measured"] == 100);
  CHECK(report["results"][2]["chosen_by_auto"] == json{"shape"});
}

TEST_CASE("check command: a case that fails is tried again too, and what never passes fails in the end") {
  CheckRun fixture;
  int faults = 1;
  const auto measured = fixture.fill;
  fixture.fill = [&](const Case& tested, report::Record& record) {
    measured(tested, record);
    if (tested.number("shift_elements") != 1 || faults-- <= 0) return;
    record.status = report::Status::failed;
    record.reason = "did not launch";
    record.verified.reset();
  };
  fixture.arguments.attempts = 2;
  CHECK(fixture.run() == 0);
  CHECK(fixture.out.str().find("4 cases; passed at attempt 2") != std::string::npos);

  fixture.slow = [](const Case& tested) { return tested.number("shift_elements") == 1; };
  fixture.log.clear();
  fixture.arguments.attempts = 4;
  CHECK(fixture.run() == 1);
  CHECK(fixture.runs_of(1) == 4);
}

TEST_CASE("check command: the options of the command line come before a probe's, and those before the suite's") {
  CheckRun fixture;
  CHECK(fixture.run() == 0);
  CHECK(fixture.log.front() == "repeat to 0.010000");
  CHECK(fixture.asked.numa.text() == "off");
  fixture.log.clear();
  fixture.arguments.effort.ci_width = 0.03;
  fixture.arguments.numa = measure::NumaRequest::parse("1");
  CHECK(fixture.run() == 0);
  CHECK(fixture.log.front() == "repeat to 0.030000");
  CHECK(fixture.asked.numa.text() == "1");
}

TEST_CASE("check command: what has no answer is not passed") {
  CheckRun fixture;
  json suite = plain_suite;
  suite["expectations"][0]["gpu"] = "Another GPU";
  fixture.write("suite.json", suite);
  CHECK(fixture.run() == 1);
  CHECK(fixture.err.str() ==
        "gpumem: fake: nothing was checked; none of 1 expectation of the suite's own cases has an answer; the first "
        "one skipped, shifts cost little: holds for Another GPU, and this is Fake GPU\n");
  CHECK(fixture.out.str().find("\nFAIL  at least one of the suite's own expectations was checked") !=
        std::string::npos);
  suite["expectations"].push_back({{"name", "flags"}, {"no_flags", {"throttled"}}});
  suite["expectations"][1]["gpu"] = "A third GPU";
  fixture.write("suite.json", suite);
  fixture.err.str("");
  CHECK(fixture.run() == 1);
  CHECK(fixture.err.str().find("the first one skipped, shifts cost little: ") != std::string::npos);
  suite["expectations"][1].erase("gpu");  // what passes then is asked of any report
  fixture.write("suite.json", suite);
  CHECK(fixture.run() == 1);
}

TEST_CASE("check command: a skip beside what passed is no failure, unless somebody asks for that") {
  CheckRun fixture;
  fixture.arguments.outputs = {fixture.path("r.json")};
  json suite = plain_suite;
  suite["expectations"].push_back(suite["expectations"][0]);
  suite["expectations"][1]["name"] = "elsewhere";
  suite["expectations"][1]["gpu"] = "Another GPU";
  const auto run = [&] {
    fixture.write("suite.json", suite);
    fixture.err.str("");
    const int code = fixture.run();
    CHECK(json::parse(fixture.content("r.json"))["passed"] == (code == 0));
    return code;
  };
  CHECK(run() == 0);
  fixture.arguments.fail_on_skip = true;
  CHECK(run() == 0);  // what is for other GPUs is not asked
  CHECK(fixture.out.str().find("elsewhere") == std::string::npos);
  suite["expectations"][1].erase("gpu");
  suite["expectations"][1]["quantity"] = "dram_read_bytes";
  suite["expectations"][1].erase("relative_to");
  CHECK(run() == 1);
  CHECK(fixture.err.str().starts_with("gpumem: fake: an expectation was skipped, elsewhere: "));
  fixture.arguments.fail_on_skip = false;
  suite["expectations"][1]["required"] = true;
  CHECK(run() == 3);
  CHECK(fixture.err.str().starts_with("gpumem: fake: a required expectation was skipped, elsewhere: "));
}

TEST_CASE("check command: predictions pass only where they were asked for") {
  CheckRun fixture;
  fixture.no_gpu = true;
  fixture.arguments.backend = BackendChoice::automatic;
  fixture.arguments.outputs = {fixture.path("r.json")};
  CHECK(fixture.run() == 1);
  CHECK(fixture.out.str().find("PASS") == std::string::npos);
  CHECK(fixture.err.str().find("nothing was checked") != std::string::npos);

  // The same of the report that was saved.
  fixture.arguments.targets.push_back(fixture.path("r.json"));
  fixture.arguments.outputs.clear();
  CHECK(fixture.run() == 1);
  fixture.arguments.targets = {fixture.path("r.json")};
  CHECK(fixture.run() == 1);
  fixture.arguments.backend = BackendChoice::model;
  fixture.arguments.targets = {fixture.path("suite.json"), fixture.path("r.json")};
  CHECK(fixture.run() == 0);
  fixture.arguments.targets = {fixture.path("suite.json")};
  CHECK(fixture.run() == 0);

  fixture.arguments.backend = BackendChoice::cuda;
  CHECK(error_of([&] { fixture.run(); }, ErrorKind::no_gpu) ==
        "no driver; to predict instead run: gpumem check suite.json --backend model --gpu h200");
}

TEST_CASE("check command: several suites one after another, in one JUnit file") {
  CheckRun fixture;
  json other = plain_suite;
  other["name"] = "other";
  other["expectations"][0]["at_least"] = 2;
  fixture.write("other.json", other);
  fixture.arguments.targets.push_back(fixture.path("other.json"));
  fixture.arguments.junit = fixture.path("r.xml");
  CHECK(fixture.run() == 1);
  CHECK(fixture.out.str().find("\n\nFAIL  other on Fake GPU") != std::string::npos);
  CHECK(fixture.content("r.xml").find("<testsuite name=\"other\" tests=\"3\" failures=\"1\"") != std::string::npos);
  fixture.arguments.outputs = {fixture.path("r.json")};
  CHECK(error_of([&] { fixture.run(); }).starts_with("--output holds one report of one suite"));
  fixture.arguments.outputs.clear();
  fixture.arguments.shown = CheckFormat::json;
  CHECK(error_of([&] { fixture.run(); }).starts_with("--format json is one report of one suite"));
}

TEST_CASE("check command: an interrupt writes what was done, and passes nothing that was not") {
  CheckRun fixture;
  fixture.interrupt_after = 5;  // three trials and two cases
  fixture.arguments.outputs = {fixture.path("r.json")};
  fixture.arguments.junit = fixture.path("r.xml");
  CHECK_THROWS_AS(fixture.run(), Interrupted);
  const json report = json::parse(fixture.content("r.json"));
  CHECK(report["results"].size() == 2);
  CHECK(report["checks"][0]["verdict"] == "fail");
  CHECK(report["checks"][2]["verdict"] == "skip");
  CHECK(fixture.content("r.xml").find("2 of 4 cases not in the report") != std::string::npos);
}

TEST_CASE("check command: quiet leaves out notices and what passed") {
  CheckRun fixture;
  fixture.arguments.quiet = true;
  fixture.arguments.attempts = 2;
  fixture.slow = [](const Case& tested) { return tested.number("shift_elements") == 1; };
  CHECK(fixture.run() == 1);
  CHECK(fixture.out.str().find("PASS") == std::string::npos);
  CHECK(fixture.out.str().find("FAIL") != std::string::npos);
  CHECK(fixture.err.str().find("attempt 2") == std::string::npos);
}

TEST_CASE("check command: a dry run measures nothing and says what would be asked") {
  CheckRun fixture;
  fixture.no_gpu = true;
  fixture.arguments.dry_run = true;
  fixture.arguments.shown = CheckFormat::json;
  CHECK(fixture.run() == 0);
  const json report = json::parse(fixture.out.str());
  CHECK(report["results"].size() == 4);
  REQUIRE(report["checks"].size() == 1);
  CHECK(report["checks"][0]["reason"] == "dry run: bandwidth in GB/s relative to another case at least 0.8, 3 cases");
}

TEST_CASE("probe command: the probes of a suite, without its expectations") {
  CheckRun fixture;
  ProbeArguments arguments;
  arguments.config = fixture.path("suite.json");
  arguments.format = report::Format::json;
  CHECK(run_probe_command(arguments, fixture.environment()) == 0);
  const json report = json::parse(fixture.out.str());
  CHECK(report["suite"] == "fake");
  CHECK(report["checks"].empty());
  CHECK(report["results"].size() == 4);
  CHECK(fixture.log.front() == "repeat to 0.010000");
  fixture.out.str("");
  arguments.dry_run = true;
  CHECK(run_probe_command(arguments, fixture.environment()) == 0);
  CHECK(json::parse(fixture.out.str())["results"][3]["reason"] == "dry run");
}

}  // namespace gpumem::app::test_check
