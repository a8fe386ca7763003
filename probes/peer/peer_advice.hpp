#pragma once
// What the pairs of GPUs of a machine show together.

#include <span>
#include <vector>

#include "probes/probe.hpp"

namespace gpumem::peer {

[[nodiscard]] std::vector<Quantity> concluded_of_peers();

/// Which way is fastest; which islands the GPUs stand on; where the way through the host is faster than the straight
/// one, and what usually causes that; what pairs lose to each other at once.
[[nodiscard]] Conclusion conclude_peers(std::span<const Outcome> outcomes);

}  // namespace gpumem::peer
