#pragma once
// What keeps a hot set in L2 beside a stream, and what that gains.

#include <span>

#include "probes/probe.hpp"

namespace gpumem::cache {

/// For cases of any sizes and ways. Gains are over the same hot set beside the stream with nothing done for it: alone
/// it is L2 that limits how fast it is read.
[[nodiscard]] Conclusion conclude_persistence(std::span<const Outcome> outcomes);

}  // namespace gpumem::cache
