#include <functional>

#include "engine/machine/islands.hpp"
#include "tests/catch.hpp"

namespace gpumem::measure::test_islands {

namespace {

std::vector<Nearness> reaches(std::uint64_t gpus, const std::function<double(std::uint64_t, std::uint64_t)>& gb_per_s) {
  std::vector<Nearness> all;
  for (std::uint64_t source = 0; source < gpus; ++source) {
    for (std::uint64_t target = 0; target < gpus; ++target) {
      if (source != target) all.push_back({source, target, gb_per_s(source, target)});
    }
  }
  return all;
}

}  // namespace

TEST_CASE("GPUs that reach each other much faster than the others stand on islands", "[islands]") {
  const auto two = reaches(8, [](auto a, auto b) { return a / 4 == b / 4 ? 390.0 + static_cast<double>(a) : 41.0; });
  const auto islands = islands_of(two);
  CHECK(islands == std::vector<Island>{{0, 1, 2, 3}, {4, 5, 6, 7}});
  CHECK(on_one_island(islands, 6, 4));
  CHECK_FALSE(on_one_island(islands, 3, 4));
  // Whichever GPUs they are, and however many.
  const auto apart = reaches(5, [](auto a, auto b) { return a % 2 == b % 2 ? 100 : 50; });
  CHECK(islands_of(apart) == std::vector<Island>{{0, 2, 4}, {1, 3}});
}

TEST_CASE("GPUs that are all alike, or of which one pair is slow, stand on no islands", "[islands]") {
  CHECK(islands_of({}).empty());
  CHECK(islands_of(reaches(8, [](auto, auto) { return 394.0; })).empty());
  CHECK(islands_of(reaches(8, [](auto a, auto b) { return a == 1 && b == 5 ? 40.0 : 394.0; })).empty());
  // A GPU whose links are all slow is an island of its own.
  CHECK(islands_of(reaches(4, [](auto a, auto b) { return a == 3 || b == 3 ? 40.0 : 394.0; })) ==
        std::vector<Island>{{0, 1, 2}, {3}});
}

}  // namespace gpumem::measure::test_islands
