#pragma once
// What a launch costs however little its kernel does.

#include "engine/measure/session.hpp"
#include "engine/statistics/statistics.hpp"

namespace gpumem::kernels {

/// A launch of an empty kernel, one of many queued behind each other.
[[nodiscard]] measure::Seconds time_empty_launch(measure::Session& session);

}  // namespace gpumem::kernels
