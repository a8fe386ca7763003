#pragma once
// GPUs that are close to each other and far from the rest.

#include <cstdint>
#include <span>
#include <vector>

#include "probes/peer/rounds.hpp"

namespace gpumem::peer {

/// What a pair reaches.
struct Reach {
  Pair pair;
  double bytes_per_s = 0;
};

using Island = std::vector<std::uint64_t>;  ///< GPUs, ascending

/// The islands, where there are at least two of which one has more than one GPU: pairs on one island reach much more
/// than any pair of two of them. Else empty. Each ordered pair at most once.
[[nodiscard]] std::vector<Island> islands_of(std::span<const Reach> pairs);

}  // namespace gpumem::peer
