#pragma once
// Finds how much later in a launch requests use the same sectors, which tells if a cache can still have them then.

#include <cstdint>

#include "engine/access/exact.hpp"

namespace gpumem::access {

/// The distance between requests that share sectors, and how much they share. All is 0 if none were found.
struct Sharing {
  std::uint64_t requests_later = 0;
  bool exactly = false;      ///< not one earlier or later
  double sector_share = 0;   ///< of the sectors of a request, in the mean
  double element_share = 0;  ///< of its addresses
};

/// Finds the smallest distance at which requests share sectors. A request shares at least a quarter of its sectors with
/// the requests around that distance later, and twice as many as with any others. Looks for distances of up to two
/// million requests, at two places of the launch; does not find a distance that varies along the launch. Evaluates some
/// seven thousand requests at most.
[[nodiscard]] Sharing find_sharing(const Requests& launch);

}  // namespace gpumem::access
