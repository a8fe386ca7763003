#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "app/commands/commands.hpp"
#include "app/run/case_records.hpp"
#include "app/run/run.hpp"
#include "tests/app/fakes.hpp"
#include "tests/catch.hpp"
#include "tests/files.hpp"

namespace gpumem::app::test_probe {

using namespace gpumem::app::test;
using gpumem::test::content_of;
using nlohmann::json;

namespace {

/// Runs the command with fakes in place of the world, in a directory of its own.
class Fixture {
 public:
  int run(ProbeArguments arguments) {
    const Environment environment{.registry = registry,
                                  .out = out,
                                  .err = err,
                                  .measure =
                                      [this](const MeasureOptions& options) {
                                        if (no_gpu) throw no_gpu_error("no driver");
                                        asked_device = options.device;
                                        asked_numa = options.numa.text();
                                        asked_profile = options.predicting.named.value_or("");
                                        return open("");
                                      },
                                  .predict = [this](const model::Profile& profile, auto) { return open(profile.name); },
                                  .gpus = [this] { return gpus; },
                                  .interrupted = [this] { return interrupt_after-- == 0; },
                                  .command = {"gpumem", "probe", "--shift", "0..3"},
                                  .own_profiles = directory / "gpus"};
    return run_probe_command(arguments, environment);
  }

  [[nodiscard]] std::string path(const std::string& name) const { return (directory / name).string(); }
  [[nodiscard]] std::string content(const std::string& name) const { return content_of(directory / name); }

  std::vector<Probe> registry = fake_probes();
  std::ostringstream out;
  std::ostringstream err;
  std::function<void(const Case&, report::Record&)> fill = [](const Case&, report::Record&) {};
  bool no_gpu = false;
  std::vector<Device> gpus;
  int interrupt_after = -1;
  std::string asked_gpu;
  std::string asked_device;
  std::string asked_numa;
  std::string asked_profile;
  std::optional<report::HostPlacement> placement;
  int opened = 0;

 private:
  std::unique_ptr<Backend> open(const std::string& gpu) {
    ++opened;
    asked_gpu = gpu;
    auto backend = std::make_unique<FakeBackend>();
    backend->fill = fill;
    backend->placement = placement;
    return backend;
  }

  gpumem::test::TemporaryDirectory directory;
};

ProbeArguments shift() {
  ProbeArguments arguments;
  arguments.axes = {{"shift", {"0..3"}}};
  arguments.format = report::Format::json;
  return arguments;
}

}  // namespace

TEST_CASE("probe command: every case becomes a record, with what auto chose") {
  Fixture fixture;
  CHECK(fixture.run(shift()) == 0);
  const json report = json::parse(fixture.out.str());
  CHECK(report["backend"] == "cuda");
  CHECK(report["device"]["name"] == "Fake GPU");
  CHECK(report["command"] == json{"gpumem", "probe", "--shift", "0..3"});
  REQUIRE(report["results"].size() == 4);
  CHECK(report["results"][3]["parameters"] == json{{"shift_elements", 3}, {"op", "copy"}, {"shape", 1}});
  CHECK(report["results"][3]["status"] == "ok");
  CHECK(fixture.asked_device == "0");
  CHECK(fixture.err.str().empty());
}

TEST_CASE("probe command: a failed case does not stop the others and ends in exit code 4") {
  Fixture fixture;
  fixture.fill = [](const Case& tested, report::Record& record) {
    if (tested.number("shift_elements") != 1) return;
    record.status = report::Status::failed;
    record.reason = "did not launch";
  };
  CHECK(fixture.run(shift()) == 4);
  CHECK(json::parse(fixture.out.str())["results"].size() == 4);
  CHECK(fixture.err.str() == "gpumem: 1 of 4 cases failed; the first, shift shift_elements=1: did not launch\n");
}

TEST_CASE("probe command: wrong data ends in exit code 1, whatever else failed") {
  Fixture fixture;
  fixture.fill = [](const Case& tested, report::Record& record) {
    record.status = report::Status::failed;
    record.reason = "reason " + to_string(tested.value("shift_elements"));
    if (tested.number("shift_elements") == 2) record.verified = false;
  };
  CHECK(fixture.run(shift()) == 1);
  CHECK(fixture.err.str() == "gpumem: 1 of 4 cases moved wrong data; the first, shift shift_elements=2: reason 2\n");
}

TEST_CASE(
    "probe command: a case that lacks a capability is skipped and ends in exit code 3, unless something is worse") {
  Fixture fixture;
  const std::string skipped = "gpumem: 2 of 4 cases skipped; the first, shift shift_elements=0: cannot map\n";
  report::Status other = report::Status::ok;
  std::optional<bool> verified;
  fixture.fill = [&](const Case& tested, report::Record& record) {
    if (tested.number("shift_elements") < 2) {
      record = failed_record(tested, missing_capability_error("cannot\nmap"));
    } else if (tested.number("shift_elements") == 3) {
      record.status = other;
      record.verified = verified;
      if (other == report::Status::failed) record.reason = "bad";
    }
  };
  CHECK(fixture.run(shift()) == 3);
  CHECK(fixture.err.str() == skipped);
  const json report = json::parse(fixture.out.str());
  CHECK(report["results"][1]["status"] == "skipped");
  CHECK(report["results"][2]["status"] == "ok");

  fixture.err.str("");
  other = report::Status::failed;
  CHECK(fixture.run(shift()) == 4);
  CHECK(fixture.err.str() == "gpumem: 1 of 4 cases failed; the first, shift shift_elements=3: bad\n" + skipped);

  fixture.err.str("");
  verified = false;
  CHECK(fixture.run(shift()) == 1);
  CHECK(fixture.err.str() ==
        "gpumem: 1 of 4 cases moved wrong data; the first, shift shift_elements=3: bad\n" + skipped);
}

TEST_CASE("probe command: values that do not go together on the GPU are left out, or skipped if asked for") {
  Fixture fixture;
  fixture.registry = fake_probes_and_alternatives();
  const auto fits = [](const Case& tested) {
    return tested.name("means") == "cart" || tested.number("load_elements") == 1;
  };
  fixture.registry[2].fits = [&](const Case& tested, const Device& device) {
    CHECK(device.name == "Fake GPU");
    return fits(tested);
  };
  fixture.fill = [&](const Case& tested, report::Record& record) {
    if (!fits(tested)) record = failed_record(tested, missing_capability_error("too heavy"));
  };
  ProbeArguments arguments;
  arguments.names = {"carry"};
  arguments.format = report::Format::json;
  CHECK(fixture.run(arguments) == 0);
  CHECK(json::parse(fixture.out.str())["results"].size() == 3);
  CHECK(fixture.err.str().empty());

  arguments.axes = {{"carry", {"lorry"}}, {"load", {"1..2"}}};
  CHECK(fixture.run(arguments) == 3);
  CHECK(fixture.err.str() == "gpumem: 1 of 2 cases skipped; the first, carry load_elements=2 means=lorry: too heavy\n");
}

TEST_CASE("probe command: the first of the bad cases is named with the parameters that tell a table's cases apart") {
  Fixture fixture;
  fixture.registry = fake_probes_and_alternatives();
  fixture.fill = [](const Case& tested, report::Record& record) {
    if (tested.name("means") == "lorry") record = failed_record(tested, probe_error("no fuel"));
  };
  ProbeArguments arguments;
  arguments.axes = {{"carry", {""}}};
  CHECK(fixture.run(arguments) == 4);
  CHECK(fixture.err.str() == "gpumem: 2 of 4 cases failed; the first, carry load_elements=1 means=lorry: no fuel\n");
}

TEST_CASE("probe command: a sweep that nothing can be chosen for is skipped if a capability is missing") {
  Fixture fixture;
  fixture.registry[0].size = [](std::span<Case>, const Device&) { throw missing_capability_error("no engine"); };
  CHECK(fixture.run(shift()) == 3);
  CHECK(json::parse(fixture.out.str())["results"][3]["status"] == "skipped");
}

TEST_CASE("probe command: the report says what the backend learnt of the link, and where host memory was") {
  Fixture fixture;
  ProbeArguments arguments = shift();
  CHECK(fixture.run(arguments) == 0);
  CHECK(fixture.asked_numa == "gpu");
  const json alone = json::parse(fixture.out.str());
  CHECK(alone["device"]["pcie"]["generation"] == 5);
  CHECK(alone["host_placement"].is_null());

  fixture.out.str("");
  fixture.placement = report::HostPlacement{.numa_node = 1, .how = "as asked"};
  arguments.numa = measure::NumaRequest::parse("1");
  CHECK(fixture.run(arguments) == 0);
  CHECK(fixture.asked_numa == "1");
  CHECK(json::parse(fixture.out.str())["host_placement"]["numa_node"] == 1);
}

TEST_CASE("probe command: measurements are held against the profile asked for, which is said of another GPU's") {
  Fixture fixture;
  ProbeArguments arguments = shift();
  arguments.gpu = "h200";
  CHECK(fixture.run(arguments) == 0);
  CHECK(fixture.asked_profile == "h200");
  CHECK(fixture.err.str() == "gpumem: note: predicting with the profile of NVIDIA H200, measuring on Fake GPU\n");

  fixture.opened = 0;
  arguments.gpu = "A30";
  CHECK(error_of([&] { fixture.run(arguments); }).starts_with("no GPU profile 'A30': "));
  CHECK(fixture.opened == 0);
}

TEST_CASE("probe command: an own profile that cannot be used is one line, and the GPU is measured") {
  Fixture fixture;
  std::filesystem::create_directory(fixture.path("gpus"));
  gpumem::test::put(fixture.path("gpus/fake-gpu.json"), "{");
  CHECK(fixture.run(shift()) == 0);
  CHECK(fixture.err.str().starts_with("gpumem: note: not predicting with your own profile of this GPU: " +
                                      fixture.path("gpus/fake-gpu.json") + ": not valid JSON"));
  CHECK(fixture.err.str().find('\n') == fixture.err.str().size() - 1);
}

TEST_CASE("probe command: a sweep whose auto values cannot be decided is reported failed") {
  Fixture fixture;
  fixture.registry[0].size = [](std::span<Case>, const Device&) { throw probe_error("no room"); };
  CHECK(fixture.run(shift()) == 4);
  const json report = json::parse(fixture.out.str());
  REQUIRE(report["results"].size() == 4);
  CHECK(report["results"][0]["status"] == "failed");
  CHECK(report["results"][0]["reason"] == "no room");
}

TEST_CASE("probe command: an interrupt keeps what was done, in files and on stdout") {
  Fixture fixture;
  fixture.interrupt_after = 5;  // three trials and two cases
  ProbeArguments arguments = shift();
  arguments.outputs = {fixture.path("report.json")};
  CHECK_THROWS_AS(fixture.run(arguments), Interrupted);
  CHECK(json::parse(fixture.out.str())["results"].size() == 2);
  CHECK(json::parse(fixture.content("report.json"))["results"].size() == 2);
}

TEST_CASE("probe command: what ends before the first case touches no file and shows nothing") {
  Fixture fixture;
  gpumem::test::put(fixture.path("report.json"), "older");
  ProbeArguments arguments = shift();
  arguments.outputs = {fixture.path("report.json")};
  SECTION("an interrupt") {
    fixture.interrupt_after = 2;  // trials
    CHECK_THROWS_AS(fixture.run(arguments), Interrupted);
  }
  SECTION("what is wrong with the user's data") {
    fixture.registry[0].size = [](std::span<Case>, const Device&) { throw usage_error("no such element"); };
    CHECK_THROWS_AS(fixture.run(arguments), Error);
  }
  CHECK(fixture.content("report.json") == "older");
  CHECK(fixture.out.str().empty());
}

TEST_CASE("probe command: files are whole after every case") {
  Fixture fixture;
  std::vector<std::size_t> seen;
  fixture.fill = [&](const Case&, report::Record&) {
    const std::string text = fixture.content("report.json");
    seen.push_back(text.empty() ? 0 : json::parse(text)["results"].size());
  };
  ProbeArguments arguments = shift();
  arguments.outputs = {fixture.path("report.json")};
  CHECK(fixture.run(arguments) == 0);
  CHECK(seen == std::vector<std::size_t>{0, 1, 2, 3});
}

TEST_CASE("probe command: each file has the format of its extension, stdout that of --format") {
  Fixture fixture;
  ProbeArguments arguments = shift();
  arguments.outputs = {fixture.path("a.csv"), fixture.path("b.md"), fixture.path("c.data")};
  CHECK(fixture.run(arguments) == 0);
  CHECK(json::parse(fixture.out.str()).is_object());
  CHECK(json::parse(fixture.content("c.data")).is_object());  // --format, for want of an extension
  CHECK_FALSE(fixture.content("a.csv").empty());
  CHECK_FALSE(fixture.content("b.md").empty());
  CHECK(fixture.content("a.csv") != fixture.content("b.md"));
}

TEST_CASE("probe command: files that cannot be written are found before anything runs") {
  Fixture fixture;
  ProbeArguments arguments = shift();
  arguments.outputs = {"/proc/missing/report.json"};
  CHECK(error_of([&] { fixture.run(arguments); }).find("/proc/missing/report.json") != std::string::npos);
  arguments.outputs = {fixture.path("report.data")};
  arguments.format.reset();
  CHECK(error_of([&] { fixture.run(arguments); }).find("names no format") != std::string::npos);
  CHECK(fixture.opened == 0);
}

TEST_CASE("probe command: results that do not reach stdout are an error") {
  Fixture fixture;
  fixture.out.setstate(std::ios::badbit);
  CHECK(error_of([&] { fixture.run(shift()); }).find("cannot write to standard output") == 0);
}

TEST_CASE("probe command: a dry run opens no backend and decides nothing") {
  Fixture fixture;
  ProbeArguments arguments = shift();
  arguments.dry_run = true;
  CHECK(fixture.run(arguments) == 0);
  CHECK(fixture.opened == 0);
  const json report = json::parse(fixture.out.str());
  CHECK(report["backend"] == "cuda");
  CHECK(report["device"].is_null());
  REQUIRE(report["results"].size() == 4);
  CHECK(report["results"][0]["status"] == "skipped");
  CHECK(report["results"][0]["reason"] == "dry run");
  CHECK(report["results"][0]["parameters"]["shape"] == "auto");
}

TEST_CASE("probe command: without a GPU the line names the command that predicts") {
  Fixture fixture;
  fixture.no_gpu = true;
  CHECK(error_of([&] { fixture.run(shift()); }, ErrorKind::no_gpu) ==
        "no driver; to predict instead run: gpumem probe --shift 0..3 --backend model --gpu h200");
  CHECK(fixture.out.str().empty());
}

TEST_CASE("probe command: an unknown device of a machine with GPUs is no reason to predict") {
  Fixture fixture;
  fixture.no_gpu = true;
  fixture.gpus.resize(1);
  ProbeArguments arguments = shift();
  arguments.device = "7";
  for (const BackendChoice backend : {BackendChoice::cuda, BackendChoice::automatic}) {
    arguments.backend = backend;
    CHECK(error_of([&] { fixture.run(arguments); }, ErrorKind::no_gpu) == "no driver");
  }
}

TEST_CASE("probe command: auto predicts without a GPU and says so, unless quiet") {
  Fixture fixture;
  fixture.no_gpu = true;
  ProbeArguments arguments = shift();
  arguments.backend = BackendChoice::automatic;
  CHECK(fixture.run(arguments) == 0);
  CHECK(fixture.asked_gpu == "h200");
  CHECK(fixture.err.str() ==
        "gpumem: note: no driver; not measuring but predicting for h200; choose another GPU with --gpu\n");
  fixture.err.str("");
  arguments.gpu = "v100";
  CHECK(fixture.run(arguments) == 0);
  CHECK(fixture.asked_gpu == "v100");
  CHECK(fixture.err.str() == "gpumem: note: no driver; not measuring but predicting for v100\n");
  fixture.err.str("");
  arguments.quiet = true;
  CHECK(fixture.run(arguments) == 0);
  CHECK(fixture.err.str().empty());
}

TEST_CASE("probe command: the predicting command keeps the arguments and quotes them for a shell") {
  CHECK(predicting_command({"/usr/bin/gpumem", "probe", "--stride", "1..1024*2", "--backend", "cuda", "--device=1",
                            "--output", "it's.json"}) ==
        "/usr/bin/gpumem probe --stride '1..1024*2' --output 'it'\\''s.json' --backend model --gpu h200");
  // A prediction has no counters to require.
  CHECK(predicting_command({"gpumem", "probe", "--counters=require", "--offset", "0"}) ==
        "gpumem probe --offset 0 --backend model --gpu h200");
  CHECK(predicting_command({"gpumem", "probe", "--output", "it's\n.json"}) ==
        "gpumem probe --output $'it\\'s\\012.json' --backend model --gpu h200");
}

}  // namespace gpumem::app::test_probe
