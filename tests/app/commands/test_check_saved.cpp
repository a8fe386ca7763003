// `gpumem check` on saved reports, of probes and of programs.

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "report/write/writers.hpp"
#include "tests/app/commands/check_run.hpp"
#include "tests/catch.hpp"
#include "tests/report/program_example.hpp"

namespace gpumem::app::test_check_saved {

using namespace gpumem::app::test;
using gpumem::test::put;
using nlohmann::json;

TEST_CASE("check command: a saved report is held to a suite without a GPU, and alone to what any report is asked") {
  CheckRun fixture;
  fixture.arguments.outputs = {fixture.path("r.json")};
  CHECK(fixture.run() == 0);
  fixture.no_gpu = true;
  fixture.arguments.outputs.clear();
  fixture.arguments.targets = {fixture.path("suite.json"), fixture.path("r.json")};
  CHECK(fixture.run() == 0);
  fixture.arguments.targets = {fixture.path("r.json")};
  fixture.arguments.verbose = true;
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

TEST_CASE("check command: what cannot be done to a saved report is refused") {
  CheckRun fixture;
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
  CheckRun fixture;
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
  fixture.arguments.verbose = true;
  CHECK(expecting(0.4, "copy|tile") == 0);
  CHECK(fixture.out.str().find("\nPASS  little is wasted") != std::string::npos);
  CHECK(fixture.out.str().find(": 3 passed, 0 failed, 0 skipped\n") != std::string::npos);
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

}  // namespace gpumem::app::test_check_saved
