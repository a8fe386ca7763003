#pragma once
// Launches of the same kernel with other grids, where nothing is known of those with one grid.

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "program/read/merge.hpp"

namespace gpumem::program {

class OtherGrids {
 public:
  /// Keeps the kernels for which `is_known` returns true.
  OtherGrids(const std::vector<MergedKernel>& kernels, const std::function<bool(const MergedKernel&)>& is_known);

  /// The index of the one with the nearest number of warps, at most so many times as large or as small.
  [[nodiscard]] std::optional<std::size_t> nearest(const MergedKernel& kernel, double most_times) const;

 private:
  using Grids = std::vector<std::pair<double, std::size_t>>;    ///< warps of a launch and index, by warps
  std::map<std::pair<std::string, std::size_t>, Grids> grids_;  ///< by name and device
};

/// Warps of a launch.
[[nodiscard]] double warps_of(const MergedKernel& kernel);

}  // namespace gpumem::program
