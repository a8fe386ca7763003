#pragma once
// What the latency probe concludes: the levels as a ladder, held against the one of the CUDA guide.

#include <span>

#include "probes/probe.hpp"

namespace gpumem::hierarchy {

/// See Probe::conclude.
[[nodiscard]] Conclusion conclude_latency(std::span<const Outcome> outcomes);

}  // namespace gpumem::hierarchy
