#pragma once
// What it costs that lanes of a warp part, by what parts them.

#include <span>

#include "probes/probe.hpp"

namespace gpumem::kernels {

[[nodiscard]] Conclusion conclude_divergence(std::span<const Outcome> outcomes);

}  // namespace gpumem::kernels
