#pragma once
// How many warps it takes to keep the memory busy.

#include <span>

#include "probes/probe.hpp"

namespace gpumem::kernels {

/// See Probe::conclude. Of any limits.
[[nodiscard]] Conclusion conclude_occupancy(std::span<const Outcome> outcomes);

}  // namespace gpumem::kernels
