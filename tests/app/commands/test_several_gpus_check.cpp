// `check` on several GPUs: each is held alone, and the links are looked at together.

#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <thread>

#include "tests/app/commands/several_gpus.hpp"
#include "tests/catch.hpp"

namespace gpumem::app::test_several_gpus_check {

using namespace gpumem::app::test;
using nlohmann::json;

TEST_CASE("several GPUs: check holds each alone, and says in a line what all pass") {
  SeveralGpus fixture(8);
  const int code = fixture.check();
  INFO(fixture.out.str());
  INFO(fixture.err.str());
  CHECK(code == 0);
  CHECK(fixture.said("smoke on 8 x NVIDIA H200"));
  CHECK(fixture.said("PASS  every case ran "));
  CHECK(fixture.said("the worst of 8"));
  CHECK(fixture.said("PASS  the GPUs agree with each other"));
  CHECK(fixture.said("42 cases (8 GPUs)"));
  const json report = json::parse(fixture.content("r.json"));
  REQUIRE(report["results"].size() == 8 * 42 + 56);
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
    SeveralGpus fixture(gpus);
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
    CHECK_FALSE(fixture.said("used the host at once"));  // no finding of what they share
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
  SeveralGpus fixture(4);
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
  SeveralGpus fixture(4);
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
  SeveralGpus fixture(8);
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
  SeveralGpus fixture(8);
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
  for (const auto& [gpu, count] : runs) CHECK((count > 42) == (gpu == 2));
}

TEST_CASE("several GPUs: one that dies fails its own checks alone") {
  SeveralGpus fixture(8);
  fixture.machine.before = [](std::uint64_t gpu, const Case&, report::Record&) {
    if (gpu == 5) throw Died{};
  };
  CHECK(fixture.check() == 1);
  INFO(fixture.out.str());
  const json report = json::parse(fixture.content("r.json"));
  for (const json& check : report["checks"]) {
    if (check["verdict"] == "fail" && check.contains("device")) CHECK(check["device"] == 5);
  }
  CHECK(fixture.said("42 of 42 cases failed"));
  CHECK(fixture.err.str().find("GPU 5 (00000000:05:00.0") != std::string::npos);
}

}  // namespace gpumem::app::test_several_gpus_check
