// Finds the GPUs of a fleet that are off: planted outliers and nothing else, whatever the number of machines, the noise
// and the names.

#include <algorithm>
#include <cmath>
#include <iterator>

#include "tests/catch.hpp"
#include "tests/report/fleet/fleets.hpp"

namespace gpumem::report::test_fleet {

using namespace fleets;

namespace {

/// The statistics of one case with these values on as many machines.
FleetCase case_of(const std::vector<double>& values) {
  std::vector<Report> reports;
  for (std::size_t i = 0; i < values.size(); ++i) reports.push_back(machine(i, {values[i]}));
  return judged(reports).kinds.at(0).cases.at(0);
}

}  // namespace

TEST_CASE("fleet: median and MAD of odd and even counts", "[fleet]") {
  const FleetCase odd = case_of({5, 1, 9, 4, 2});
  CHECK(odd.median == 4);
  CHECK(odd.mad == 2);  // of 1, 3, 5, 0, 2
  CHECK(odd.min == 1);
  CHECK(odd.max == 9);
  const FleetCase even = case_of({6, 1, 9, 4, 2, 7});
  CHECK(even.median == 5);
  CHECK(even.mad == 2.5);  // of 1, 4, 4, 1, 3, 2
  CHECK(case_of({3}).median == 3);
  CHECK(case_of({3, 4}).median == 3.5);
}

TEST_CASE("fleet: the z of a value is its distance in robust standard deviations", "[fleet]") {
  // Median 100, MAD 1: 110 is 10 / 1.4826 away.
  const Fleet fleet = judged({machine(0, {99}), machine(1, {101}), machine(2, {100}), machine(3, {99}),
                              machine(4, {101}), machine(5, {100}), machine(6, {110})});
  const FleetCase& compared = fleet.kinds.at(0).cases.at(0);
  CHECK(compared.median == 100);
  CHECK(compared.mad == 1);
  CHECK(compared.least_off == Approx(3.5 * 1.4826 * 0.01));
  const FleetJudgement& judgement = fleet.judgements.at(6).at(0);
  CHECK(judgement.z.value() == Approx(10 / 1.4826));
  CHECK(judgement.relative.value() == Approx(0.1));
  CHECK(judgement.verdict == FleetVerdict::fast);
  CHECK(found(fleet) == Machines{6});
}

TEST_CASE("fleet: nobody stands out where all are alike", "[fleet]") {
  for (const std::size_t machines : {5U, 6U, 20U, 101U}) {
    const Fleet fleet = judged(healthy(machines));
    CHECK(found(fleet).empty());
    CHECK(anything_judged(fleet));
    CHECK(fleet_regressions(fleet, 0.001).empty());
    CHECK(text_of(fleet, Format::table).find("Healthy: none of the " + std::to_string(machines) + " GPUs") !=
          std::string::npos);
  }
}

TEST_CASE("fleet: planted outliers are found, the worst first, and nobody else", "[fleet]") {
  std::vector<Report> reports = healthy(40);
  reports[7].results[1].headline.measured = 2000 * 0.95;
  reports[21].results[0].headline.measured = 1000 * 0.90;
  reports[21].results[2].headline.measured = 3000 * 0.93;
  reports[33].results[2].headline.measured = 3000 * 1.20;
  const Fleet fleet = judged(reports);
  CHECK(found(fleet) == Machines{21, 7, 33});
  const FleetFinding& worst = fleet.findings.at(0);
  REQUIRE(worst.outliers.size() == 2);
  CHECK(worst.judged == 3);
  CHECK(worst.outliers[0].index == 0);
  CHECK(worst.outliers[0].loss == Approx(0.1).epsilon(0.05));
  CHECK(worst.outliers[1].index == 2);
  CHECK(fleet.findings.at(2).outliers.at(0).verdict == FleetVerdict::fast);
  CHECK(fleet.kinds.at(0).cases.at(2).slow == 1);
  CHECK(fleet.kinds.at(0).cases.at(2).fast == 1);
}

TEST_CASE("fleet: a regression is a slowdown beyond the share asked for", "[fleet]") {
  std::vector<Report> reports = healthy(20);
  reports[3].results[1].headline.measured = 2000 * 0.95;
  reports[4].results[1].headline.measured = 2000 * 1.50;
  const Fleet fleet = judged(reports);
  REQUIRE(fleet_regressions(fleet, 0.04).size() == 1);
  CHECK(fleet_regressions(fleet, 0.04).front()->machine == 3);
  CHECK(fleet_regressions(fleet, 0.06).empty());
}

TEST_CASE("fleet: where half agree exactly the MAD is 0 and the tolerance alone decides", "[fleet]") {
  std::vector<Report> reports;
  for (std::size_t i = 0; i < 9; ++i) reports.push_back(machine(i, {100}));
  reports[2].results[0].headline.measured = 99.5;
  reports[5].results[0].headline.measured = 98;
  const Fleet fleet = judged(reports);
  CHECK(fleet.kinds.at(0).cases.at(0).mad == 0);
  CHECK(found(fleet) == Machines{5});
  CHECK_FALSE(fleet.judgements.at(5).at(0).z.has_value());
  CHECK(found(judged(reports, 0.001)) == Machines{5, 2});
  CHECK(found(judged(reports, 0.05)).empty());
  CHECK(json_of(fleet)["machines"][5]["cases"][0]["z"].is_null());
}

TEST_CASE("fleet: a wide spread makes no outliers", "[fleet]") {
  CHECK(found(judged({machine(0, {80}), machine(1, {90}), machine(2, {100}), machine(3, {110}), machine(4, {120})}))
            .empty());
}

TEST_CASE("fleet: too few machines are not judged, and it says so", "[fleet]") {
  for (const std::size_t machines : {1U, 2U, 4U}) {
    std::vector<Report> reports = healthy(machines);
    reports[0].results[0].headline.measured = 1;
    const Fleet fleet = judged(reports);
    CHECK(found(fleet).empty());
    CHECK_FALSE(anything_judged(fleet));
    CHECK(fleet.judgements.at(0).at(0).verdict == FleetVerdict::unjudged);
    const std::string text = text_of(fleet, Format::table);
    CHECK(text.find("Too few to find outliers: " + std::to_string(machines) + " x Example GPU; it takes 5.") !=
          std::string::npos);
    CHECK(text.find("Healthy") == std::string::npos);
  }
}

TEST_CASE("fleet: a case that few have is not judged, nor missed on the others", "[fleet]") {
  std::vector<Report> reports = healthy(10);
  for (std::size_t i = 0; i < 4; ++i) reports[i].results.push_back(offset_case(31, i == 0 ? 1 : 1000));
  const Fleet fleet = judged(reports);
  CHECK(found(fleet).empty());
  CHECK_FALSE(fleet.kinds.at(0).cases.at(3).judged);
  CHECK(text_of(fleet, Format::table).find("1 case of Example GPU ran on fewer than 5 GPUs") != std::string::npos);
}

TEST_CASE("fleet: kinds of GPU are compared among themselves, and predictions with predictions", "[fleet]") {
  std::vector<Report> reports = healthy(20);
  for (std::size_t i = 0; i < 6; ++i) {
    reports[i].device->name = "Other GPU";
    for (Record& record : reports[i].results) *record.headline.measured /= 4;
  }
  for (std::size_t i = 6; i < 12; ++i) {
    reports[i].backend = "model";
    for (Record& record : reports[i].results) record.headline.measured.reset();
  }
  reports[2].results[0].headline.measured = 200;
  const Fleet fleet = judged(reports);
  CHECK(found(fleet) == Machines{2});
  REQUIRE(fleet.kinds.size() == 3);
  CHECK(fleet.kinds[0].machines.size() == 8);
  CHECK(fleet.kinds[1].gpu == "Other GPU");
  CHECK(fleet.kinds[2].predicted);
  CHECK(fleet.kinds[2].cases.at(0).median == 1);
  CHECK(text_of(fleet, Format::table).find("6 x Example GPU (predicted)") != std::string::npos);
}

TEST_CASE("fleet: failures, wrong data, skips, gaps and flags are findings of a machine", "[fleet]") {
  std::vector<Report> reports = healthy(20);
  const auto take_values = [](Record& record) {
    record.headline.measured.reset();
    record.time.reset();
  };
  Record& failed = reports[1].results[0];
  take_values(failed);
  failed.status = Status::failed;
  failed.reason = "out of memory";
  failed.verified.reset();
  take_values(reports[2].results[1]);
  reports[2].results[1].verified = false;
  Record& skipped = reports[3].results[2];
  take_values(skipped);
  skipped.status = Status::skipped;
  skipped.reason = "no room";
  reports[4].results.pop_back();
  reports[5].results[0].flags = {"throttled", "cache_resident"};
  reports[6].results[0].flags = {"cache_resident", "wide_interval"};  // of the case, not of the machine
  const Fleet fleet = judged(reports);
  CHECK(found(fleet) == Machines{2, 1, 3, 4, 5});
  const auto regressions = fleet_regressions(fleet, 0.5);
  REQUIRE(regressions.size() == 2);
  CHECK(regressions[0]->machine == 2);
  CHECK(regressions[1]->machine == 1);
  const std::string text = text_of(fleet, Format::table);
  CHECK(text.find("1 case moved wrong data: offset: offset 1") != std::string::npos);
  CHECK(text.find("1 case failed: offset: offset 0 (out of memory)") != std::string::npos);
  CHECK(text.find("1 case skipped: offset: offset 2 (no room)") != std::string::npos);
  CHECK(text.find("1 case missing: offset: offset 2") != std::string::npos);
  CHECK(text.find("throttled in 1 case") != std::string::npos);
  CHECK(text.find("cache_resident") == std::string::npos);
}

TEST_CASE("fleet: wrong data takes no part in the statistics", "[fleet]") {
  std::vector<Report> reports = healthy(6, 1);
  reports[0].results[0].headline.measured = 1e9;
  reports[0].results[0].verified = false;
  const FleetCase compared = judged(reports).kinds.at(0).cases.at(0);
  CHECK(compared.count == 5);
  CHECK(compared.max < 1100);
}

TEST_CASE("fleet: cases without bandwidth are compared by time, where longer is slower", "[fleet]") {
  std::vector<Report> reports = healthy(11, 1);
  for (Report& report : reports) report.results[0].headline.measured.reset();
  reports[4].results[0].time = examples::time_record(2e-3, 3);
  reports[8].results[0].time = examples::time_record(0.5e-3, 3);
  const Fleet fleet = judged(reports);
  CHECK(fleet.names->case_name(fleet.kinds.at(0).cases.at(0).name).quantity.name == "time_seconds");
  REQUIRE(found(fleet) == Machines{4, 8});
  CHECK(fleet.judgements[4][0].verdict == FleetVerdict::slow);
  CHECK(fleet.judgements[4][0].loss == Approx(0.5).epsilon(0.01));
  CHECK(fleet.judgements[4][0].relative.value() == Approx(1).epsilon(0.01));
  CHECK(fleet.judgements[8][0].verdict == FleetVerdict::fast);
  CHECK(text_of(fleet, Format::table).find("2.000 ms") != std::string::npos);
}

TEST_CASE("fleet: what auto decided is compared with what it decided elsewhere", "[fleet]") {
  std::vector<Report> reports = healthy(10);
  reports[3].results[0].parameters[2].value = std::uint64_t{512};
  reports[3].results[0].headline.measured = 900;
  const Fleet fleet = judged(reports);
  REQUIRE(found(fleet) == Machines{3});
  CHECK(fleet.judgements[3][0].other_shape);
  const FleetCase& compared = fleet.kinds.at(0).cases.at(0);
  CHECK(compared.shapes == 2);
  CHECK(compared.count == 10);
  CHECK(fleet.names->shape(compared.usual_shape).at(0).value == Value{std::uint64_t{256}});
  CHECK(json_of(fleet)["machines"][3]["cases"][0]["shape_by_auto"]["block_threads"] == 512);
  CHECK(text_of(fleet, Format::table).find("in 1 of its outliers auto chose other values") != std::string::npos);
}

TEST_CASE("fleet: a value asked for is not the same case as one that auto decided", "[fleet]") {
  std::vector<Report> reports = healthy(10, 1);
  reports[3].results[0].chosen.clear();
  const Fleet fleet = judged(reports);
  CHECK(fleet.kinds.at(0).cases.size() == 2);
  CHECK(found(fleet) == Machines{3});  // it lacks the case of the others
}

TEST_CASE("fleet: equal cases of a report are told apart by their order", "[fleet]") {
  std::vector<Report> reports = healthy(10, 1);
  for (Report& report : reports) report.results.push_back(offset_case(0, 500));
  reports[6].results[1].headline.measured = 400;
  const Fleet fleet = judged(reports);
  REQUIRE(fleet.kinds.at(0).cases.size() == 2);
  CHECK(fleet.kinds[0].cases[1].median == 500);
  CHECK(found(fleet) == Machines{6});
}

TEST_CASE("fleet: several reports of one GPU are named, and each counts", "[fleet]") {
  std::vector<Report> reports = healthy(6);
  reports.push_back(reports[2]);
  const Fleet fleet = judged(reports);
  REQUIRE(fleet.duplicates.size() == 1);
  CHECK(fleet.duplicates[0] == Machines{2, 6});
  CHECK(fleet.kinds.at(0).cases.at(0).count == 7);
  CHECK(text_of(fleet, Format::table).find("More than one report of node2 41:00.0") != std::string::npos);
}

TEST_CASE("fleet: a report without a GPU is refused", "[fleet]") {
  FleetNames names;
  CHECK_THROWS_WITH(fleet_machines(examples::dry_run(), "plan.json", names),
                    "plan.json: names no GPU; a dry run measures nothing to compare");
}

TEST_CASE("fleet: absurd values do not spoil the median", "[fleet]") {
  std::vector<Report> reports = healthy(10, 1);
  reports[0].results[0].headline.measured = -5;
  reports[0].results[0].time.reset();
  reports[1].results[0].headline.measured = 1e308;
  reports[2].results[0].headline.measured = 0;
  reports[2].results[0].time.reset();
  const Fleet fleet = judged(reports);
  CHECK(fleet.kinds.at(0).cases.at(0).count == 8);
  CHECK(fleet.kinds.at(0).cases.at(0).median == Approx(1000).epsilon(0.01));
  CHECK(fleet.judgements[0][0].verdict == FleetVerdict::no_value);
  CHECK(found(fleet) == Machines{1});
  CHECK(std::isfinite(json_of(fleet)["kinds"][0]["cases"][0]["mad"].get<double>()));
}

TEST_CASE("fleet: a report with cases of a GPU and of pairs is a GPU and a node", "[fleet]") {
  std::vector<Report> reports = nodes(5);
  for (Report& report : reports) report.results.push_back(offset_case(0, 1000));
  const Fleet fleet = judged(reports);
  REQUIRE(fleet.kinds.size() == 2);
  CHECK(fleet.kinds[0].machines.size() == 5);
  CHECK(fleet.kinds[1].machines.size() == 5);
  CHECK(fleet.duplicates.empty());
  CHECK(text_of(fleet, Format::table).find("Healthy: none of the 10 machines stands out.") != std::string::npos);
}

TEST_CASE("fleet: a report with cases that each GPU ran, and of pairs, is its GPUs and a node", "[fleet]") {
  Report report = examples::all_gpus();
  std::ranges::move(examples::even_node(8).results, std::back_inserter(report.results));
  const Fleet fleet = judged({report});
  REQUIRE(fleet.machines.size() == 9);
  CHECK(fleet.machines[0].gpus == 1);
  CHECK(fleet.machines[0].readings.size() == 9);
  CHECK(fleet.machines[8].gpus == 8);
  CHECK(fleet.machines[8].readings.size() == 56);
}

TEST_CASE("fleet: nodes with other numbers of GPUs are not compared", "[fleet]") {
  std::vector<Report> reports = nodes(5);
  reports.push_back(examples::even_node(8));
  for (Report& report : reports) report.devices.resize(1);  // as where no such node is at hand
  const Fleet fleet = judged(reports);
  REQUIRE(fleet.kinds.size() == 2);
  CHECK(fleet.kinds[0].gpus == 4);
  CHECK(fleet.kinds[1].gpus == 8);
}

}  // namespace gpumem::report::test_fleet
