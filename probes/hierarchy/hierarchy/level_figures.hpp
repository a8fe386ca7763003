#pragma once
// Figures of a level of memory beside its bandwidth: how much it holds, and how far away it is.

#include <optional>
#include <string>

#include "engine/measure/session.hpp"

namespace gpumem::hierarchy {

/// Bytes that one multiprocessor can keep at a level of the hierarchy probe: measured of L1, whose size the driver does
/// not tell, else what device and host say of themselves. Throws a probe error if a chase fails.
[[nodiscard]] double capacity_bytes(const std::string& level, measure::Session& session);

/// Cycles of a dependent load from there, as the probe `latency` measures them; absent if its chase went astray.
[[nodiscard]] std::optional<double> latency_of(const std::string& level, measure::Session& session);

}  // namespace gpumem::hierarchy
