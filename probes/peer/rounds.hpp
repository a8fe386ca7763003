#pragma once
// Which pairs of a machine's GPUs work at the same time without sharing a GPU.

#include <cstdint>
#include <vector>

namespace gpumem::peer {

/// From a GPU to another, by their indices.
struct Pair {
  std::uint64_t source = 0;
  std::uint64_t target = 0;
  bool operator==(const Pair&) const = default;
};

/// The pair and as many others as there can be, each GPU in one of them at most: the round of a round-robin tournament
/// (circle method) that the pair meets in. All go from the lower index to the higher, or all the other way, as the pair
/// does; the pair comes first. Both are below `gpus`, and not the same.
[[nodiscard]] std::vector<Pair> disjoint_pairs(const Pair& pair, std::uint64_t gpus);

}  // namespace gpumem::peer
