#pragma once
// The conclusions of the latency probe: the levels as a ladder, compared with that of the CUDA guide.

#include <span>

#include "probes/probe.hpp"

namespace gpumem::hierarchy {

/// See Probe::conclude.
[[nodiscard]] Conclusion conclude_latency(std::span<const Outcome> outcomes);

}  // namespace gpumem::hierarchy
