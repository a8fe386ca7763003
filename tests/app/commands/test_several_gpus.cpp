// `probe` and `check` on several GPUs, with threads in place of processes and GPUs.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <iterator>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "app/commands/commands.hpp"
#include "report/write/writers.hpp"
#include "tests/app/fake_gpus.hpp"
#include "tests/app/fakes.hpp"
#include "tests/catch.hpp"
#include "tests/files.hpp"
#include "tests/source_folder.hpp"

namespace gpumem::app::test_several_gpus {

using namespace gpumem::app::test;
using gpumem::test::content_of;
using nlohmann::json;

namespace {

class Fixture {
 public:
  explicit Fixture(unsigned gpus) : machine(gpus) {}

  Environment environment() {
    return {.registry = probes(),
            .out = out,
            .err = err,
            .measure = [this](const MeasureOptions& options) -> std::unique_ptr<Backend> {
              asked_device = options.device;
              Device device = machine.gpus.at(0);
              device.index = 0;
              return std::make_unique<FakeGpu>(device, options, machine.before, machine.after);
            },
            .measure_side_by_side = [this](const MeasureOptions& options,
                                           std::span<const Device> chosen) { return machine.measure(options, chosen); },
            .gpus =
                [this] {
                  if (machine.gpus.empty()) throw no_gpu_error("no driver");
                  return machine.gpus;
                },
            .interrupted = [this] { return interrupted.load(); },
            .command = {"gpumem", "probe", "--device", "all"}};
  }

  int probe(const std::string& axis, const std::string& values, const std::string& device = "all") {
    ProbeArguments arguments;
    arguments.axes = {{axis, {values}}};
    arguments.device = device;
    arguments.format = format;
    arguments.dry_run = dry_run;
    return run_probe_command(arguments, environment());
  }

  /// The copies of the shipped suite `smoke`, and what it expects of them.
  int check_copies() {
    json suite = json::parse(content_of(gpumem::test::source_folder() / "configs/smoke.json"));
    const auto of_copies = [](const json& all) {
      json kept = json::array();
      std::ranges::copy_if(all, std::back_inserter(kept), [](const json& one) {
        return one.value("probe", one.value("/cases/probe"_json_pointer, "")) == "transfer";
      });
      return kept;
    };
    for (const char* list : {"probes", "expectations"}) suite[list] = of_copies(suite[list]);
    gpumem::test::put(path("copies.json"), suite.dump());
    return check(1, path("copies.json"));
  }

  /// The shipped suite `smoke`, or another.
  int check(unsigned attempts = 1, const std::string& suite = "smoke") {
    CheckArguments arguments;
    arguments.targets = {suite};
    arguments.device = "all";
    arguments.attempts = attempts;
    arguments.color = Color::never;
    arguments.outputs = {path("r.json")};
    arguments.junit = path("r.xml");
    arguments.openmetrics = path("r.prom");
    return run_check_command(arguments, environment());
  }

  /// The cases of one GPU, slower than the others'.
  void slow_down(std::uint64_t which, double speed) {
    machine.after = [=](std::uint64_t gpu, const Case&, report::Record& record) {
      if (gpu == which) scale(record, speed);
    };
  }

  [[nodiscard]] std::string path(const std::string& name) const { return (directory / name).string(); }
  [[nodiscard]] std::string content(const std::string& name) const { return content_of(directory / name); }
  /// True if stdout has the text, wherever its lines break.
  [[nodiscard]] bool said(const std::string& text) const {
    std::string all = out.str();
    std::ranges::replace(all, '\n', ' ');
    return all.find(text) != std::string::npos;
  }

  FakeMachine machine;
  std::ostringstream out;
  std::ostringstream err;
  report::Format format = report::Format::json;
  bool dry_run = false;
  std::atomic<bool> interrupted = false;
  std::string asked_device;

 private:
  gpumem::test::TemporaryDirectory directory;
};

}  // namespace

TEST_CASE("several GPUs: one report, with a row per GPU and every GPU") {
  Fixture fixture(8);
  CHECK(fixture.probe("offset", "0,1", "all") == 0);
  CHECK(fixture.err.str().empty());
  const json report = json::parse(fixture.out.str());
  REQUIRE(report["devices"].size() == 8);
  CHECK(report["device"]["uuid"] == fixture.machine.gpus[0].uuid.value());
  CHECK(report["devices"][7]["uuid"] == fixture.machine.gpus[7].uuid.value());
  CHECK(report["devices"][7]["index"] == 7);
  REQUIRE(report["results"].size() == 16);
  const json& result = report["results"][9];
  CHECK(result["parameters"]["offset_elements"] == 1);
  CHECK(result["parameters"]["device"] == 1);
  CHECK(result["parameters"]["elements_per_thread"] == report["results"][0]["parameters"]["elements_per_thread"]);
  CHECK(result["across"] == "device");
  CHECK(result["relative_to_baseline"]["measured"].is_number());
  CHECK(report["findings"].size() == 1);
  CHECK(report["words"]["parameters"]["device"]["title"] == "GPU");
}

TEST_CASE("several GPUs: a row of CSV is of its own GPU") {
  Fixture fixture(3);
  fixture.format = report::Format::csv;
  CHECK(fixture.probe("offset", "0") == 0);
  std::istringstream lines(fixture.out.str());
  std::string heading;
  std::getline(lines, heading);
  CHECK(heading.find("parameters.device") != std::string::npos);
  unsigned gpu = 0;
  for (std::string line; std::getline(lines, line); ++gpu) {
    CHECK(line.find("GPU-0000000" + std::to_string(gpu) + "-aaaa") != std::string::npos);
  }
  CHECK(gpu == 3);
}

TEST_CASE("several GPUs: the table has a row per GPU, and names the odd one out") {
  Fixture fixture(8);
  fixture.format = report::Format::table;
  fixture.slow_down(3, 0.8);
  CHECK(fixture.probe("offset", "0,1") == 0);
  INFO(fixture.out.str());
  CHECK(fixture.said("8 x NVIDIA H200, 4814 GB/s"));
  CHECK(fixture.said("GPU 0: Copies "));
  CHECK(fixture.said("GPUs side by side"));
  CHECK(fixture.said("03:00.0"));
  CHECK(fixture.said("GPU 3 (03:00.0, GPU-00000003) is the odd one out: slower than the others in 2 of 2"));
  CHECK(fixture.said("by 20.0 % at worst"));
}

TEST_CASE("several GPUs: alike, they agree; two are too few to tell which is off") {
  Fixture alike(8);
  alike.format = report::Format::table;
  CHECK(alike.probe("offset", "0,1") == 0);
  CHECK(alike.said("All 8 GPUs agree: at most one is 0.0 % below the median"));
  Fixture two(2);
  two.format = report::Format::table;
  two.slow_down(1, 0.9);
  CHECK(two.probe("offset", "0") == 0);
  INFO(two.out.str());
  CHECK(two.said("2 GPUs are too few to tell an outlier, which takes 5 of a kind"));
  CHECK_FALSE(two.said("odd one out"));
}

TEST_CASE("several GPUs: a GPU that dies costs its cases, and exit code 4 names it") {
  Fixture fixture(8);
  fixture.machine.before = [](std::uint64_t gpu, const Case&, report::Record&) {
    if (gpu == 5) throw Died{};
  };
  CHECK(fixture.probe("offset", "0,1") == 4);
  CHECK(
      fixture.err.str().starts_with("gpumem: 2 of 16 cases failed; the first, offset offset_elements=0 device=5: GPU "
                                    "5 (00000000:05:00.0, GPU-00000005-"));
  const json report = json::parse(fixture.out.str());
  for (const json& result : report["results"]) {
    CHECK((result["status"] == "failed") == (result["parameters"]["device"] == 5));
  }
}

TEST_CASE("several GPUs: a list takes these alone, and one GPU is an ordinary report") {
  Fixture fixture(4);
  CHECK(fixture.probe("offset", "0", "3,1") == 0);
  const json report = json::parse(fixture.out.str());
  REQUIRE(report["results"].size() == 2);
  CHECK(report["results"][0]["parameters"]["device"] == 3);
  CHECK(report["devices"][0]["index"] == 3);

  for (const char* device : {"all", "0"}) {
    Fixture single(1);
    CHECK(single.probe("offset", "0", device) == 0);
    CHECK(single.asked_device == "0");
    CHECK(single.machine.started == 0);
    const json ordinary = json::parse(single.out.str());
    CHECK_FALSE(ordinary["results"][0]["parameters"].contains("device"));
    CHECK_FALSE(ordinary["results"][0].contains("across"));
  }
}

TEST_CASE("several GPUs: what is not there, named twice, or not for each GPU is refused before anything runs") {
  Fixture fixture(2);
  CHECK(error_of([&] { fixture.probe("offset", "0", "0,7"); }, ErrorKind::no_gpu).starts_with("no GPU 7: "));
  CHECK(error_of([&] { fixture.probe("offset", "0", "0,0"); }) == "--device: '0,0' names GPU 0 twice");
  CHECK(fixture.machine.started == 0);
  fixture.machine.gpus.clear();
  CHECK(error_of([&] { fixture.probe("offset", "0", "all"); }, ErrorKind::no_gpu).find(" --backend model --gpu ") !=
        std::string::npos);
}

TEST_CASE("several GPUs: a dry run shows each case once and says so") {
  Fixture fixture(8);
  fixture.dry_run = true;
  CHECK(fixture.probe("offset", "0,1") == 0);
  CHECK(json::parse(fixture.out.str())["results"].size() == 2);
  CHECK(fixture.err.str() == "gpumem: note: each case would run on every GPU of --device all\n");
  CHECK(fixture.machine.started == 0);
}

TEST_CASE("several GPUs: an interrupt keeps what was done on all of them") {
  Fixture fixture(4);
  ProbeArguments arguments;
  arguments.axes = {{"offset", {"0..9"}}, {"elements-per-thread", {"1"}}, {"block-threads", {"256"}}};
  arguments.device = "all";
  arguments.format = report::Format::json;
  fixture.machine.before = [&](std::uint64_t, const Case& tested, report::Record&) {
    if (tested.number("offset_elements") == 2) fixture.interrupted = true;
  };
  CHECK_THROWS_AS(run_probe_command(arguments, fixture.environment()), Interrupted);
  CHECK(json::parse(fixture.out.str())["results"].size() == 8);
}

TEST_CASE("several GPUs: check holds each alone, and says in a line what all pass") {
  Fixture fixture(8);
  const int code = fixture.check();
  INFO(fixture.out.str());
  INFO(fixture.err.str());
  CHECK(code == 0);
  CHECK(fixture.said("smoke on 8 x NVIDIA H200"));
  CHECK(fixture.said("PASS  every case ran                          32 cases (8 GPUs)"));
  CHECK(fixture.said("the worst of 8"));
  CHECK(fixture.said("PASS  the GPUs agree with each other"));
  CHECK(fixture.said(", on 8 GPUs"));
  const json report = json::parse(fixture.content("r.json"));
  REQUIRE(report["results"].size() == 256);
  std::map<std::string, std::set<int>> gpus;
  for (const json& check : report["checks"]) {
    if (!check.contains("device")) continue;
    gpus[check["name"]].insert(check["device"].get<int>());
    for (const json& index : check["cases"]) {
      CHECK(report["results"][index.get<std::size_t>()]["parameters"]["device"] == check["device"]);
    }
  }
  for (const auto& [name, own] : gpus) CHECK(own.size() == 8);
  CHECK(fixture.content("r.xml").find("name=\"smoke on GPU 7\"") != std::string::npos);
  CHECK(fixture.content("r.prom").find("uuid=\"GPU-00000007-aaaa-bbbb-cccc-0123456789ab\",device=\"7\",check=") !=
        std::string::npos);
}

TEST_CASE("several GPUs: what they share fails none of them, and a slow link fails its own") {
  for (const unsigned gpus : {2U, 4U, 8U}) {
    Fixture fixture(gpus);
    std::atomic<unsigned> copying = 0;
    std::atomic<bool> one_is_slow = false;
    fixture.machine.after = [&](std::uint64_t gpu, const Case& tested, report::Record& record) {
      if (tested.probe->name != "transfer") return;
      const bool alone = ++copying == 1;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));  // long enough to be met
      scale(record, alone && copying == 1 ? 1 : 0.6);
      if (one_is_slow && gpu == 1) scale(record, 0.6);
      --copying;
    };
    CHECK(fixture.check_copies() == 0);
    INFO(fixture.out.str());
    CHECK(fixture.said("PASS  pinned copies reach the link"));
    CHECK_FALSE(fixture.said(" at once"));  // no finding of what they share
    one_is_slow = true;
    CHECK(fixture.check_copies() == 1);
    CHECK(fixture.said("FAIL  pinned copies reach the link"));
    const json report = json::parse(fixture.content("r.json"));  // a temporary would end before the loop
    for (const json& check : report["checks"]) {
      if (check["verdict"] == "fail" && check.contains("device")) CHECK(check["device"] == 1);
    }
  }
}

TEST_CASE("several GPUs: who else uses the host for a while fails no link") {
  Fixture fixture(4);
  std::atomic<unsigned> looks = 0;
  fixture.machine.after = [&](std::uint64_t gpu, const Case& tested, report::Record& record) {
    const bool here = gpu == 2 && tested.probe->name == "transfer" && tested.name("host_memory") == "pinned";
    if (here && tested.name("direction") == "to-host" && looks++ == 0) scale(record, 0.6);
  };
  CHECK(fixture.check() == 0);
  INFO(fixture.err.str());
  CHECK(fixture.err.str().starts_with("gpumem: note: attempt 2 of 3: measuring "));
  CHECK(fixture.err.str().ends_with(" of the host, which others may use too\n"));
  CHECK(looks == 2);
}

TEST_CASE("several GPUs: a report of copies at once says nothing of any link") {
  Fixture fixture(4);
  fixture.machine.after = [](std::uint64_t, const Case& tested, report::Record& record) {
    if (tested.probe->name == "transfer") scale(record, 0.6);
  };
  ProbeArguments probed;
  probed.config = "smoke";
  probed.device = "all";
  probed.format = report::Format::json;
  CHECK(run_probe_command(probed, fixture.environment()) == 0);
  json report = json::parse(fixture.out.str());
  const bool older = GENERATE(false, true);
  for (json& result : report["results"]) {
    CHECK((result.contains("host_shared_by") ? result["host_shared_by"] == 4 : result["probe"] != "transfer"));
    if (older) result.erase("host_shared_by");
  }
  gpumem::test::put(fixture.path("saved.json"), report.dump());
  fixture.out.str("");
  CheckArguments arguments;
  arguments.targets = {"smoke", fixture.path("saved.json")};
  arguments.color = Color::never;
  CHECK(run_check_command(arguments, fixture.environment()) == 0);
  INFO(fixture.out.str());
  CHECK(fixture.said("SKIP  pinned copies reach the link"));
  CHECK(fixture.said("4 GPUs used the host at once"));
  CHECK_FALSE(fixture.said("FAIL"));
}

TEST_CASE(
    "several GPUs: check fails by the slow one, and names it where it fails an expectation and where it differs") {
  Fixture fixture(8);
  fixture.slow_down(3, 0.6);
  CHECK(fixture.check() == 1);
  INFO(fixture.out.str());
  CHECK(fixture.said("FAIL  reads reach the memory"));
  CHECK(fixture.said("GPU 3 (03:00.0, GPU-00000003): "));
  CHECK(fixture.said("FAIL  the GPUs agree with each other"));
  CHECK(fixture.said("is the odd one out"));
  CHECK(fixture.err.str().find("reads reach the memory: GPU 3 (00000000:03:00.0, GPU-00000003-aaaa") !=
        std::string::npos);
}

TEST_CASE("several GPUs: attempts measure again only the cases of the GPU that failed") {
  Fixture fixture(8);
  std::mutex mutex;
  std::map<std::uint64_t, unsigned> runs;
  bool first = true;
  fixture.machine.after = [&](std::uint64_t gpu, const Case& tested, report::Record& record) {
    const std::scoped_lock lock(mutex);
    ++runs[gpu];
    if (gpu == 2 && tested.probe->name == "offset" && tested.number("offset_elements") == 0 &&
        tested.name("op") == "read" && first) {
      scale(record, 0.5);
      first = false;
    }
  };
  CHECK(fixture.check(3) == 0);
  CHECK(fixture.err.str().starts_with("gpumem: note: attempt 2 of 3: measuring "));
  unsigned again = 0;
  const json report = json::parse(fixture.content("r.json"));
  for (const json& check : report["checks"]) {
    if (check["attempts"] == 1) continue;
    ++again;
    CHECK(check["reason"].get<std::string>().find("passed at attempt 2") != std::string::npos);
    CHECK((!check.contains("device") || check["device"] == 2));
  }
  CHECK(again > 1);  // an expectation, and that the GPUs agree
  for (const auto& [gpu, count] : runs) CHECK((count > 32) == (gpu == 2));
}

TEST_CASE("several GPUs: one that dies fails its own checks alone") {
  Fixture fixture(8);
  fixture.machine.before = [](std::uint64_t gpu, const Case&, report::Record&) {
    if (gpu == 5) throw Died{};
  };
  CHECK(fixture.check() == 1);
  INFO(fixture.out.str());
  const json report = json::parse(fixture.content("r.json"));
  for (const json& check : report["checks"]) {
    if (check["verdict"] == "fail" && check.contains("device")) CHECK(check["device"] == 5);
  }
  CHECK(fixture.said("32 of 32 cases failed"));
  CHECK(fixture.err.str().find("GPU 5 (00000000:05:00.0") != std::string::npos);
}

TEST_CASE("several GPUs: a probe that uses several itself is left out, and refused where it is all there is") {
  Fixture fixture(2);
  std::vector<Probe> registry = fake_probes();
  registry[0].name = "peer";
  registry[0].gpus = [](const Case&) { return std::vector<std::uint64_t>{0}; };
  const Plan plan = on_each_gpu(make_plan(registry, {"peer", "skip"}, {}), std::vector<std::uint64_t>{4, 7});
  REQUIRE(plan.sweeps.size() == 1);
  CHECK(to_string(plan.sweeps[0].cases[1]) == "skip skip_elements=1 op=copy width_elements=4 device=7");
  const Environment all = fixture.environment();
  const Environment environment{.registry = registry,
                                .out = fixture.out,
                                .err = fixture.err,
                                .measure = all.measure,
                                .measure_side_by_side = all.measure_side_by_side,
                                .gpus = all.gpus};
  ProbeArguments arguments;
  arguments.names = {"peer"};
  arguments.device = "all";
  CHECK(error_of([&] { static_cast<void>(run_probe_command(arguments, environment)); }) ==
        "peer: uses several GPUs in one case, and --device names those that each run every case; leave it out, or give "
        "one GPU");
}

TEST_CASE("several GPUs: their report is as many machines of a fleet") {
  Fixture fixture(6);
  fixture.slow_down(4, 0.8);
  CHECK(fixture.probe("offset", "0,1") == 0);
  gpumem::test::put(fixture.path("node.json"), fixture.out.str());
  fixture.out.str("");
  CompareArguments arguments;
  arguments.fleet = true;
  arguments.reports = {fixture.path("node.json")};
  CHECK(run_fleet_command(arguments, 0.01, fixture.environment()) == 0);
  INFO(fixture.out.str());
  CHECK(fixture.said("Fleet: 1 report from 1 host, 6 x NVIDIA H200."));
  CHECK(fixture.said("1 of 6 GPUs stands out"));
  CHECK(fixture.said("04:00.0"));
}

TEST_CASE("several GPUs: portraits and profiles are of one") {
  for (const char* command : {"portrait", "calibrate"}) {
    const auto parse = [&] { return parse_command_line({command, "--device", "0,1"}, {probes(), {}}); };
    Fixture fixture(2);
    CHECK(error_of([&] { static_cast<void>(parse().run(fixture.environment())); }).find("of one GPU") !=
          std::string::npos);
  }
  CHECK(error_of([] {
          static_cast<void>(parse_command_line({"probe", "--device", "0,,1"}, {probes(), {}}));
        }).starts_with("--device: '0,,1' has an empty place"));
}

}  // namespace gpumem::app::test_several_gpus
