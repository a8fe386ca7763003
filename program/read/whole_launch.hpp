#pragma once
// The accesses of a whole launch, inferred from what was seen of it: some of its blocks, and only the number of some
// requests.

#include <cstdint>
#include <vector>

#include "program/read/raw_data.hpp"

namespace gpumem::program {

/// A launch that is inferred.
struct WholeLaunch {
  std::vector<inject::Site> sites;
  std::uint64_t busiest_loads = 0;
};

/// Infers the accesses of a launch of `blocks` blocks. The requests of each site are scaled up to all blocks, and all
/// are taken to be like those that were looked at. So is what caches have of them, although other blocks may share
/// sectors with those that were seen, and all together may not fit L2 where a part does.
[[nodiscard]] WholeLaunch whole_launch(const RawSample& sample, std::uint64_t blocks);

/// Infers the accesses of a launch of another grid: each of its `blocks` blocks does as much as one of the launch that
/// was seen, which had `seen_of` blocks.
[[nodiscard]] WholeLaunch launch_of_other_grid(const RawSample& sample, std::uint64_t seen_of, std::uint64_t blocks);

/// Returns true if every request of a launch of `blocks` blocks was looked at.
[[nodiscard]] bool is_whole(const RawSample& sample, std::uint64_t blocks);

}  // namespace gpumem::program
