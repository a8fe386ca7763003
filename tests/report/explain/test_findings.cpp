#include "report/explain/explain.hpp"
#include "report/record/sweep.hpp"
#include "report/write/writers.hpp"
#include "tests/catch.hpp"
#include "tests/report/examples.hpp"

namespace gpumem::report::test_findings {

namespace {

/// A case of the probe "offset", which has facts.
Record offset_case(std::uint64_t offset, double gb_per_s) {
  Record record = examples::measured_copy().results.front();
  record.parameters.front().value = offset;
  record.headline.measured = gb_per_s;
  record.headline.predicted.reset();
  return record;
}

std::string only_finding(const std::vector<Record>& results) {
  const auto all = findings(results, conclusions(results));
  REQUIRE(all.size() == 1);
  return all.front();
}

}  // namespace

TEST_CASE("A model's findings are predictions and claim no agreement") {
  for (const std::string& finding : examples::model().findings) {
    CHECK(finding.starts_with("Predicted: "));
    CHECK(finding.find("Predicted within") == std::string::npos);
  }
}

TEST_CASE("Cases that did not run are counted") {
  std::vector<Record> results = {offset_case(0, 4000)};
  for (std::uint64_t x = 1; x < 4; ++x) {
    Record& record = results.emplace_back(offset_case(x, 1));
    record.headline.measured.reset();
    record.status = x == 1 ? Status::failed : Status::skipped;
    record.reason = "no room";
  }
  CHECK(only_finding(results).ends_with("at offset 0.\n1 case failed and 2 cases were skipped."));
  results.erase(results.begin());
  CHECK(only_finding(results) == "Nothing ran: 1 case failed and 2 cases were skipped: no room.");
  results[2].reason = "other";
  CHECK(only_finding(results) == "Nothing ran: 1 case failed and 2 cases were skipped; the first: no room.");
}

TEST_CASE("Nothing is said of readings without a conclusion, and that there is no reading is") {
  std::vector<Record> results = {offset_case(0, 4000)};
  CHECK(findings(results, {}) == std::vector<std::string>{""});
  results[0].headline.measured.reset();
  results[0].no_prediction = "the model does not know this GPU";
  CHECK(only_finding(results) == "There is no reading to compare. The model does not know this GPU.");
}

TEST_CASE("A case without a prediction beside others says why") {
  std::vector<Record> results = {offset_case(0, 4000), offset_case(1, 3000), offset_case(2, 3000)};
  results[1].no_prediction = "the model does not know it";
  CHECK(only_finding(results).ends_with("No prediction of offset 1: the model does not know it."));
  results[2].no_prediction = results[1].no_prediction;
  CHECK(only_finding(results).ends_with("No prediction of 2 cases: the model does not know it."));
  results[2].no_prediction = "another";
  CHECK(only_finding(results).ends_with("No prediction of 2 cases; the first: the model does not know it."));
}

TEST_CASE("Pairs of GPUs that are unlike the others are named beside what the probe concludes") {
  const std::string slow_pairs = only_finding(examples::node().results);
  CHECK(slow_pairs.starts_with("Copies between two GPUs are fastest by the source's copy engine: "));
  CHECK(slow_pairs.find("\nUnlike the others via copy-engine: source 2, target 5 (45 % less); source 5, target 2 (44 % "
                        "less). Unlike the others via kernel-read: ") != std::string::npos);
  const std::string alike = only_finding(examples::even_node(4).results);
  CHECK(alike.starts_with("Copies between two GPUs reach "));
  CHECK(alike.find("\nNo case is unlike the others. ") != std::string::npos);
  std::vector<Record> predicted = examples::even_node(4).results;
  for (Record& record : predicted) record.headline.measured.reset();
  CHECK(only_finding(predicted).find("unlike the others") == std::string::npos);
}

TEST_CASE("One finding per sweep, none for nothing") {
  CHECK(findings({}, {}).empty());
  for (const Report& report : {examples::measured_copy(), examples::model(), examples::dry_run()}) {
    CHECK(findings(report.results, conclusions(report.results)).size() == sweeps(report.results).size());
  }
}

}  // namespace gpumem::report::test_findings
