#include "probes/host/overlap/sequence.hpp"
#include "tests/catch.hpp"

namespace gpumem::host::test_sequence {

TEST_CASE("a leap lands where walking the same number of steps does") {
  STATIC_REQUIRE(leap_over(0)(7) == 7);
  STATIC_REQUIRE(walk(7, 1) == 7 * sequence_multiplier + sequence_increment);
  for (const std::uint64_t steps : {0U, 1U, 2U, 3U, 64U, 1000U, 4801U, 65'535U}) {
    for (const std::uint32_t x : {0U, 1U, 0xA2A2A2A2U, 0xFFFFFFFFU}) CHECK(leap_over(steps)(x) == walk(x, steps));
  }
  CHECK(leap_over(5).then(leap_over(9))(3) == walk(3, 14));
}

}  // namespace gpumem::host::test_sequence
