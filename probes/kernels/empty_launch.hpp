#pragma once
// What a launch costs however little its kernel does.

#include "probes/measure/session.hpp"
#include "probes/measure/statistics.hpp"

namespace gpumem::kernels {

/// A launch of an empty kernel, one of many queued behind each other.
[[nodiscard]] measure::Seconds time_empty_launch(measure::Session& session);

}  // namespace gpumem::kernels
