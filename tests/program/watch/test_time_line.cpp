#include <numeric>

#include "program/watch/time_line.hpp"
#include "tests/catch.hpp"

namespace gpumem::inject::test_time_line {

namespace {

constexpr std::uint64_t bin = narrowest_bin_ns;

std::uint64_t sum(const TimeLine& line) {
  return std::accumulate(std::begin(line.ran_ns), std::end(line.ran_ns), std::uint64_t{0});
}

}  // namespace

TEST_CASE("time lines: a launch counts where it ran", "[run]") {
  TimeLine line;
  add_ran(line, 3 * bin + bin / 2, 5 * bin + bin / 4, 7 * bin);
  CHECK(line.bin_ns == bin);
  CHECK(line.ran_ns[2] == 0);
  CHECK(line.ran_ns[3] == 2 * bin);  // of 7 quarters 2, 4 and 1
  CHECK(line.ran_ns[4] == 4 * bin);
  CHECK(line.ran_ns[5] == bin);
  CHECK(line.ran_ns[6] == 0);
  add_ran(line, 3 * bin, 4 * bin, 10);
  CHECK(line.ran_ns[3] == 2 * bin + 10);
}

TEST_CASE("time lines: bins become wider as the program goes on, and lose nothing", "[run]") {
  TimeLine line;
  for (std::uint64_t i = 0; i < kept_bins; ++i) add_ran(line, i * bin, (i + 1) * bin, i + 1);
  CHECK(line.bin_ns == bin);  // all of them are full
  add_ran(line, kept_bins * bin, kept_bins * bin + 1, 1000);
  CHECK(line.bin_ns == 2 * bin);
  CHECK(line.ran_ns[0] == 1 + 2);
  CHECK(line.ran_ns[kept_bins / 2 - 1] == kept_bins - 1 + kept_bins);
  CHECK(line.ran_ns[kept_bins / 2] == 1000);
  const std::uint64_t before = sum(line);
  add_ran(line, 1000 * kept_bins * bin, 1000 * kept_bins * bin + bin, 5);
  CHECK(line.bin_ns == 1024 * bin);
  CHECK(sum(line) == before + 5);
}

TEST_CASE("time lines: what cannot be is not kept", "[run]") {
  TimeLine line;
  add_ran(line, 5, 5, 1);
  add_ran(line, 6, 5, 1);
  add_ran(line, 0, ~std::uint64_t{0}, 1);
  CHECK(line.bin_ns == 0);
  CHECK(sum(line) == 0);
}

}  // namespace gpumem::inject::test_time_line
