#pragma once
// The bandwidth that blocks of a cluster reach in each other's shared memory (distributed shared memory), and by
// multicast.

#include <cstdint>
#include <vector>

#include "engine/model/profile.hpp"
#include "engine/model/stage_time.hpp"

namespace gpumem {

/// Data that the blocks of a cluster move through the network that joins their multiprocessors.
struct ClusterTraffic {
  /// `read`, `write` and `atomic` access the shared memory of another block. `multicast` loads from L2 into that of all
  /// blocks of the cluster, `fetch` from L2 into each block's own.
  enum class Move { read, write, atomic, multicast, fetch };
  Move move = Move::read;
  std::uint64_t movers = 1;  ///< blocks of the launch that move some
  std::uint64_t bytes = 0;   ///< of each; of a multicast, what each receives
  std::uint64_t steps = 0;   ///< tiles in which a block uses them, one by one; only if they come from L2
  double sectors = 4;        ///< in which the words of a request (128 bytes) lie
  unsigned sharers = 1;      ///< blocks that ask the same block at once
};

}  // namespace gpumem

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

/// Returns the time that a block's bytes take, which is a stage of its launch; 0 if it is not known.
[[nodiscard]] StageTime stage_of(const ClusterTraffic& traffic, const Profile& profile);

/// Returns the rates that cluster_bytes_per_cycle() needs, all of which are measured_only.
[[nodiscard]] std::vector<RateId> needed_rates(const ClusterTraffic& traffic);

}  // namespace gpumem::model
