#pragma once
// What the ways to transpose a matrix cost beside copying it.

#include <span>

#include "probes/probe.hpp"

namespace gpumem::kernels::transpose {

/// For the cases of one type: of the largest matrix of them.
[[nodiscard]] Conclusion conclude_transpose(std::span<const Outcome> outcomes);

}  // namespace gpumem::kernels::transpose
