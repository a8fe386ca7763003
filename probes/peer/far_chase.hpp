#pragma once
// Measures the latency of a load that crosses from one GPU to another.

#include "engine/measure/session.hpp"

namespace gpumem::peer {

/// Nanoseconds per step of a chase by one thread of `session`'s GPU through memory of the other's, whose L2 holds it.
/// Waits. Throws a probe error, also if the chase ended at a wrong place.
[[nodiscard]] double far_latency_ns(measure::Session& session, measure::Session& other);

}  // namespace gpumem::peer
