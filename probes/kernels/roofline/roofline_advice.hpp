#pragma once
// What the roofline shows: where memory's slope meets the roof of arithmetic.

#include <span>
#include <vector>

#include "probes/probe.hpp"

namespace gpumem::kernels {

/// ridge_flop_per_byte.
[[nodiscard]] std::vector<Quantity> roofline_quantities();

/// See Probe::conclude. Of one type.
[[nodiscard]] Conclusion conclude_roofline(std::span<const Outcome> outcomes);

}  // namespace gpumem::kernels
