// That a chase visits every node once before it is back, in an order that is as random as it says.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "probes/chase/chase_order.hpp"
#include "tests/catch.hpp"

namespace gpumem::test_chase_order {

using gpumem::chase::ChaseOrder;
using gpumem::chase::NodePlace;
using gpumem::chase::Permutation;

namespace {

bool is_permutation_of(std::vector<std::uint64_t> visited, std::uint64_t first) {
  std::ranges::sort(visited);
  for (std::size_t i = 0; i < visited.size(); ++i) {
    if (visited[i] != first + i) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("chase: every number below the size comes once, whatever the size", "[chase]") {
  for (std::uint64_t size = 1; size < 300; ++size) {
    const Permutation permutation(size);
    std::vector<std::uint64_t> values;
    for (std::uint64_t x = 0; x < size; ++x) values.push_back(permutation(x));
    CAPTURE(size);
    REQUIRE(is_permutation_of(values, 0));
  }
}

TEST_CASE("chase: it is one cycle through all nodes", "[chase]") {
  for (const std::uint64_t nodes : {1U, 2U, 5U, 64U, 1000U, 3001U}) {
    for (const std::uint64_t page_nodes : {std::uint64_t{1}, std::uint64_t{16}, ~std::uint64_t{0}}) {
      CAPTURE(nodes, page_nodes);
      const ChaseOrder order(nodes, page_nodes);
      std::vector<std::uint64_t> links(nodes);
      for (std::uint64_t k = 0; k < nodes; ++k) links[order(k)] = order.next(k);
      std::vector<std::uint64_t> visited;
      std::uint64_t node = order(0);
      for (std::uint64_t k = 0; k < nodes; ++k) {
        REQUIRE(node == order(k));
        visited.push_back(node);
        node = links[node];
      }
      CHECK(node == order(0));
      CHECK(is_permutation_of(visited, 0));
    }
  }
}

TEST_CASE("chase: paged, each page is finished before the next begins", "[chase]") {
  constexpr std::uint64_t page = 64;
  const ChaseOrder order(5 * page + 7, page);
  for (std::uint64_t begin = 0; begin < order.nodes(); begin += page) {
    std::vector<std::uint64_t> visited;
    for (std::uint64_t k = begin; k < std::min(begin + page, order.nodes()); ++k) visited.push_back(order(k));
    CHECK(is_permutation_of(visited, begin));
  }
}

TEST_CASE("chase: no step is like another, so that no prefetcher learns them", "[chase]") {
  constexpr std::uint64_t nodes = 100'000;
  const ChaseOrder order(nodes, nodes);
  std::vector<std::int64_t> steps;
  double distance = 0;
  for (std::uint64_t k = 0; k < nodes; ++k) {
    steps.push_back(static_cast<std::int64_t>(order.next(k)) - static_cast<std::int64_t>(order(k)));
    distance += static_cast<double>(std::abs(steps.back()));
  }
  CHECK(distance / nodes == Approx(nodes / 3.0).epsilon(0.02));  // of two random places
  std::ranges::sort(steps);
  std::size_t longest = 0;  // run of the same step
  for (std::size_t i = 0, run = 0; i < steps.size(); ++i) {
    run = i > 0 && steps[i] == steps[i - 1] ? run + 1 : 1;
    longest = std::max(longest, run);
  }
  CHECK(longest < 20);
}

TEST_CASE("chase: nodes are scattered over all sectors of their steps, and stay within", "[chase]") {
  constexpr NodePlace place{256};
  std::vector<unsigned> used(8);
  for (std::uint64_t node = 0; node < 8000; ++node) {
    REQUIRE(place(node) / 256 == node);
    REQUIRE(place(node) % 32 == 0);
    ++used[place(node) % 256 / 32];
  }
  for (const unsigned times : used) CHECK(times == Approx(1000).epsilon(0.1));
  static_assert(NodePlace{32}(5) == 160);
  static_assert(NodePlace{256, false}(5) == 1280);
}

TEST_CASE("chase: device and host evaluate it as a constant too", "[chase]") {
  static_assert(ChaseOrder(8, 8).next(7) == ChaseOrder(8, 8)(0));
  static_assert(ChaseOrder(1, 8)(0) == 0);
}

}  // namespace gpumem::test_chase_order
