#pragma once
// What a launch costs, and what batches and graphs save of that.

#include <span>

#include "probes/probe.hpp"

namespace gpumem::kernels {

[[nodiscard]] Conclusion conclude_launch(std::span<const Outcome> outcomes);

}  // namespace gpumem::kernels
