#pragma once
// The bandwidth that blocks of a cluster reach in each other's shared memory (distributed shared memory), and by
// multicast.

#include <vector>

#include "engine/model/profile.hpp"
#include "engine/model/workload.hpp"

namespace gpumem::model {

/// The rates of a move: of a block that moves alone; of all that ask one block together; and of all blocks of the GPU
/// together, which share the network between multiprocessors.
using ClusterRates = PerRate<RateId>::Cluster::Move;

/// Returns the rates of a move between blocks. Throws std::logic_error for moves from L2, which have rates of their
/// own.
[[nodiscard]] ClusterRates rates_of(ClusterTraffic::Move move);

/// Combines two limits that the same bytes meet one after the other, in bytes per cycle: (a^-p + b^-p)^(-1/p). The
/// exponent was found with reads by 16 to 132 blocks of an H100.
[[nodiscard]] double behind_each_other(double a, double b);
/// Returns the b of behind_each_other(), given a and the combined limit `together`, which is less than a.
[[nodiscard]] double behind(double a, double together);

/// Returns the bytes per cycle of one block that moves them, alone on its multiprocessor; 0 if a rate that this needs
/// is not known. The network carries whole sectors: a request whose words lie in twice as many takes twice as long.
/// Tiles from L2 take a fixed time each; those that come by multicast take time for their bytes too. The limit of L2
/// itself is left to other stages.
[[nodiscard]] double cluster_bytes_per_cycle(const ClusterTraffic& traffic, const Rates& rates);

/// Returns the rates that cluster_bytes_per_cycle() needs, all of which are measured_only.
[[nodiscard]] std::vector<RateId> cluster_rates(const ClusterTraffic& traffic);

}  // namespace gpumem::model
