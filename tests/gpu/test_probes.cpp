// Every probe on a real GPU, in shapes a sweep would not think of: verification must hold in all of them.

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <random>
#include <set>

#include "app/command_line/values.hpp"
#include "app/run/backend.hpp"
#include "engine/base/error.hpp"
#include "probes/probe.hpp"
#include "tests/catch.hpp"
#include "tests/files.hpp"

using namespace gpumem;

namespace {

/// Shortest possible measurement: these tests are about data, not time.
std::unique_ptr<app::Backend> quick_backend() {
  app::MeasureOptions options;
  options.stopping.time_budget = measure::Seconds(0);
  return app::make_cuda_backend(options);
}

/// As many as the largest buffer needs, most of them several times and one far off, in 8 bytes each.
const std::string& index_file() {
  static const gpumem::test::TemporaryDirectory directory;
  static const std::string path = (directory / "a.u64").string();
  if (std::filesystem::exists(path)) return path;
  std::vector<std::uint64_t> indices((1 << 18) + 12);
  for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = i * i % 65537;
  indices[2] = 1 << 20;
  gpumem::test::put(path, {reinterpret_cast<const char*>(indices.data()), indices.size() * sizeof(std::uint64_t)});
  return path;
}

std::vector<Value> values_of(const Axis& axis) {
  if (axis.flag == "indices") return {"UNIFORM:8:4:NR", "LAPLACIAN:2:1:100", index_file()};
  if (axis.flag == "from") return {"none", "0,3"};
  if (axis.texts) return app::parse_axis_values(axis, std::vector{axis.defaults});
  if (axis.flag == "index-format" || axis.flag == "delta")
    return app::parse_axis_values(axis, std::vector{axis.defaults});
  if (axis.flag == "extent") return {std::uint64_t{0}, std::uint64_t{3} << 20U};
  if (!axis.names.empty()) return {axis.names.begin(), axis.names.end()};
  if (!axis.numbers.empty()) return {axis.numbers.begin(), axis.numbers.end()};
  if (axis.flag == "block-threads") return {std::uint64_t{32}, std::uint64_t{100}, std::uint64_t{1024}};
  if (axis.flag == "buffer") return {std::uint64_t{16}, std::uint64_t{(1 << 20) + 48}};  // not a whole tile
  // Below and above a launch's.
  if (axis.parameter == "footprint_bytes") return {std::uint64_t{1} << 12U, std::uint64_t{1} << 30U};
  if (axis.flag == "fusion-size") return {std::uint64_t{20}, std::uint64_t{660'004}};  // words in part, of every type
  if (axis.flag == "size") return {std::uint64_t{660}, std::uint64_t{660'000}};        // words in 1, 5 and 33 elements
  if (axis.flag == "kernel-percent") return {std::uint64_t{1}, std::uint64_t{125}};
  std::set<std::uint64_t> numbers = {axis.minimum};
  for (const std::uint64_t number : {1U, 5U, 33U}) numbers.insert(std::clamp(number, axis.minimum, axis.maximum));
  return {numbers.begin(), numbers.end()};
}

/// True if the case's values go together.
bool is_valid(const Case& tested) {
  if (!tested.probe->validate) return true;
  try {
    tested.probe->validate(tested);
    return true;
  } catch (const Error&) {
    return false;
  }
}

std::vector<Case> every_combination(const Probe& probe) {
  std::vector<Case> cases = {{&probe, {}}};
  for (const Axis& axis : probe.axes) {
    std::vector<Case> longer;
    for (const Case& tested : cases) {
      for (const Value& value : values_of(axis)) {
        longer.push_back(tested);
        longer.back().parameters.push_back({axis.parameter, value});
      }
    }
    cases = std::move(longer);
  }
  std::erase_if(cases, [](const Case& tested) { return !is_valid(tested); });
  return cases;
}

/// Runs a case; nullopt if it is refused when its addresses are evaluated, such as rows of matrices between multiples
/// of 16 bytes.
std::optional<report::Record> run_unless_refused(app::Backend& backend, const Case& tested) {
  try {
    return backend.run(tested);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::usage) throw;
    return std::nullopt;
  }
}

/// At most so many of the cases, drawn with a fixed seed. All of them would take minutes where a probe has many axes;
/// of four axes with five values each, 400 of 625 cases still have nearly every pair of values.
std::vector<Case> some_of(std::vector<Case> cases, std::size_t most) {
  if (cases.size() <= most) return cases;
  std::vector<Case> chosen;
  std::mt19937 random(1);  // NOLINT(cert-msc51-cpp): the same cases in every run
  std::sample(cases.begin(), cases.end(), std::back_inserter(chosen), most, random);
  return chosen;
}

}  // namespace

TEST_CASE("every probe moves the right data in every shape") {
  constexpr std::size_t most_cases = 400;  // of a probe
  const auto backend = quick_backend();
  for (const Probe& probe : probes()) {
    if (probe.gpus) continue;                // test_peer.cpp
    std::map<std::string, std::size_t> ran;  // cases of each alternative
    for (const Case& tested : some_of(every_combination(probe), most_cases)) {
      INFO(to_string(tested));
      const auto run = run_unless_refused(*backend, tested);
      if (!run) continue;
      const report::Record& record = *run;
      INFO(record.reason.value_or("no reason"));
      const std::string alternative = probe.compared.empty() ? "" : to_string(tested.value(probe.compared));
      ran[alternative] += 0;
      if (record.status == report::Status::skipped) {  // this GPU or build lacks what the alternative is about
        REQUIRE(record.reason);
        continue;
      }
      ++ran[alternative];
      REQUIRE(record.status == report::Status::ok);
      REQUIRE(record.verified == true);
      REQUIRE(record.time);
      CHECK(record.time->samples.size() == record.time->summary.count);
      CHECK(record.headline.measured.value_or(0) > 0);
    }
    INFO(probe.name);
    REQUIRE_FALSE(ran.empty());
    for (const auto& [alternative, cases] : ran) {
      if (cases == 0) WARN(probe.name << " " << alternative << " was skipped in every shape");
    }
    CHECK(std::ranges::any_of(ran, [](const auto& entry) { return entry.second > 0; }));
  }
}

TEST_CASE("a case that needs more memory than there is fails alone, saying how much it asked for") {
  const auto backend = quick_backend();
  const Probe& offset = *find_probe("offset");
  Case tested{&offset,
              {{"offset_elements", std::uint64_t{0}},
               {"op", std::string("copy")},
               {"word_bytes", std::uint64_t{4}},
               {"elements_per_thread", std::uint64_t{4}},
               {"block_threads", std::uint64_t{256}},
               {"buffer_bytes", backend->device().memory_bytes / 1024 * 1024}}};
  const report::Record failed = backend->run(tested);
  CHECK(failed.status == report::Status::failed);
  CHECK(failed.reason.value_or("").find("out of memory: needs ") == 0);
  CHECK_FALSE(backend->lost());

  // Fits the memory there is, but not the memory that is free: two arrays of just under half of it each.
  tested.set("buffer_bytes", (backend->device().memory_bytes / 2) / 4096 * 4096);
  const report::Record full = backend->run(tested);
  CHECK(full.status == report::Status::failed);
  CHECK(full.reason.value_or("").find("free") != std::string::npos);

  tested.set("buffer_bytes", std::uint64_t{1} << 20U);
  CHECK(backend->run(tested).status == report::Status::ok);
}

TEST_CASE("a large case finds the memory that earlier ones took") {
  const auto backend = quick_backend();
  const std::uint64_t memory = backend->device().free_memory_bytes.value_or(0) / 4096 * 4096;
  Case tested{find_probe("offset"),
              {{"offset_elements", std::uint64_t{0}},
               {"op", std::string("copy")},
               {"word_bytes", std::uint64_t{16}},
               {"elements_per_thread", std::uint64_t{4}},
               {"block_threads", std::uint64_t{256}},
               {"buffer_bytes", memory / 4096 * 2 / 5 * 4096}}};  // two arrays of 0.4
  CHECK(backend->run(tested).reason.value_or("") == "");
  tested.set("op", std::string("read"));
  tested.set("buffer_bytes", memory / 4096 * 7 / 10 * 4096);  // one of 0.7, and a quarter of it for checksums
  CHECK(backend->run(tested).reason.value_or("") == "");
}
