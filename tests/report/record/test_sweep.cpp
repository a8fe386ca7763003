#include "report/record/sweep.hpp"
#include "tests/catch.hpp"

namespace gpumem::report::test_sweep {

namespace {

Record make(const std::string& probe, std::uint64_t offset, Value op, std::optional<double> measured) {
  Record record;
  record.probe = probe;
  record.swept = "offset_elements";
  record.baseline = std::uint64_t{0};
  record.parameters = {{"offset_elements", offset}, {"op", std::move(op)}};
  record.headline.measured = measured;
  return record;
}

}  // namespace

TEST_CASE("Records that differ only in the swept parameter form a sweep, in order of appearance") {
  const std::vector<Record> results = {make("a", 1, "copy", 50), make("a", 1, "read", 80), make("b", 0, "copy", 1),
                                       make("a", 0, "copy", 100), make("a", 0, "read", 80)};
  const auto found = sweeps(results);
  REQUIRE(found.size() == 3);
  CHECK(found == std::vector<Members>{{0, 3}, {1, 4}, {2}});
  CHECK(tables(results) == found);
}

TEST_CASE("A number and a name of the same text are different values") {
  const std::vector<Record> results = {make("a", 0, "4", 1), make("a", 1, std::uint64_t{4}, 1)};
  const auto found = sweeps(results);
  CHECK(found == std::vector<Members>{{0}, {1}});
}

TEST_CASE("No records, no sweeps") { CHECK(sweeps({}).empty()); }

TEST_CASE("Bandwidths are related to the sweep's baseline") {
  std::vector<Record> results = {make("a", 1, "copy", 50), make("a", 0, "copy", 100), make("a", 2, "copy", {}),
                                 make("a", 1, "read", 80)};
  results[0].headline.predicted = 60;
  results[1].headline.predicted = 120;
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
  results[0].headline.measured = 0;
  relate_to_baselines(results);
  CHECK_FALSE(results[1].relative_measured);
}

TEST_CASE("Alternatives for the same job stand in one table, related to the baseline's at the same place") {
  const auto alternative = [](const std::string& memory, std::uint64_t size, const std::string& op, double measured) {
    Record record;
    record.probe = "a";
    record.swept = "size_bytes";
    record.compared = "memory";
    record.baseline = "pageable";
    record.parameters = {{"size_bytes", size}, {"memory", memory}, {"op", op}};
    record.headline.measured = measured;
    return record;
  };
  std::vector<Record> results = {alternative("pinned", 1, "in", 30),   alternative("pinned", 2, "in", 50),
                                 alternative("pageable", 1, "in", 10), alternative("pageable", 2, "in", 20),
                                 alternative("pinned", 1, "out", 7),   alternative("pinned", 3, "in", 9)};
  CHECK(tables(results) == std::vector<Members>{{0, 1, 2, 3, 5}, {4}});
  CHECK(sweeps(results) == std::vector<Members>{{0, 1, 5}, {2, 3}, {4}});
  CHECK(baseline_parameter(results[0]) == "memory");
  relate_to_baselines(results);
  CHECK(results[0].relative_measured == 3.0);
  CHECK(results[1].relative_measured == 2.5);
  CHECK(results[2].relative_measured == 1.0);
  CHECK(results[3].relative_measured == 1.0);
  CHECK_FALSE(results[4].relative_measured);
  CHECK_FALSE(results[5].relative_measured);
}

}  // namespace gpumem::report::test_sweep
