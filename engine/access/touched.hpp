#pragma once
// The sectors that requests touch, as a list: for launches that touch few, wherever they lie.

#include <cstdint>
#include <vector>

#include "engine/access/request.hpp"
#include "engine/access/site.hpp"

namespace gpumem::access {

struct TouchedSector {
  std::uint64_t sector;
  std::uint32_t bytes;  ///< a bit per byte of the sector
};

/// Adds the sectors of a request's active lanes; one that several lanes touch may be added several times.
void append_sectors(const WarpRequest& request, std::vector<TouchedSector>& touched);

/// Sorts by sector and folds what several requests touched of one sector together.
void merge(std::vector<TouchedSector>& touched);

/// The blocks that a merged list touches.
[[nodiscard]] Footprint count(const std::vector<TouchedSector>& merged);

}  // namespace gpumem::access
