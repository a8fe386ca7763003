#pragma once
// The step from one request of a launch to the next.

#include <cstdint>
#include <vector>

#include "engine/access/lane_pattern.hpp"
#include "engine/access/pattern_shape.hpp"

namespace gpumem::access {

/// Returns the lowest, the highest and the mean value; if 19 of 20 are the same, that value for all three. All are 0
/// without values.
[[nodiscard]] Spread spread_of(std::vector<std::int64_t> values);

/// Describes the steps within `runs`, each of neighbouring requests of the launch. `lanes` is the shape of most of
/// them.
[[nodiscard]] StepShape step_shape(const std::vector<std::vector<LanePattern>>& runs, const LaneShape& lanes,
                                   std::uint64_t range_bytes);

}  // namespace gpumem::access
