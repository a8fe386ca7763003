#include <algorithm>
#include <string>

#include "report/record/joined.hpp"
#include "report/record/kernels.hpp"
#include "tests/catch.hpp"
#include "tests/counts.hpp"
#include "tests/report/program_example.hpp"

namespace gpumem::report::test_joined {

namespace {

using measure::Counts;
using test::counts_of;

const Counts counts = counts_of(
    {{&Counts::global_load_requests, 1000}, {&Counts::global_load_sectors, 4000}, {&Counts::achieved_occupancy, 0.5}});

/// The report of another run that counted the example's first kernel, and a kernel that the example does not have.
Report counted() {
  Report report = examples::program();
  report.program->engines = {counters_engine};
  report.program->skipped = {{"too few launches", 7}};
  report.program->launches_counted = 12;
  report.results.erase(report.results.begin() + 1, report.results.end());
  Record& first = report.results.front();
  first.access.clear();
  first.counters = counts;
  first.occupancy = OccupancyRecord{0.75, "registers"};
  first.bottleneck = Bottleneck{"", "dram"};
  first.stages = {{"dram", std::nullopt, 1e-3}};
  report.results.push_back(examples::kernel_case("new(float*)", 1e-3, 0));
  report.results.back().access.clear();
  report.results.back().counters = counts;
  return report;
}

SiteRecord load(double sectors_each) {
  return {.site = "app.cu:1",
          .space = "global",
          .op = "load",
          .word_bytes = 4,
          .costs = {{.unit = sectors, .per_request = {.predicted = sectors_each, .counted = {}}}},
          .requests = 1000};
}

bool differs(const Record& record) { return std::ranges::find(record.flags, "counts_differ") != record.flags.end(); }

}  // namespace

TEST_CASE("joined: counts come to the kernels that were seen access by access", "[run]") {
  Report sites = examples::program();
  sites.results.front().access = {load(4)};
  const Report both = joined(sites, counted());
  REQUIRE(both.results.size() == sites.results.size() + 1);
  const Record& first = both.results.front();
  CHECK(first.counters == counts);
  CHECK(first.occupancy->limited_by == "registers");
  CHECK(first.bottleneck->counted == "dram");
  CHECK(first.bottleneck->predicted == sites.results.front().bottleneck.value_or(Bottleneck{}).predicted);
  CHECK(first.access.front().per_request(sectors).counted == 4);
  CHECK_FALSE(differs(first));
  CHECK(first.time->summary.median == sites.results.front().time->summary.median);
  CHECK_FALSE(both.results[1].counters);
  CHECK(both.results.back().counters == counts);
  CHECK(both.program->engines == std::vector<std::string>{"sites", "counters"});
  CHECK(both.program->launches_counted == 17);
  CHECK(both.program->skipped.size() == 2);
}

TEST_CASE("joined: sites and counts that are apart are flagged", "[run]") {
  Report sites = examples::program();
  sites.results.front().access = {load(4.03)};
  CHECK_FALSE(differs(joined(sites, counted()).results.front()));  // launches are not all the same
  sites.results.front().access = {load(5)};
  CHECK(differs(joined(sites, counted()).results.front()));
}

TEST_CASE("joined: requests of shared memory in which no lane takes part are no difference", "[run]") {
  Report sites = examples::program();
  sites.results.front().access = {{.site = "app.cu:1",
                                   .space = "shared",
                                   .op = "load",
                                   .word_bytes = 4,
                                   .costs = {{.unit = wavefronts, .per_request = {.predicted = 1.5, .counted = {}}}},
                                   .requests = 1000}};
  Report counts_of_it = counted();
  const auto counting = [&](double requests, double cost) {
    counts_of_it.results.front().counters =
        counts_of({{&Counts::shared_load_requests, requests}, {&Counts::shared_load_wavefronts, cost}});
    return joined(sites, counts_of_it).results.front();
  };
  const Record with_idle = counting(1200, 1500);
  CHECK(with_idle.access.front().per_request(wavefronts).counted == 1.5);
  CHECK_FALSE(differs(with_idle));
  CHECK_FALSE(differs(counting(2000, 3000)));  // a launch of twice as many
  CHECK(differs(counting(1200, 1600)));
}

TEST_CASE("joined: a kernel that was not seen is shown as it was counted", "[run]") {
  Report sites = examples::program();
  Record& first = sites.results.front();
  first.status = Status::skipped;
  first.reason = "launched by a CUDA graph";
  const Record shown = joined(sites, counted()).results.front();
  CHECK(shown.status == Status::ok);
  CHECK(shown.counters == counts);
}

TEST_CASE("joined: when kernels ran is that of one run", "[run]") {
  Report sites = examples::program();
  sites.program->bin_s = 0.5;
  sites.results[0].ran_s = {1, 2};
  Report counters = counted();
  counters.program->bin_s = 0.25;
  for (Record& record : counters.results) record.ran_s = {3, 4, 5};
  CHECK(joined(sites, counters).program->bin_s == 0.5);
  CHECK(joined(sites, counters).results[0].ran_s == std::vector<double>{1, 2});
  CHECK(joined(sites, counters).results.back().ran_s.empty());
  sites.results[0].status = Status::skipped;
  CHECK(joined(sites, counters).results[0].ran_s == std::vector<double>{1, 2});
}

TEST_CASE("joined: engines of reports", "[run]") {
  Report report = examples::program();
  CHECK(is_watched_by(report, sites_engine));
  CHECK_FALSE(is_watched_by(report, counters_engine));
  report.program->engines.clear();  // an older one
  CHECK(is_watched_by(report, sites_engine));
  CHECK(is_watched_by(counted(), counters_engine));
  report.program.reset();
  CHECK_FALSE(is_watched_by(report, sites_engine));
}

}  // namespace gpumem::report::test_joined
