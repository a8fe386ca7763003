#pragma once
// What blocks of a cluster reach in each other's shared memory (distributed shared memory), and by multicast.

#include <vector>

#include "engine/model/profile.hpp"
#include "engine/model/workload.hpp"

namespace gpumem::model {

/// The rates of an op in bytes per cycle: of a block that moves alone; of all that ask one block together; and of all
/// blocks of the GPU together, which share the network between multiprocessors.
struct ClusterRates {
  RateMember alone;
  RateMember served;
  RateMember all;
};

/// Throws std::logic_error for what comes from L2, which has rates of its own.
[[nodiscard]] ClusterRates rates_of(ClusterTraffic::Move move);

/// Two limits that the same bytes meet one after the other, in bytes per cycle: (a^-p + b^-p)^(-1/p). The exponent is
/// of reads by 16 to 132 blocks of an H100.
[[nodiscard]] double behind_each_other(double a, double b);
/// The b of that, given a and what both together reach, less than a.
[[nodiscard]] double behind(double a, double together);

/// Bytes per cycle of one block that moves them, alone on its multiprocessor; 0 where a rate that it takes is not
/// known. The network carries whole sectors: a request whose words lie in more of them takes as many times as long.
/// What comes from L2 takes so much for each tile, and what comes by multicast so much for its bytes too. That L2 is a
/// limit, other stages say.
[[nodiscard]] double cluster_bytes_per_cycle(const ClusterTraffic& traffic, const Rates& rates);

/// The rates that it takes, all of which are measured only.
[[nodiscard]] std::vector<RateMember> cluster_rates(const ClusterTraffic& traffic);

}  // namespace gpumem::model
