#pragma once
// One request of a launch to the next.

#include <cstdint>
#include <vector>

#include "engine/access/lane_pattern.hpp"
#include "engine/access/pattern_shape.hpp"

namespace gpumem::access {

/// Of no value, all is 0.
[[nodiscard]] Spread spread_of(std::vector<std::int64_t> values);

/// `runs` are neighbouring requests of the launch, `lanes` what most of them look like.
[[nodiscard]] StepShape step_shape(const std::vector<std::vector<LanePattern>>& runs, const LaneShape& lanes,
                                   std::uint64_t range_bytes);

}  // namespace gpumem::access
