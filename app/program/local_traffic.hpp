#pragma once
// What L1 and L2 do not have of local memory, which no cache is simulated for while a launch is seen.

#include "app/program/pricing.hpp"
#include "engine/model/profile.hpp"

namespace gpumem::app {

/// Fills in what the launch's sites of local memory ask of L2 and of device memory, by how much of it all threads that
/// are resident at once have. Of loads, l2_sectors, l2_requests and memory_sectors. Of stores, which all reach L2,
/// memory_sectors are those that L2 writes to memory sooner or later, and those of them that are stored in part and no
/// longer there have to be fetched first: loaded_sectors are the others. docs/method.md ("A thread's own memory") has
/// the curves and what they were measured by.
void add_local_traffic(LaunchSums& launch, const model::Profile& profile);

}  // namespace gpumem::app
