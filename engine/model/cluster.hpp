#pragma once
// What blocks of a cluster reach in each other's shared memory (distributed shared memory), and by multicast.

#include <vector>

#include "engine/model/profile.hpp"
#include "engine/model/workload.hpp"

namespace gpumem::model {

/// Bytes per cycle of one block that moves them, alone on its multiprocessor; 0 where a rate that it takes is not
/// known. Each op has a rate between two blocks. In larger clusters a constant share of it is lost with every doubling,
/// cluster_wide_share being what is left with 16 blocks. Blocks that ask the same one share what that one serves; for
/// reads that is a rate, for writes and atomics it is taken to be in proportion. A request takes no less than the
/// wavefronts of all sharers in the banks of the block asked.
[[nodiscard]] double cluster_bytes_per_cycle(const ClusterTraffic& traffic, unsigned cluster_blocks,
                                             const Rates& rates);

/// The rates that it takes, all of which are measured only.
[[nodiscard]] std::vector<RateMember> cluster_rates(const ClusterTraffic& traffic, unsigned cluster_blocks);

}  // namespace gpumem::model
