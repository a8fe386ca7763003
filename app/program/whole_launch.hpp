#pragma once
// What a whole launch accessed, by what was seen of it: some of its blocks, and of some requests the number alone.

#include <cstdint>
#include <vector>

#include "app/program/raw_data.hpp"

namespace gpumem::app {

/// A launch that is inferred.
struct WholeLaunch {
  std::vector<inject::Site> sites;
  std::uint64_t busiest_loads = 0;
};

/// Of a launch of so many blocks: each site has as many requests more as there are blocks that were not seen, and all
/// are taken to be like those that were looked at. So is what caches have of them, although other blocks may share
/// sectors with those that were seen, and all together may not fit L2 where a part does.
[[nodiscard]] WholeLaunch whole_launch(const RawSample& sample, std::uint64_t blocks);

/// Whether every request of a launch of so many blocks was looked at.
[[nodiscard]] bool is_whole(const RawSample& sample, std::uint64_t blocks);

}  // namespace gpumem::app
