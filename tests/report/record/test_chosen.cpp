#include <array>

#include "report/record/joined.hpp"
#include "tests/catch.hpp"

namespace gpumem::report::test_chosen {

TEST_CASE("chosen: results stay in their order, and advice follows its result", "[chosen]") {
  Report report;
  for (const char* probe : {"a", "b", "c"}) {
    Record record;
    record.probe = probe;
    report.results.push_back(record);
  }
  report.advice = {{.cause = "of c", .result = 2}, {.cause = "of b", .result = 1}, {.cause = "of a", .result = 0}};
  report.findings = {"of all"};
  report.conclusions.push_back({.probe = "a", .cases = {0, 1}, .advice = "", .quantities = {}});
  report.passed = true;
  report.checks.emplace_back();
  const Report some = chosen(report, std::array<std::size_t, 2>{0, 2});
  REQUIRE(some.results.size() == 2);
  CHECK(some.results[0].probe == "a");
  CHECK(some.results[1].probe == "c");
  REQUIRE(some.advice->size() == 2);
  CHECK(some.advice->at(0).cause == "of c");
  CHECK(some.advice->at(0).result == 1);
  CHECK(some.advice->at(1).result == 0);
  CHECK(some.findings.empty());
  CHECK(some.conclusions.empty());
  CHECK(some.checks.empty());
  CHECK_FALSE(some.passed);
}

}  // namespace gpumem::report::test_chosen
