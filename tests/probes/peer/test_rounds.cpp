#include <set>

#include "probes/peer/peer_case.hpp"
#include "tests/catch.hpp"

namespace gpumem::peer::test_rounds {

TEST_CASE("a pair copies beside as many others as there are GPUs for, and no GPU is in two of them", "[peer]") {
  for (std::uint64_t gpus = 2; gpus <= 17; ++gpus) {
    for (std::uint64_t source = 0; source < gpus; ++source) {
      for (std::uint64_t target = 0; target < gpus; ++target) {
        if (source == target) continue;
        CAPTURE(gpus, source, target);
        const std::vector<Pair> pairs = disjoint_pairs({source, target}, gpus);
        REQUIRE(pairs.front() == Pair{source, target});
        CHECK(pairs.size() == gpus / 2);
        std::set<std::uint64_t> busy;
        for (const Pair& pair : pairs) {
          CHECK((pair.source < pair.target) == (source < target));
          CHECK(busy.insert(pair.source).second);
          CHECK(busy.insert(pair.target).second);
          CHECK(std::max(pair.source, pair.target) < gpus);
        }
      }
    }
  }
}

TEST_CASE("pairs that copy at once are the same ones, whichever of them it is about", "[peer]") {
  for (const Pair& other : disjoint_pairs({1, 6}, 8)) {
    std::set<std::uint64_t> first;
    std::set<std::uint64_t> second;
    for (const Pair& pair : disjoint_pairs({1, 6}, 8)) first.insert(pair.source * 8 + pair.target);
    for (const Pair& pair : disjoint_pairs(other, 8)) second.insert(pair.source * 8 + pair.target);
    CHECK(first == second);
  }
}

}  // namespace gpumem::peer::test_rounds
