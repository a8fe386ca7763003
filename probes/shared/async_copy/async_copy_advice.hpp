#pragma once
// Which way from global to shared memory reaches the memory's bandwidth with the fewest bytes in flight.

#include <span>

#include "probes/probe.hpp"

namespace gpumem::shared {

/// For the cases of one number of threads. The outcomes of a way get saturating_in_flight_bytes, the fewest that reach
/// 95 % of the best bandwidth among all of them; those of a way that never does get none.
[[nodiscard]] Conclusion conclude_async_copy(std::span<const Outcome> outcomes);

}  // namespace gpumem::shared
