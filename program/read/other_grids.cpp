#include "program/read/other_grids.hpp"

#include <algorithm>
#include <cmath>

#include "engine/access/request.hpp"

namespace gpumem::program {

OtherGrids::OtherGrids(const std::vector<MergedKernel>& kernels,
                       const std::function<bool(const MergedKernel&)>& is_known) {
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (is_known(kernels[i])) grids_[{kernels[i].name, kernels[i].device}].emplace_back(warps_of(kernels[i]), i);
  }
  for (auto& [kernel, grids] : grids_) std::ranges::sort(grids);
}

std::optional<std::size_t> OtherGrids::nearest(const MergedKernel& kernel, double most_times) const {
  const auto found = grids_.find({kernel.name, kernel.device});
  if (found == grids_.end()) return std::nullopt;
  const Grids& grids = found->second;
  const double warps = warps_of(kernel);
  const auto times = [&](const auto& grid) { return std::max(grid->first / warps, warps / grid->first); };
  const auto above = std::ranges::lower_bound(grids, warps, {}, &std::pair<double, std::size_t>::first);
  auto best = above;
  if (above == grids.end() || (above != grids.begin() && times(std::prev(above)) < times(above)))
    best = std::prev(above);
  return times(best) <= most_times ? std::optional(best->second) : std::nullopt;
}

double warps_of(const MergedKernel& kernel) {
  return static_cast<double>(kernel.blocks) * std::ceil(kernel.block_threads / double{access::warp_lanes});
}

}  // namespace gpumem::program
