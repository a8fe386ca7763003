#pragma once
// The axes of the probes of tiles in shared memory.

#include <vector>

#include "probes/axis.hpp"

namespace gpumem::shared_pattern {

/// Returns those of `shared-pattern`, whose tile is an expression.
[[nodiscard]] std::vector<Axis> expression_axes();

/// Returns those of `shared-indices`, whose tile is an index array.
[[nodiscard]] std::vector<Axis> list_axes();

}  // namespace gpumem::shared_pattern
