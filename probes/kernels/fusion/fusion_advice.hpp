#pragma once
// What one kernel for all elementwise operations saves against a kernel for each.

#include <span>

#include "probes/probe.hpp"

namespace gpumem::kernels {

[[nodiscard]] Conclusion conclude_fusion(std::span<const Outcome> outcomes);

}  // namespace gpumem::kernels
