#pragma once
// The conclusions of the working-set probe: the capacities behind the knees of its curve, the lines of caches, and the
// bytes that misses fetch.

#include <span>
#include <vector>

#include "probes/probe.hpp"

namespace gpumem::hierarchy {

namespace axis {
inline constexpr Size footprint_bytes{"footprint_bytes"};
inline constexpr Number step_bytes{"step_bytes"};
}  // namespace axis

/// l1_capacity_bytes, l2_near_capacity_bytes, l2_capacity_bytes and tlb_reach_bytes, and of each the bounds
/// `..._low_bytes` and `..._high_bytes` that the readings leave; l1_line_bytes, l1_fetch_bytes and the same of L2.
[[nodiscard]] std::vector<Quantity> working_set_quantities();

/// See Probe::conclude. Capacities come from the cases with the largest step of no more than a line, if there are
/// enough footprints. Lines come from the difference between the largest step of all and the smallest.
[[nodiscard]] Conclusion conclude_working_set(std::span<const Outcome> outcomes);

}  // namespace gpumem::hierarchy
