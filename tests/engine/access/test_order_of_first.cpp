// Numbers the different lines of requests, one request after another without clearing the table.

#include <algorithm>
#include <random>
#include <vector>

#include "engine/access/order_of_first.hpp"
#include "tests/catch.hpp"

namespace gpumem::access::test_order_of_first {

TEST_CASE("numbers are numbered in the order in which they came first", "[access]") {
  std::mt19937_64 random(3);
  OrderOfFirst order;
  for (int round = 0; round < 5'000; ++round) {
    order.clear();
    CHECK(order.count() == 0);
    const std::uint64_t spread = std::uint64_t{1} << (random() % 7);
    const std::uint64_t step = round % 2 == 0 ? 1 : random();
    std::vector<std::uint64_t> came;
    for (unsigned lane = 0; lane < warp_lanes; ++lane) {
      const std::uint64_t number = random() % spread * step;
      const auto found = std::ranges::find(came, number);
      const auto expected = static_cast<unsigned>(found - came.begin());
      if (found == came.end()) came.push_back(number);
      REQUIRE(order.place_of(number) == expected);
      REQUIRE(order.count() == came.size());
    }
  }
}

}  // namespace gpumem::access::test_order_of_first
