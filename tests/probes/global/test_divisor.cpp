// Division by multiplication: exact wherever it claims to be.

#include "probes/global/divisor.hpp"
#include "tests/catch.hpp"

namespace gpumem::test_divisor {

using gpumem::global::Divisor;

TEST_CASE("quotients by a fixed divisor are exact below 2^31", "[divisor]") {
  constexpr std::uint32_t most = (std::uint32_t{1} << 31U) - 1;
  for (const std::uint32_t divisor : {1U, 2U, 3U, 5U, 7U, 33U, 48U, 63U, 64U, 129U, 513U, 65537U, 1U << 30U, most}) {
    const Divisor by(divisor);
    CHECK(by.divisor() == divisor);
    // Around multiples, where a quotient that is off by a little is off by one, and along the whole range.
    for (std::uint64_t multiple = 0; multiple <= most; multiple += most / 1000 / divisor * divisor + divisor) {
      for (const std::int64_t near : {-1, 0, 1}) {
        const std::int64_t number = static_cast<std::int64_t>(multiple) + near;
        if (number < 0 || number > most) continue;
        REQUIRE(by.quotient(static_cast<std::uint32_t>(number)) == static_cast<std::uint32_t>(number) / divisor);
      }
    }
    CHECK(by.quotient(most) == most / divisor);
  }
}

}  // namespace gpumem::test_divisor
