#pragma once
// The share of a launch's data that L2 still has from the launch before.

#include "engine/model/demand.hpp"
#include "engine/model/profile.hpp"
#include "engine/model/workload.hpp"

namespace gpumem::model {

/// Returns true if L2 is as large as everything that a launch touches in device memory. Never true with mapped host
/// memory, or if the workload says that L2 is cold.
[[nodiscard]] bool fits_in_l2(const Workload& workload, const Demand& demand, const Device& device);

/// Returns the share, 0 to 1, of a launch that takes as long as if L2 had none of its data, in launches that follow
/// each other; the rest takes as long as if L2 had all of them. It rises about where the data fill L2. Measured on an
/// H100 (docs/method/caches.md, "Data of about the size of L2"). If the launch was simulated, it is 0 or 1.
[[nodiscard]] double memory_share(const Workload& workload, const Demand& demand, const Profile& profile);

}  // namespace gpumem::model
