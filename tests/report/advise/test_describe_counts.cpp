#include "report/advise/describe_counts.hpp"
#include "tests/catch.hpp"
#include "tests/counts.hpp"
#include "tests/report/program_example.hpp"

namespace gpumem::report::test_describe_counts {

namespace {

using measure::Counts;
using test::counts_of;

/// A kernel of 1 ms a launch whose slowest stage takes so long.
Record counted(double stage_s) {
  Record record = examples::kernel_case("k(float*)", 1e-3, 0);
  record.access.clear();
  record.time = TimeRecord{measure::summarise(std::vector{measure::Seconds(1e-3)}), {}};
  record.stages = {{"dram", std::nullopt, stage_s}, {"l2_sectors", 5e-3, std::nullopt}};
  record.counters = counts_of(
      {{&Counts::global_load_requests, 10}, {&Counts::global_load_sectors, 320}, {&Counts::achieved_occupancy, 0.4}});
  return record;
}

}  // namespace

TEST_CASE("counted: a kernel is limited by the stage that is busy", "[run]") {
  CHECK(counted_explanation(counted(0.9e-3)).brief ==
        "limited by device memory, at 90 % of its rate; a request takes: loads 32 sectors");
  CHECK(counted_explanation(counted(0.9e-3)).full.starts_with("Limited by device memory, at 90 % of its rate. A"));
  CHECK(counted_explanation(counted(0.2e-3))
            .brief.starts_with(
                "waits for something other than bandwidth; the busiest stage is device memory, at 20 % of its rate"));
}

TEST_CASE("counted: occupancy is held against what the kernel allows", "[run]") {
  Record record = counted(0.9e-3);
  record.occupancy = OccupancyRecord{0.5, "registers"};
  CHECK(counted_explanation(record).full.ends_with("Occupancy 40 % of the 50 % that registers allow."));
  record.occupancy = OccupancyRecord{0.5, "shared memory"};
  CHECK(counted_explanation(record).full.ends_with("Occupancy 40 % of the 50 % that shared memory allows."));
  record.counters = measure::Counts{};
  record.stages.clear();
  CHECK(counted_explanation(record).brief.empty());
}

}  // namespace gpumem::report::test_describe_counts
