// `probe` on several GPUs: one report of all of them, and what is refused.

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/app/commands/several_gpus.hpp"
#include "tests/catch.hpp"

namespace gpumem::app::test_several_gpus {

using namespace gpumem::app::test;
using nlohmann::json;

TEST_CASE("several GPUs: one report, with a row per GPU and every GPU") {
  SeveralGpus fixture(8);
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
  SeveralGpus fixture(3);
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
  SeveralGpus fixture(8);
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
  SeveralGpus alike(8);
  alike.format = report::Format::table;
  CHECK(alike.probe("offset", "0,1") == 0);
  CHECK(alike.said("All 8 GPUs agree: at most one is 0.0 % below the median"));
  SeveralGpus two(2);
  two.format = report::Format::table;
  two.slow_down(1, 0.9);
  CHECK(two.probe("offset", "0") == 0);
  INFO(two.out.str());
  CHECK(two.said("2 GPUs are too few to tell an outlier, which takes 5 of a kind"));
  CHECK_FALSE(two.said("odd one out"));
}

TEST_CASE("several GPUs: a GPU that dies costs its cases, and exit code 4 names it") {
  SeveralGpus fixture(8);
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
  SeveralGpus fixture(4);
  CHECK(fixture.probe("offset", "0", "3,1") == 0);
  const json report = json::parse(fixture.out.str());
  REQUIRE(report["results"].size() == 2);
  CHECK(report["results"][0]["parameters"]["device"] == 3);
  CHECK(report["devices"][0]["index"] == 3);

  for (const char* device : {"all", "0"}) {
    SeveralGpus single(1);
    CHECK(single.probe("offset", "0", device) == 0);
    CHECK(single.asked_device == "0");
    CHECK(single.machine.started == 0);
    const json ordinary = json::parse(single.out.str());
    CHECK_FALSE(ordinary["results"][0]["parameters"].contains("device"));
    CHECK_FALSE(ordinary["results"][0].contains("across"));
  }
}

TEST_CASE("several GPUs: what is not there, named twice, or not for each GPU is refused before anything runs") {
  SeveralGpus fixture(2);
  CHECK(error_of([&] { fixture.probe("offset", "0", "0,7"); }, ErrorKind::no_gpu).starts_with("no GPU 7: "));
  CHECK(error_of([&] { fixture.probe("offset", "0", "0,0"); }) == "--device: '0,0' names GPU 0 twice");
  CHECK(fixture.machine.started == 0);
  fixture.machine.gpus.clear();
  CHECK(error_of([&] { fixture.probe("offset", "0", "all"); }, ErrorKind::no_gpu).find(" --backend model --gpu ") !=
        std::string::npos);
}

TEST_CASE("several GPUs: a dry run shows each case once and says so") {
  SeveralGpus fixture(8);
  fixture.dry_run = true;
  CHECK(fixture.probe("offset", "0,1") == 0);
  CHECK(json::parse(fixture.out.str())["results"].size() == 2);
  CHECK(fixture.err.str() == "gpumem: note: each case would run on every GPU of --device all\n");
  CHECK(fixture.machine.started == 0);
}

TEST_CASE("several GPUs: an interrupt keeps what was done on all of them") {
  SeveralGpus fixture(4);
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

TEST_CASE("several GPUs: a probe that uses several itself comes last, and is refused where it uses others") {
  SeveralGpus fixture(2);
  std::vector<Probe> registry = fake_probes();
  registry[0].name = "peer";
  registry[0].gpus = [](const Case& tested) {
    return std::vector{tested.number(tested.probe->axes.front().parameter), std::uint64_t{4}};
  };
  const Plan made = make_plan(registry, {"peer", "skip"}, {});
  const Plan plan = on_each_gpu(made, std::vector<std::uint64_t>{4, 7});
  REQUIRE(plan.sweeps.size() == 1);  // none of the others' cases is of these two GPUs alone
  CHECK(to_string(plan.sweeps[0].cases[1]) == "skip skip_elements=1 op=copy width_elements=4 device=7");
  const Plan with_pairs = on_each_gpu(made, std::vector<std::uint64_t>{1, 4});
  REQUIRE(with_pairs.sweeps.size() == 2);
  CHECK(with_pairs.sweeps[0].probe->name == "skip");
  CHECK(with_pairs.sweeps[1].probe->name == "peer");
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
        "--device all: every case uses other GPUs too; leave it out, or name those as well");
}

TEST_CASE("several GPUs: their report is as many machines of a fleet") {
  SeveralGpus fixture(6);
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
    SeveralGpus fixture(2);
    CHECK(error_of([&] { static_cast<void>(parse().run(fixture.environment())); }).find("of one GPU") !=
          std::string::npos);
  }
  CHECK(error_of([] {
          static_cast<void>(parse_command_line({"probe", "--device", "0,,1"}, {probes(), {}}));
        }).starts_with("--device: '0,,1' has an empty place"));
}

}  // namespace gpumem::app::test_several_gpus
