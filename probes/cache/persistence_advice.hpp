#pragma once
// How much of a hot set's speed outlives a stream, and what keeps more of it.

#include <span>

#include "probes/probe.hpp"

namespace gpumem::cache {

/// For cases of any sizes and ways. The share that is kept is of the speed of the same hot set alone.
[[nodiscard]] Conclusion conclude_persistence(std::span<const Outcome> outcomes);

}  // namespace gpumem::cache
