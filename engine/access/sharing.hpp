#pragma once
// How much later in a launch comes what uses the same sectors: whether a cache can still have them then.

#include <cstdint>

#include "engine/access/exact.hpp"

namespace gpumem::access {

/// Requests that share sectors with one so much earlier in the launch. Without any that were found, all is 0.
struct Sharing {
  std::uint64_t requests_later = 0;
  bool exactly = false;      ///< and not one earlier or later
  double sector_share = 0;   ///< of the sectors of a request, in the mean
  double element_share = 0;  ///< of its addresses
};

/// The smallest distance over which a request shares a quarter of its sectors, or more, with those around that distance
/// later, and twice as many as with any others. Distances up to two million requests are looked for, at two places of
/// the launch; a distance that varies along the launch is not found. Evaluates some seven thousand requests at most.
[[nodiscard]] Sharing find_sharing(const Requests& launch);

}  // namespace gpumem::access
