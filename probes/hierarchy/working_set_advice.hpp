#pragma once
// What the working-set probe concludes: the capacities behind the knees of its curve.

#include <span>
#include <vector>

#include "probes/probe.hpp"

namespace gpumem::hierarchy {

/// l1_capacity_bytes, l2_near_capacity_bytes, l2_capacity_bytes and tlb_reach_bytes, and of each the bounds
/// `..._low_bytes` and `..._high_bytes` that the readings leave.
[[nodiscard]] std::vector<Quantity> working_set_quantities();

/// See Probe::conclude. Of each step by itself, where there are enough footprints to tell.
[[nodiscard]] Conclusion conclude_working_set(std::span<const Outcome> outcomes);

}  // namespace gpumem::hierarchy
