// Processes side by side, on two GPUs; on a machine of one GPU two of them share it.

#include <vector>

#include "app/run/case_records.hpp"
#include "app/run/side_by_side.hpp"
#include "engine/machine/devices.hpp"
#include "tests/catch.hpp"

using namespace gpumem;

namespace {

/// Two GPUs, or the first as if it were two.
std::unique_ptr<app::Backend> twice(measure::Counting counting = measure::Counting::off) {
  std::vector<Device> gpus = measure::query_devices();
  if (gpus.size() == 1) gpus.push_back(gpus.front());
  gpus.resize(2);
  gpus[0].index = 0;
  gpus[1].index = 1;
  app::MeasureOptions options;
  options.stopping.time_budget = measure::Seconds(0.02);
  options.counting = counting;
  return app::measure_in_copies(options, gpus);
}

/// A case of each of the probes, on both.
std::vector<Case> cases_of(const char* probe, std::vector<Parameter> parameters) {
  std::vector<Case> cases;
  for (const std::uint64_t gpu : {0U, 1U}) {
    Case& tested = cases.emplace_back(Case{.probe = find_probe(probe), .parameters = parameters});
    tested.parameters.push_back({"device", gpu});
  }
  return cases;
}

std::vector<Case> read_case() {
  return cases_of("offset", {{"offset_elements", std::uint64_t{1}},
                             {"op", "read"},
                             {"word_bytes", std::uint64_t{4}},
                             {"elements_per_thread", std::uint64_t{4}},
                             {"block_threads", std::uint64_t{256}},
                             {"buffer_bytes", std::uint64_t{64} << 20U}});
}

std::vector<report::Record> run(app::Backend& backend, const std::vector<Case>& cases) {
  backend.expect(cases);
  std::vector<report::Record> records;
  for (const Case& tested : cases) records.push_back(backend.run(tested));
  return records;
}

}  // namespace

TEST_CASE("two processes measure in lock-step, both verified") {
  const auto backend = twice();
  const auto transfer = cases_of(
      "transfer", {{"size_bytes", std::uint64_t{16} << 20U}, {"host_memory", "pinned"}, {"direction", "to-device"}});
  for (const auto& cases : {read_case(), transfer, read_case()}) {
    const auto records = run(*backend, cases);
    for (std::size_t i = 0; i < records.size(); ++i) {
      INFO(records[i].reason.value_or(""));
      CHECK(records[i].status == report::Status::ok);
      CHECK(records[i].verified == true);
      CHECK(records[i].headline.measured.value_or(0) > 0);
      CHECK(records[i].headline.predicted.value_or(0) > 0);
      CHECK(records[i].parameters == cases[i].parameters);
    }
  }
  CHECK(backend->device().free_memory_bytes.value_or(0) > 0);
  CHECK(backend->host_placement());
}

TEST_CASE("a case that needs more memory than there is fails alone") {
  const auto backend = twice();
  auto cases = read_case();
  for (Case& tested : cases) tested.set("buffer_bytes", std::uint64_t{1} << 40U);
  for (const report::Record& record : run(*backend, cases)) {
    CHECK(record.status == report::Status::failed);
    CHECK(record.reason.value_or("").starts_with("GPU "));
  }
  for (const report::Record& record : run(*backend, read_case())) CHECK(record.verified == true);
}

TEST_CASE("two processes count, where this machine lets them") {
  const auto backend = twice(measure::Counting::if_possible);
  const auto cases = read_case();
  auto records = run(*backend, cases);
  const auto problem = backend->count(cases, records);
  if (problem) {
    CHECK(problem->starts_with("GPU "));
    return;
  }
  for (const report::Record& record : records) {
    REQUIRE(record.counters);
    CHECK(record.access.at(0).per_request(report::sectors).counted.value_or(0) == Approx(5).epsilon(0.01));
  }
}

TEST_CASE("copies between two GPUs are measured while no other process has them open, and the other way round") {
  std::vector<Device> gpus = app::list_gpus();
  if (gpus.size() < 2) return;  // there is no pair
  gpus.resize(2);
  gpus[0].index = 0;
  gpus[1].index = 1;
  app::MeasureOptions options;
  options.links = true;
  const auto backend = app::measure_in_copies(options, gpus);
  std::vector<Case> pairs;
  for (const std::uint64_t source : {0U, 1U}) {
    pairs.push_back({.probe = find_probe("peer"),
                     .parameters = {{"source", source},
                                    {"target", 1 - source},
                                    {"via", "copy-engine"},
                                    {"direction", "one-way"},
                                    {"at_once", "no"},
                                    {"size_bytes", std::uint64_t{32} << 20U}}});
  }
  for (const auto& cases : {read_case(), pairs, read_case(), pairs}) {
    for (const report::Record& record : run(*backend, cases)) {
      INFO(record.reason.value_or(""));
      if (record.status == report::Status::skipped) continue;  // no peer access
      CHECK(record.verified == true);
      CHECK_FALSE(record.has_flag("contended"));
    }
  }
}
