#pragma once
// Sectors of local memory that L1 and L2 do not have: no cache is simulated for them while a launch is seen.

#include "engine/model/profile.hpp"
#include "program/price/pricing.hpp"

namespace gpumem::program {

/// Fills in what the launch's sites of local memory ask of L2 and of device memory. It depends on how much local memory
/// all resident threads have together. Loads get l2_sectors, l2_requests and memory_sectors. Stores all reach L2: their
/// memory_sectors are the sectors that L2 writes to memory sooner or later. Sectors that are stored in part and no
/// longer in L2 have to be fetched first; loaded_sectors are the others. docs/method/programs.md ("A thread's own
/// memory") has the curves and what they were measured by.
void add_local_traffic(LaunchSums& launch, const model::Profile& profile);

/// Sets the same of a launch that another GPU was seen to run.
void set_local_traffic(report::LaunchWork& work, const model::Profile& profile);

/// Returns the share of the launch's threads that use local memory of their own.
[[nodiscard]] double local_threads_share(const LaunchSums& launch);

}  // namespace gpumem::program
