// `gpumem check` as a whole, with fakes in place of the world.

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "app/commands/commands.hpp"
#include "report/write/writers.hpp"
#include "tests/app/fakes.hpp"
#include "tests/catch.hpp"
#include "tests/files.hpp"
#include "tests/report/program_example.hpp"

namespace gpumem::app::test_check {

using namespace gpumem::app::test;
using gpumem::test::content_of;
using gpumem::test::put;
using nlohmann::json;

namespace {

/// Four cases of `shift`, of which those that are shifted have to keep 0.8 of the one that is not.
const json plain_suite = {
    {"schema_version", 1},
    {"name", "fake"},
    {"purpose", "for tests"},
    {"options", {{"ci_width", "2%"}, {"numa", "off"}}},
    {"probes", {{{"probe", "shift"}, {"axes", {{"shift", "0..3"}}}, {"options", {{"ci_width", "1%"}}}}}},
    {"expectations",
     {{{"name", "shifts cost little"},
       {"cases", {{"probe", "shift"}, {"shift", "1..3"}}},
       {"relative_to", {{"shift", 0}}},
       {"at_least", 0.8}}}}};

class Fixture {
 public:
  Fixture() {
    write("suite.json", plain_suite);
    arguments.targets = {path("suite.json")};
    arguments.color = Color::never;
  }

  int run() { return run_check_command(arguments, environment()); }

  Environment environment() {
    return {.registry = registry,
            .out = out,
            .err = err,
            .measure =
                [this](const MeasureOptions& options) {
                  asked = options;
                  if (no_gpu) throw no_gpu_error("no driver");
                  auto backend = std::make_unique<FakeBackend>();
                  backend->log = &log;
                  backend->watched = watched;
                  backend->fill = [this](const Case& tested, report::Record& record) { fill(tested, record); };
                  return backend;
                },
            .predict = [](const model::Profile&) { return std::make_unique<PredictingBackend>(); },
            .gpus = [] { return std::vector<Device>(); },
            .interrupted = [this] { return interrupt_after-- == 0; },
            .command = {"gpumem", "check", "suite.json"}};
  }

  void write(const std::string& name, const json& content) const { put(directory / name, content.dump()); }
  [[nodiscard]] std::string path(const std::string& name) const { return (directory / name).string(); }
  [[nodiscard]] std::string content(const std::string& name) const { return content_of(directory / name); }
  [[nodiscard]] std::size_t runs_of(std::uint64_t shift) const {
    const std::string start = "run shift shift_elements=" + std::to_string(shift) + " ";
    return static_cast<std::size_t>(
        std::ranges::count_if(log, [&](const std::string& line) { return line.starts_with(start); }));
  }

  /// Measured as well as predicted, unless the test says otherwise: 100 GB/s.
  double gb_per_s(const Case& tested) { return slow(tested) ? 50 : 100; }

  CheckArguments arguments;
  std::vector<Probe> registry = fake_probes();
  std::ostringstream out;
  std::ostringstream err;
  std::vector<std::string> log;
  std::vector<std::string> watched = {"throttled"};
  MeasureOptions asked;
  bool no_gpu = false;
  int interrupt_after = -1;
  std::function<bool(const Case&)> slow = [](const Case&) { return false; };
  std::function<void(const Case&, report::Record&)> fill = [this](const Case& tested, report::Record& record) {
    record.verified = true;
    record.time = report::TimeRecord{};
    record.headline.measured = gb_per_s(tested);
  };

 private:
  class PredictingBackend final : public Backend {
   public:
    PredictingBackend() { device_.name = "Fake GPU"; }
    [[nodiscard]] std::string name() const override { return "model"; }
    [[nodiscard]] const Device& device() const override { return device_; }
    [[nodiscard]] std::optional<std::string> profile() const override { return "fake"; }
    [[nodiscard]] double trial(const Case&) override { return 1; }
    [[nodiscard]] report::Record run(const Case& tested) override {
      report::Record record = report::record_of(tested, Workload{});
      record.headline.predicted = 100;
      return record;
    }

   private:
    Device device_;
  };

  gpumem::test::TemporaryDirectory directory;
};

}  // namespace

TEST_CASE("check command: a line per expectation, a summary, and what the report keeps of it") {
  Fixture fixture;
  fixture.arguments.outputs = {fixture.path("r.json")};
  CHECK(fixture.run() == 0);
  CHECK(fixture.err.str().empty());
  const std::string text = fixture.out.str();
  CHECK(text.starts_with("fake on Fake GPU, "));
  CHECK(text.find("\nPASS  every case ran      4 cases\n") != std::string::npos);
  CHECK(text.find("\nPASS  shifts cost little  1 >= 0.8  shift 1: 100 GB/s against 100 GB/s\n") != std::string::npos);
  CHECK(text.ends_with("\n3 passed, 0 failed, 0 skipped\n"));
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
  Fixture fixture;
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
  Fixture fixture;
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
  Fixture fixture;
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
  Fixture fixture;
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
  Fixture fixture;
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
  Fixture fixture;
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
  CHECK(run() == 1);
  CHECK(fixture.err.str() ==
        "gpumem: fake: an expectation was skipped, elsewhere: holds for Another GPU, and this is Fake GPU\n");
  fixture.arguments.fail_on_skip = false;
  suite["expectations"][1]["required"] = true;
  CHECK(run() == 3);
  CHECK(fixture.err.str().starts_with("gpumem: fake: a required expectation was skipped, elsewhere: holds"));
}

TEST_CASE("check command: predictions pass only where they were asked for") {
  Fixture fixture;
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

TEST_CASE("check command: a saved report is held to a suite without a GPU, and alone to what any report is asked") {
  Fixture fixture;
  fixture.arguments.outputs = {fixture.path("r.json")};
  CHECK(fixture.run() == 0);
  fixture.no_gpu = true;
  fixture.arguments.outputs.clear();
  fixture.arguments.targets = {fixture.path("suite.json"), fixture.path("r.json")};
  CHECK(fixture.run() == 0);
  fixture.arguments.targets = {fixture.path("r.json")};
  fixture.out.str("");
  CHECK(fixture.run() == 0);
  CHECK(fixture.out.str().find("PASS  never throttled") != std::string::npos);
  CHECK(fixture.out.str().find("SKIP  no ECC errors") != std::string::npos);

  // One that lacks cases of the suite that it says it is of.
  json report = json::parse(fixture.content("r.json"));
  report["results"].erase(3);
  report["checks"] = json::array();
  fixture.write("cut.json", report);
  fixture.arguments.targets = {fixture.path("suite.json"), fixture.path("cut.json")};
  fixture.out.str("");
  CHECK(fixture.run() == 1);
  INFO(fixture.out.str());
  CHECK(fixture.out.str().find("1 of 4 cases not in the report") != std::string::npos);
  // And one of something else, which is held to as much as it has.
  report["suite"] = nullptr;
  fixture.write("cut.json", report);
  CHECK(fixture.run() == 0);
}

TEST_CASE("check command: several suites one after another, in one JUnit file") {
  Fixture fixture;
  json other = plain_suite;
  other["name"] = "other";
  other["expectations"][0]["at_least"] = 2;
  fixture.write("other.json", other);
  fixture.arguments.targets.push_back(fixture.path("other.json"));
  fixture.arguments.junit = fixture.path("r.xml");
  CHECK(fixture.run() == 1);
  CHECK(fixture.out.str().find("0 skipped\n\nother on Fake GPU") != std::string::npos);
  CHECK(fixture.content("r.xml").find("<testsuite name=\"other\" tests=\"3\" failures=\"1\"") != std::string::npos);
  fixture.arguments.outputs = {fixture.path("r.json")};
  CHECK(error_of([&] { fixture.run(); }).starts_with("--output holds one report of one suite"));
  fixture.arguments.outputs.clear();
  fixture.arguments.shown = CheckFormat::json;
  CHECK(error_of([&] { fixture.run(); }).starts_with("--format json is one report of one suite"));
}

TEST_CASE("check command: an interrupt writes what was done, and passes nothing that was not") {
  Fixture fixture;
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
  Fixture fixture;
  fixture.arguments.quiet = true;
  fixture.arguments.attempts = 2;
  fixture.slow = [](const Case& tested) { return tested.number("shift_elements") == 1; };
  CHECK(fixture.run() == 1);
  CHECK(fixture.out.str().find("PASS") == std::string::npos);
  CHECK(fixture.out.str().find("FAIL") != std::string::npos);
  CHECK(fixture.err.str().find("attempt 2") == std::string::npos);
}

TEST_CASE("check command: a dry run measures nothing and says what would be asked") {
  Fixture fixture;
  fixture.no_gpu = true;
  fixture.arguments.dry_run = true;
  fixture.arguments.shown = CheckFormat::json;
  CHECK(fixture.run() == 0);
  const json report = json::parse(fixture.out.str());
  CHECK(report["results"].size() == 4);
  REQUIRE(report["checks"].size() == 1);
  CHECK(report["checks"][0]["reason"] == "dry run: bandwidth in GB/s relative to another case at least 0.8, 3 cases");
}

TEST_CASE("check command: what cannot be done to a saved report is refused") {
  Fixture fixture;
  fixture.arguments.outputs = {fixture.path("r.json")};
  CHECK(fixture.run() == 0);
  fixture.arguments.outputs.clear();
  fixture.arguments.targets = {fixture.path("r.json")};
  fixture.arguments.attempts = 2;
  CHECK(error_of([&] { fixture.run(); }).starts_with("--attempts measures again, which a saved report cannot"));
  fixture.arguments.attempts = 1;
  fixture.arguments.dry_run = true;
  CHECK(error_of([&] { fixture.run(); }).starts_with("--dry-run lists cases to run"));
  fixture.write("neither.json", json::object());
  fixture.arguments.targets = {fixture.path("neither.json")};
  CHECK(error_of([&] { fixture.run(); }).find("is no suite or report of gpumem's") != std::string::npos);
}

TEST_CASE("check command: a report of a program is held to what is expected of its kernels") {
  Fixture fixture;
  std::ostringstream report;
  report::write_json(report, report::examples::program());
  fixture.write("r.json", json::parse(report.str()));
  const auto expecting = [&](double at_most, const char* kernel) {
    fixture.write("suite.json", {{"schema_version", 1},
                                 {"name", "own"},
                                 {"purpose", "for tests"},
                                 {"expectations",
                                  {{{"name", "little is wasted"},
                                    {"cases", {{"probe", "kernel"}, {"kernel", kernel}}},
                                    {"quantity", "could_save_share"},
                                    {"at_most", at_most}}}}});
    fixture.out.str("");
    fixture.err.str("");
    fixture.arguments.targets = {fixture.path("suite.json"), fixture.path("r.json")};
    return fixture.run();
  };
  CHECK(expecting(0.4, "copy|tile") == 0);
  CHECK(fixture.out.str().find("\nPASS  little is wasted") != std::string::npos);
  CHECK(fixture.out.str().ends_with("\n3 passed, 0 failed, 0 skipped\n"));
  CHECK(expecting(0.05, "copy|tile") == 1);
  CHECK(fixture.err.str() ==
        "gpumem: own: 1 expectation failed, the first, little is wasted: elementwise_kernel<128, 2, "
        "direct_copy(int)>: could save share 0.316; 2 of 3 kernels miss it\n");
  CHECK(expecting(0.05, "gemm") == 1);
  CHECK(fixture.err.str() ==
        "gpumem: own: nothing was checked; none of 1 expectation of the suite's own cases has an answer; the first one "
        "skipped, little is wasted: the report has no such kernel\n");
  fixture.arguments.targets = {fixture.path("r.json")};
  CHECK(fixture.run() == 0);
  fixture.arguments.targets = {fixture.path("suite.json")};
  CHECK(error_of([&] { fixture.run(); }).starts_with("suite 'own' has no probes to run"));
  ProbeArguments arguments;
  arguments.config = fixture.path("suite.json");
  CHECK(error_of([&] {
          static_cast<void>(run_probe_command(arguments, fixture.environment()));
        }).starts_with("suite 'own' has no probes to run"));
}

TEST_CASE("probe command: the probes of a suite, without its expectations") {
  Fixture fixture;
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
