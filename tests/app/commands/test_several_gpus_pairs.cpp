// `check` on several GPUs: the pairs of them.

#include <algorithm>
#include <atomic>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "report/check/against_history.hpp"
#include "report/read/read_report.hpp"
#include "tests/app/commands/several_gpus.hpp"
#include "tests/catch.hpp"

namespace gpumem::app::test_several_gpus_pairs {

using namespace gpumem::app::test;
using nlohmann::json;

namespace {

using Texts = std::vector<std::string>;

constexpr const char* expectation = "every pair of GPUs copies as expected";

bool is_pair(const Case& tested, std::uint64_t source, std::uint64_t target) {
  return tested.number("source") == source && tested.number("target") == target;
}

/// The names of the checks with that verdict.
Texts named(const json& report, const std::string& verdict) {
  Texts names;
  for (const json& check : report["checks"]) {
    if (check["verdict"] == verdict) names.push_back(check["name"]);
  }
  return names;
}

json check_of(const json& report, const std::string& name) {
  for (const json& check : report["checks"]) {
    if (check["name"] == name) return check;
  }
  return {};
}

/// The cases between GPUs alone.
std::vector<json> pairs_of(const json& report) {
  std::vector<json> pairs;
  for (const json& result : report["results"]) {
    if (result["probe"] == "peer") pairs.push_back(result);
  }
  return pairs;
}

/// Takes the prediction away, as where the driver does not tell what joins the GPUs.
void forget_prediction(report::Record& record) {
  record.headline.predicted.reset();
  record.no_prediction = "the link between the two GPUs is not known";
}

}  // namespace

TEST_CASE("pairs of GPUs: each is copied between after the cases of single GPUs, and held to its prediction") {
  SeveralGpus fixture(4);
  const int code = fixture.check();
  INFO(fixture.out.str());
  INFO(fixture.err.str());
  CHECK(code == 0);
  const json report = json::parse(fixture.content("r.json"));
  REQUIRE(report["results"].size() == 4 * 42 + 12);
  for (std::size_t i = 0; i < report["results"].size(); ++i) {
    CHECK((report["results"][i]["probe"] == "peer") == (i >= 4 * 42));
  }
  const json& first = report["results"][4 * 42];
  CHECK(first["across"] == "target");
  CHECK_FALSE(first["parameters"].contains("device"));
  CHECK(first["parameters"]["via"] == "copy-engine");
  CHECK(report["devices"][3]["links"].size() == 3);
  CHECK(check_of(report, expectation)["cases"].size() == 12);
  CHECK(check_of(report, "every case ran between GPUs")["reason"] == "12 cases");
  CHECK(check_of(report, "data verified between GPUs")["verdict"] == "pass");
  CHECK(fixture.machine.started == 5);
}

TEST_CASE("pairs of GPUs: one that is 20 % slow fails by a line of its own, which names both GPUs") {
  SeveralGpus fixture(4);
  fixture.machine.between = [](std::uint64_t, const Case& tested, report::Record& record) {
    if (is_pair(tested, 0, 3)) scale(record, 0.8);
  };
  CHECK(fixture.check() == 1);
  INFO(fixture.out.str());
  const json report = json::parse(fixture.content("r.json"));
  CHECK(named(report, "fail") == Texts{expectation});
  const json check = check_of(report, expectation);
  CHECK(check["source"] == 0);
  CHECK(check["target"] == 3);
  CHECK_FALSE(check.contains("device"));
  CHECK(check["reason"] ==
        "GPU 0 (00:00.0, GPU-00000000) to GPU 3 (03:00.0, GPU-00000003), via copy-engine: 314 GB/s, 20.0 % below the "
        "predicted 393 GB/s (healthy pairs over NVLink copy 0.98 to 1.02 of what the profile of their kind predicts)");
  CHECK(fixture.said("FAIL  every pair of GPUs copies as expected"));
  CHECK(fixture.content("r.xml").find("<failure message=\"0.800 &lt; 0.96; GPU 0 (00:00.0, GPU-00000000) to GPU 3 ") !=
        std::string::npos);
  const std::string gauges = fixture.content("r.prom");
  CHECK(gauges.find("gpumem_check_passed{suite=\"smoke\",check=\"every pair of GPUs copies as expected\"} 0\n") !=
        std::string::npos);
  CHECK(gauges.find("source=\"0\",target=\"3\"") != std::string::npos);
}

TEST_CASE("pairs of GPUs: each has a history of its own, whatever the numbers of its GPUs") {
  SeveralGpus fixture(3);
  REQUIRE(fixture.check() == 0);
  report::Report report = report::read_report_file(fixture.path("r.json"), std::cin);
  std::vector<report::EarlierRun> history;
  for (const char* day : {"1", "2", "3", "4", "5", "6"}) {
    report.started_at = std::string("2026-10-0") + day + "T10:00:00Z";
    std::ranges::move(report::runs_of(report), std::back_inserter(history));
  }
  REQUIRE(history.size() == 6 * (3 + 6));
  report.started_at = "2026-10-09T10:00:00Z";
  const auto pair = std::ranges::find(report.results, "peer", &report::Record::probe);
  REQUIRE(pair != report.results.end());
  *pair->headline.measured *= 0.9;
  std::vector<report::CheckRecord> failed;
  std::ranges::copy_if(report::check_history(report, history), std::back_inserter(failed),
                       [](const report::CheckRecord& check) { return check.verdict == report::Verdict::fail; });
  REQUIRE(failed.size() == 1);
  CHECK(failed[0].name.starts_with("as fast as this pair was: peer"));
  CHECK(failed[0].source == 0);
  CHECK(failed[0].target == 1);
  CHECK(failed[0].cases == std::vector{static_cast<std::size_t>(pair - report.results.begin())});
}

TEST_CASE("pairs of GPUs: a GPU that all slow pairs have in common is named") {
  SeveralGpus fixture(4);
  fixture.machine.between = [](std::uint64_t, const Case& tested, report::Record& record) {
    if (tested.number("target") == 2) scale(record, 0.5);
  };
  CHECK(fixture.check() == 1);
  INFO(fixture.out.str());
  CHECK(fixture.said("; 3 of 12 cases miss it, all to GPU 2"));
}

TEST_CASE("pairs of GPUs: a fault between them fails these pairs alone, and names them") {
  SeveralGpus fixture(4);
  fixture.machine.between = [](std::uint64_t, const Case& tested, report::Record&) {
    if (is_pair(tested, 2, 1)) throw Died{};
  };
  CHECK(fixture.check() == 1);
  INFO(fixture.out.str());
  const json report = json::parse(fixture.content("r.json"));
  CHECK(named(report, "fail") == Texts{"every case ran between GPUs", expectation});
  std::size_t failed = 0;
  for (const json& result : report["results"]) failed += result["status"] == "failed" ? 1 : 0;
  CHECK(failed == 1);
  CHECK(check_of(report, expectation)["reason"].get<std::string>().find(
            "failed: GPU 1 (00000000:01:00.0, GPU-00000001-aaaa-bbbb-cccc-0123456789ab), GPU 2 "
            "(00000000:02:00.0, GPU-00000002-aaaa-bbbb-cccc-0123456789ab): the process that measures ended") !=
        std::string::npos);
}

TEST_CASE("pairs of GPUs: attempts measure slow ones again, and the processes of single GPUs after them") {
  SeveralGpus fixture(2);
  std::atomic<unsigned> copies = 0;
  fixture.machine.between = [&](std::uint64_t, const Case& tested, report::Record& record) {
    if (is_pair(tested, 0, 1) && copies++ == 0) scale(record, 0.8);
  };
  std::atomic<unsigned> reads = 0;
  fixture.machine.after = [&](std::uint64_t gpu, const Case& tested, report::Record& record) {
    const bool here = gpu == 1 && tested.probe->name == "hierarchy" && tested.name("level") == "l1";
    if (here && reads++ == 0) scale(record, 0.5);
  };
  CHECK(fixture.check(2) == 0);
  INFO(fixture.out.str());
  CHECK(copies == 2);
  CHECK(reads == 2);
  const json report = json::parse(fixture.content("r.json"));
  CHECK(check_of(report, expectation)["attempts"] == 2);
  CHECK(fixture.machine.started == 5);  // two, the one between, one of the two again, the one between again
}

TEST_CASE("pairs of GPUs: without a prediction they are compared with each other, if they are enough") {
  const unsigned gpus = GENERATE(2U, 4U);
  const bool slow = GENERATE(false, true);
  SeveralGpus fixture(gpus);
  fixture.machine.between = [&](std::uint64_t, const Case& tested, report::Record& record) {
    forget_prediction(record);
    *record.headline.measured *= 1 + 1e-3 * static_cast<double>(tested.number("source"));
    if (slow && is_pair(tested, 1, 0)) scale(record, 0.8);
  };
  CHECK(fixture.check() == (slow && gpus == 4 ? 1 : 0));
  INFO(fixture.out.str());
  const json report = json::parse(fixture.content("r.json"));
  const json agreement = check_of(report, "the pairs of GPUs agree with each other");
  if (gpus == 2) {
    CHECK(agreement.is_null());
    CHECK(check_of(report, expectation)["verdict"] == "skip");
    CHECK(check_of(report, expectation)["reason"].get<std::string>().find(
              ": the link between the two GPUs is not known ('nvidia-smi topo -m' on the host may tell it); pairs are "
              "compared with each other if 5 are alike; 2 of 2 cases") != std::string::npos);
    return;
  }
  CHECK(check_of(report, expectation).is_null());
  CHECK(agreement["verdict"] == (slow ? "fail" : "pass"));
  if (!slow) {
    CHECK(agreement["reason"] == "12 pairs without a prediction, none of them an outlier");
    return;
  }
  CHECK(agreement["source"] == 1);
  CHECK(agreement["target"] == 0);
  CHECK(agreement["reason"].get<std::string>().starts_with(
      "GPU 1 (01:00.0, GPU-00000001) to GPU 0 (00:00.0, GPU-00000000), via copy-engine: "));
}

TEST_CASE("pairs of GPUs: a list takes the pairs among its GPUs alone") {
  SeveralGpus fixture(4);
  CheckArguments arguments;
  arguments.targets = {"smoke"};
  arguments.device = "3,1";
  arguments.outputs = {fixture.path("r.json")};
  CHECK(run_check_command(arguments, fixture.environment()) == 0);
  const std::vector<json> pairs = pairs_of(json::parse(fixture.content("r.json")));
  REQUIRE(pairs.size() == 2);
  CHECK(pairs[0]["parameters"]["source"] == 1);
  CHECK(pairs[0]["parameters"]["target"] == 3);
  CHECK(pairs[1]["parameters"]["source"] == 3);
  CHECK(pairs[1]["parameters"]["target"] == 1);
}

TEST_CASE("pairs of GPUs: a run of one GPU says nothing of them") {
  for (const unsigned gpus : {1U, 4U}) {
    for (const bool dry_run : {false, true}) {
      SeveralGpus fixture(gpus);
      CheckArguments arguments;
      arguments.targets = {"smoke"};
      arguments.device = gpus == 1 && !dry_run ? "all" : "0";
      arguments.dry_run = dry_run;
      arguments.shown = CheckFormat::json;
      CHECK(run_check_command(arguments, fixture.environment()) == 0);
      const json report = json::parse(fixture.out.str());
      CHECK(report["results"].size() == 42);
      CHECK(check_of(report, expectation).is_null());
      CHECK(fixture.machine.started == 0);
      CHECK(fixture.err.str().find("pair") == std::string::npos);
    }
  }
}

TEST_CASE("pairs of GPUs: a suite of nothing else runs among all GPUs of the machine, as ever") {
  const std::vector<Probe>& all = probes();
  Plan plan = make_plan(all, {"peer", "offset"}, {});
  CHECK(on_one_gpu(plan).size() == plan.size());
  plan.suite = "mine";
  for (const PlannedSweep& sweep : on_one_gpu(plan).sweeps) CHECK(sweep.probe->name == "offset");
  Plan pairs = make_plan(all, {"peer"}, {});
  pairs.suite = "pairs";
  CHECK(on_one_gpu(pairs).size() == pairs.size());
}

}  // namespace gpumem::app::test_several_gpus_pairs
