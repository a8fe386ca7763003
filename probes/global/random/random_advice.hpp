#pragma once
// What random accesses cost within the L2 and beyond it.

#include <span>

#include "probes/probe.hpp"

namespace gpumem::global {

/// For the cases of one op and word size over footprints. All get half_rate_footprint_bytes if one of them is less than
/// half as fast as the fastest.
[[nodiscard]] Conclusion conclude_random(std::span<const Outcome> outcomes);

}  // namespace gpumem::global
