// Blocks that load the same data from L2 again.

#include "program/price/reloads.hpp"
#include "tests/catch.hpp"
#include "tests/program/priced_launches.hpp"

namespace gpumem::program::test_reloads {

using namespace priced_launches;

namespace {

constexpr std::uint64_t table_sectors = 1024;        // 32 KiB
constexpr std::uint64_t many_blocks = 132 * 8 * 16;  // 16 times as many as an H200 holds, of 256 threads

/// A launch whose blocks each load a table from L2, which is there after the first one.
LaunchSums with_table(std::uint64_t launched) {
  inject::Site load = streaming(RawOp::load, table_sectors / 4 * launched);
  load.memory_sectors = table_sectors;
  load.used_words = 8 * table_sectors;
  LaunchSums launch = launch_of({load});
  launch.blocks = launched;
  return launch;
}

std::optional<Reloads> found(const LaunchSums& launch) {
  return reloads_of(launch, launch.sites, Pricing(launch, h200()), h200());
}

}  // namespace

TEST_CASE("a table that each block loads comes from L2 once for each block that the GPU holds", "[program][reloads]") {
  const LaunchSums launch = with_table(many_blocks);
  const auto reloads = found(launch);
  REQUIRE(reloads);
  CHECK(reloads->site == 0);
  CHECK(reloads->array_bytes == 32 * table_sectors);
  CHECK(reloads->times_loaded == many_blocks);
  CHECK(reloads->saved_bytes == Approx(32.0 * table_sectors * many_blocks * 15 / 16));
  const double as_it_is = seconds(launch);
  CHECK(reloads->saving.seconds > 0.5 * as_it_is);
  CHECK(reloads->saving.seconds < 15.0 / 16 * as_it_is);
  CHECK(reloads->saving.within.low < reloads->saving.seconds);
  CHECK(reloads->saving.within.high > reloads->saving.seconds);
}

TEST_CASE("a table is as long as what was seen of it", "[program][reloads]") {
  LaunchSums launch = with_table(many_blocks);  // from a quarter of its blocks
  const std::vector<inject::Site> seen = launch.sites;
  launch.sites[0].memory_sectors *= 4;
  const auto reloads = reloads_of(launch, seen, Pricing(launch, h200()), h200());
  REQUIRE(reloads);
  CHECK(reloads->array_bytes == 32 * table_sectors);
  CHECK(reloads->times_loaded == many_blocks);
}

TEST_CASE("blocks load nothing again if there are few, or if the data is theirs", "[program][reloads]") {
  CHECK_FALSE(found(with_table(132 * 8)));
  LaunchSums own = with_table(many_blocks);  // each byte a few times
  own.sites[0].memory_sectors = own.sites[0].l2_sectors / 4;
  CHECK_FALSE(found(own));
  LaunchSums thrashing = with_table(many_blocks);  // a block loads its own data again
  thrashing.sites[0].memory_sectors = table_sectors / 2;
  CHECK_FALSE(found(thrashing));
  LaunchSums beside = with_table(many_blocks);  // something else takes longer
  beside.sites.push_back(streaming(RawOp::load, 64 * requests, 4, 0x90));
  CHECK_FALSE(found(beside));
}

}  // namespace gpumem::program::test_reloads
