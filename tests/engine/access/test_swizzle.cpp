// Swizzles of shared memory.

#include <set>

#include "engine/access/swizzle.hpp"
#include "tests/catch.hpp"

namespace gpumem::access::test_swizzle {

// Swizzle<3,0,5>: bits 5 to 7 are XORed into bits 0 to 2.
static_assert(Swizzle{3, 0, 5}(0) == 0 && Swizzle{3, 0, 5}(31) == 31);
static_assert(Swizzle{3, 0, 5}(32) == 33 && Swizzle{3, 0, 5}(7 * 32) == 7 * 32 + 7);
static_assert(Swizzle{3, 0, 5}(8 * 32) == 8 * 32);  // bit 8 is beyond
// Swizzle<2,3,4>: bits 7 and 8 into bits 3 and 4.
static_assert(Swizzle{2, 3, 4}(128) == 128 + 8 && Swizzle{2, 3, 4}(384 + 5) == 384 + 24 + 5);
// With a negative shift: bits 0 to 2 into bits 5 to 7.
static_assert(Swizzle{3, 0, -5}(3) == 3 + 96 && Swizzle{3, 0, -5}(32) == 32);
static_assert(Swizzle{3, 3, -3}(8) == 8 + 64);
static_assert(Swizzle{}(12'345) == 12'345);

TEST_CASE("a swizzle is a permutation, and its own inverse") {
  constexpr std::uint64_t elements = 4096;
  for (const Swizzle swizzle : {Swizzle{3, 0, 5}, Swizzle{5, 0, 5}, Swizzle{2, 4, 3}, Swizzle{3, 3, -4}}) {
    std::set<std::uint64_t> places;
    for (std::uint64_t element = 0; element < elements; ++element) {
      const std::uint64_t place = swizzle(element);
      CHECK(swizzle(place) == element);
      places.insert(place);
    }
    CHECK(places.size() == elements);
    CHECK(*places.rbegin() == elements - 1);
  }
}

}  // namespace gpumem::access::test_swizzle
