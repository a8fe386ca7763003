#include "report/sweep.hpp"
#include "tests/catch.hpp"

namespace gpumem::report {

namespace {

Record make(const std::string& probe, std::uint64_t offset, Value op, std::optional<double> measured) {
  Record record;
  record.probe = probe;
  record.swept = "offset_elements";
  record.baseline = std::uint64_t{0};
  record.parameters = {{"offset_elements", offset}, {"op", std::move(op)}};
  record.measured_gb_per_s = measured;
  return record;
}

}  // namespace

TEST_CASE("Records that differ only in the swept parameter form a sweep, in order of appearance") {
  const std::vector<Record> results = {make("a", 1, "copy", 50), make("a", 1, "read", 80), make("b", 0, "copy", 1),
                                       make("a", 0, "copy", 100), make("a", 0, "read", 80)};
  const auto found = sweeps(results);
  REQUIRE(found.size() == 3);
  CHECK(found[0].members == std::vector<std::size_t>{0, 3});
  CHECK(found[0].baseline == 3U);
  CHECK(found[1].members == std::vector<std::size_t>{1, 4});
  CHECK(found[1].baseline == 4U);
  CHECK(found[2].members == std::vector<std::size_t>{2});
  CHECK(found[2].baseline == 2U);
}

TEST_CASE("A number and a name of the same text are different values") {
  const std::vector<Record> results = {make("a", 0, "4", 1), make("a", 1, std::uint64_t{4}, 1)};
  const auto found = sweeps(results);
  REQUIRE(found.size() == 2);
  CHECK(found[0].baseline == 0U);
  CHECK_FALSE(found[1].baseline);
}

TEST_CASE("No records, no sweeps") { CHECK(sweeps({}).empty()); }

TEST_CASE("Bandwidths are related to the sweep's baseline") {
  std::vector<Record> results = {make("a", 1, "copy", 50), make("a", 0, "copy", 100), make("a", 2, "copy", {}),
                                 make("a", 1, "read", 80)};
  results[0].predicted_gb_per_s = 60;
  results[1].predicted_gb_per_s = 120;
  results[3].relative_measured = 7;  // of an earlier call, when there was a baseline
  relate_to_baselines(results);
  CHECK(results[0].relative_measured == 0.5);
  CHECK(results[0].relative_predicted == 0.5);
  CHECK(results[1].relative_measured == 1.0);
  CHECK_FALSE(results[2].relative_measured);
  CHECK_FALSE(results[3].relative_measured);
}

TEST_CASE("Without a bandwidth at the baseline nothing is related to it") {
  std::vector<Record> results = {make("a", 0, "copy", {}), make("a", 1, "copy", 50)};
  relate_to_baselines(results);
  CHECK_FALSE(results[1].relative_measured);
  results[0].measured_gb_per_s = 0;
  relate_to_baselines(results);
  CHECK_FALSE(results[1].relative_measured);
}

}  // namespace gpumem::report
