#include "engine/model/cluster.hpp"

#include <algorithm>
#include <cmath>

#include "engine/access/request.hpp"

namespace gpumem::model {

namespace {

using Move = ClusterTraffic::Move;

RateMember rate_of(Move move) {
  switch (move) {
    case Move::read:
      return &Rates::cluster_read_bytes_per_cycle;
    case Move::write:
      return &Rates::cluster_write_bytes_per_cycle;
    case Move::atomic:
      return &Rates::cluster_atomic_bytes_per_cycle;
    default:
      return &Rates::multicast_bytes_per_cycle;
  }
}

}  // namespace

std::vector<RateMember> cluster_rates(const ClusterTraffic& traffic, unsigned cluster_blocks) {
  std::vector<RateMember> needed = {rate_of(traffic.move)};
  if (traffic.move == Move::multicast) return needed;
  if (cluster_blocks > 2) needed.push_back(&Rates::cluster_wide_share);
  if (traffic.sharers > 1) {
    needed.push_back(&Rates::cluster_served_bytes_per_cycle);
    if (traffic.move != Move::read) needed.push_back(&Rates::cluster_read_bytes_per_cycle);
  }
  return needed;
}

double cluster_bytes_per_cycle(const ClusterTraffic& traffic, unsigned cluster_blocks, const Rates& rates) {
  const auto needed = cluster_rates(traffic, cluster_blocks);
  if (std::ranges::any_of(needed, [&](RateMember rate) { return !(rates.*rate > 0); })) return 0;
  const double own = rates.*rate_of(traffic.move);
  if (traffic.move == Move::multicast) return own;
  constexpr double doublings = 3;  // from 2 blocks to 16
  double reached = own;
  if (cluster_blocks > 2) reached *= std::pow(rates.cluster_wide_share, (std::log2(cluster_blocks) - 1) / doublings);
  const double sharers = traffic.sharers;
  if (traffic.sharers > 1) {
    const double of_reads = traffic.move == Move::read ? 1 : own / rates.cluster_read_bytes_per_cycle;
    reached = std::min(reached, of_reads * rates.cluster_served_bytes_per_cycle / sharers);
  }
  constexpr double request_bytes = access::warp_lanes * access::bank_bytes;
  const double in_banks = traffic.wavefronts * sharers / rates.shared_wavefronts_per_cycle;
  return request_bytes / std::max(request_bytes / reached, in_banks);
}

}  // namespace gpumem::model
