// A GPU held against its own earlier runs, and the lines that keep them.

#include <algorithm>
#include <string>
#include <vector>

#include "report/check/against_history.hpp"
#include "report/text/sparkline.hpp"
#include "tests/catch.hpp"
#include "tests/report/checked.hpp"

namespace gpumem::report::test_against_history {

using Catch::Matchers::ContainsSubstring;

namespace {

/// The run of a day of October, a share faster than the report of checked::measured().
EarlierRun run_of(unsigned day, double faster = 1) {
  Report report = checked::measured();
  report.started_at = std::string("2026-10-") + (day < 10 ? "0" : "") + std::to_string(day) + "T10:00:00Z";
  report.device->driver_version = "580.1";
  for (Record& record : report.results) *record.headline.measured *= faster;
  return runs_of(report).at(0);
}

/// So many healthy runs that differ by up to 0.2 %.
std::vector<EarlierRun> healthy(unsigned count) {
  std::vector<EarlierRun> runs;
  for (unsigned day = 1; day <= count; ++day) runs.push_back(run_of(day, 1 + 0.001 * (day % 5) - 0.002));
  return runs;
}

std::vector<CheckRecord> failed(const std::vector<CheckRecord>& checks) {
  std::vector<CheckRecord> found;
  std::ranges::copy_if(checks, std::back_inserter(found),
                       [](const CheckRecord& check) { return check.verdict == Verdict::fail; });
  return found;
}

}  // namespace

TEST_CASE("A GPU that is as fast as ever passes in each case") {
  const std::vector<CheckRecord> checks = check_history(checked::measured(), healthy(20));
  REQUIRE(checks.size() == 8);
  for (const CheckRecord& check : checks) {
    CHECK(check.verdict == Verdict::pass);
    CHECK(check.at_least);
    CHECK(check.earlier.empty());
  }
  CHECK_THAT(checks[0].name, ContainsSubstring("as fast as this GPU was: "));
  CHECK_THAT(checks[0].reason, ContainsSubstring("of 20 earlier runs"));
}

TEST_CASE("The case that became slower fails, with its median, since when, and the values to draw") {
  Report report = checked::measured();
  *report.results[1].headline.measured = 4200;  // from 4500
  const std::vector<CheckRecord> found = failed(check_history(report, healthy(25)));
  REQUIRE(found.size() == 1);
  CHECK(found[0].measured == 4200);
  CHECK(found[0].cases == std::vector<std::size_t>{1});
  CHECK_THAT(found[0].reason, ContainsSubstring("median 4500 GB/s of 25 earlier runs"));
  CHECK_THAT(found[0].reason, ContainsSubstring("slow since this run"));
  CHECK(found[0].earlier.size() == 21);
  CHECK(found[0].earlier.back() == 4200);
  CHECK(says_slower_than_before(found[0]));
}

TEST_CASE("A slow stretch is not healthy, is named by its first run, and so is the driver that came with it") {
  Report report = checked::measured();
  report.device->driver_version = "590.2";
  for (Record& record : report.results) *record.headline.measured *= 0.9;
  std::vector<EarlierRun> runs = healthy(10);
  for (unsigned day = 11; day <= 13; ++day) {
    runs.push_back(run_of(day, 0.9));
    runs.back().driver = "590.2";
    runs.back().healthy = false;
  }
  const std::vector<CheckRecord> found = failed(check_history(report, runs));
  REQUIRE(found.size() == 8);
  CHECK_THAT(found[0].reason, ContainsSubstring("of 10 earlier runs"));
  CHECK_THAT(found[0].reason, ContainsSubstring("slow since 2026-10-11T10:00:00Z (3 runs before this one)"));
  CHECK_THAT(found[0].reason, ContainsSubstring("the driver was 580.1 until then, and is 590.2 since"));
}

TEST_CASE("Fewer than five healthy earlier runs of this GPU are no history") {
  const auto only = [](const std::vector<EarlierRun>& runs) {
    const std::vector<CheckRecord> checks = check_history(checked::measured(), runs);
    REQUIRE(checks.size() == 1);
    CHECK(checks[0].verdict == Verdict::skip);
    return checks[0].reason;
  };
  CHECK_THAT(only(healthy(4)), ContainsSubstring("4 earlier runs that passed, and it takes 5"));
  CHECK_THAT(only({}), ContainsSubstring("0 earlier runs"));
  std::vector<EarlierRun> others = healthy(9);
  for (EarlierRun& run : others) run.uuid = "GPU-2";
  CHECK_THAT(only(others), ContainsSubstring("none of this one"));
  std::vector<EarlierRun> sick = healthy(9);
  for (EarlierRun& run : sick) run.healthy = false;
  CHECK_THAT(only(sick), ContainsSubstring("0 earlier runs that passed"));
  std::vector<EarlierRun> later = healthy(9);
  for (EarlierRun& run : later) run.time = "2027-01-01T00:00:00Z";
  CHECK_THAT(only(later), ContainsSubstring("it takes 5"));
  CHECK(check_history(checked::measured(), healthy(5)).size() == 8);
}

TEST_CASE("Predictions and GPUs without a UUID are skipped, each with its reason") {
  Report report = checked::measured();
  report.device->uuid.reset();
  CHECK_THAT(check_history(report, healthy(9)).at(0).reason, ContainsSubstring("UUID"));
  report = checked::measured();
  report.backend = "model";
  CHECK_THAT(check_history(report, healthy(9)).at(0).reason, ContainsSubstring("predicted"));
  CHECK(runs_of(report).empty());
}

TEST_CASE("Cases that got worse upwards fail above their limit") {
  std::vector<EarlierRun> runs;
  Report report = checked::measured();
  report.results.resize(1);
  report.results[0].headline = {.quantity = "latency_cycles", .better = Better::less, .measured = 600};
  for (unsigned day = 1; day <= 9; ++day) {
    Report earlier = report;
    earlier.started_at = "2026-10-0" + std::to_string(day) + "T10:00:00Z";
    *earlier.results[0].headline.measured += 0.1 * day;
    runs.push_back(runs_of(earlier).at(0));
  }
  CHECK(check_history(report, runs).at(0).verdict == Verdict::pass);
  report.results[0].headline.measured = 640;
  const CheckRecord slow = check_history(report, runs).at(0);
  CHECK(slow.verdict == Verdict::fail);
  CHECK_FALSE(slow.at_least);
  REQUIRE(slow.at_most);
  CHECK(*slow.at_most > 606);
  CHECK(*slow.at_most < 640);
  report.results[0].headline.measured = 300;
  CHECK(check_history(report, runs).at(0).verdict == Verdict::pass);
}

TEST_CASE("A case that is fast again when it is measured again passes, and says at which attempt") {
  Report report = checked::measured();
  *report.results[1].headline.measured = 2000;
  const std::vector<EarlierRun> runs = healthy(20);
  const std::vector<CheckRecord> before = check_history(report, runs);
  const std::vector<CheckRecord> still = check_history_again(before, report, runs, 2);
  CHECK(failed(still).size() == 1);
  CHECK(failed(still).at(0).attempts == 2);
  *report.results[1].headline.measured = 4500;
  const std::vector<CheckRecord> now = check_history_again(still, report, runs, 3);
  CHECK(failed(now).empty());
  CHECK_THAT(now[1].reason, ContainsSubstring("; passed at attempt 3"));
  CHECK(now[0].attempts == 1);
}

TEST_CASE("A line has all of a run, and later forms are told from torn ones") {
  EarlierRun run = run_of(3);
  run.cases.begin()->second.ci95_low = 4499.5;
  run.cases.begin()->second.ci95_high = 4500.5;
  run.healthy = false;
  const std::string line = history_line(run);
  CHECK(line.find('\n') == std::string::npos);
  const auto read = read_history_line(line, "h");
  REQUIRE(read);
  CHECK(read->time == "2026-10-03T10:00:00Z");
  CHECK(read->uuid == "GPU-1");
  CHECK(read->driver == "580.1");
  CHECK(read->gpumem == "0.1.0");
  CHECK_FALSE(read->healthy);
  CHECK(read->cases == run.cases);
  CHECK_FALSE(read_history_line(R"({"gpumem_history":2,"runs":[]})", "h"));
  CHECK_THROWS(read_history_line(line.substr(0, line.size() / 2), "h"));
  CHECK_THROWS(read_history_line("{}", "h"));
}

TEST_CASE("A sparkline has the lowest value at the bottom and the highest at the top") {
  CHECK(sparkline(std::vector<double>{1, 8, 4.5}) == "▁█▅");
  CHECK(sparkline(std::vector<double>{3, 3}) == "██");
  CHECK(sparkline({}).empty());
}

}  // namespace gpumem::report::test_against_history
