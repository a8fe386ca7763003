#include "engine/model/subjects/cluster.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "engine/access/request.hpp"

namespace gpumem::model {

namespace {

using Move = ClusterTraffic::Move;

constexpr double network_exponent = 3;

/// Returns the bytes per cycle that a block receives from L2, tile by tile.
double tiles_bytes_per_cycle(const ClusterTraffic& traffic, const Rates& rates) {
  const auto bytes = static_cast<double>(traffic.bytes);
  const double of_bytes = traffic.move == Move::multicast ? bytes / rates.cluster.multicast_bytes_per_cycle : 0;
  return bytes / (static_cast<double>(traffic.steps) * rates.cluster.tile_step_cycles + of_bytes);
}

}  // namespace

ClusterRates rates_of(Move move) {
  switch (move) {
    case Move::read:
      return rate_ids.cluster.read;
    case Move::write:
      return rate_ids.cluster.write;
    case Move::atomic:
      return rate_ids.cluster.atomic;
    case Move::multicast:
    case Move::fetch:
      break;
  }
  throw std::logic_error("what comes from L2 has rates of its own");
}

double behind_each_other(double a, double b) {
  return std::pow(std::pow(a, -network_exponent) + std::pow(b, -network_exponent), -1 / network_exponent);
}

double behind(double a, double together) {
  return std::pow(std::pow(together, -network_exponent) - std::pow(a, -network_exponent), -1 / network_exponent);
}

std::vector<RateId> needed_rates(const ClusterTraffic& traffic) {
  if (traffic.move == Move::fetch) return {rate_ids.cluster.tile_step_cycles};
  if (traffic.move == Move::multicast)
    return {rate_ids.cluster.tile_step_cycles, rate_ids.cluster.multicast_bytes_per_cycle};
  const ClusterRates rates = rates_of(traffic.move);
  return {rates.alone_bytes_per_cycle, rates.served_bytes_per_cycle, rates.all_bytes_per_cycle};
}

double cluster_bytes_per_cycle(const ClusterTraffic& traffic, const Rates& rates) {
  const auto needed = needed_rates(traffic);
  if (std::ranges::any_of(needed, [&](RateId rate) { return !(rates[rate] > 0); })) return 0;
  if (traffic.move == Move::multicast || traffic.move == Move::fetch) return tiles_bytes_per_cycle(traffic, rates);
  const ClusterRates of_op = rates_of(traffic.move);
  const double of_all = rates[of_op.all_bytes_per_cycle] / static_cast<double>(traffic.movers);
  const double sectors = std::min(behind_each_other(rates[of_op.alone_bytes_per_cycle], of_all),
                                  rates[of_op.served_bytes_per_cycle] / traffic.sharers);
  constexpr double fewest_sectors = access::warp_lanes * access::bank_bytes / double{access::sector_bytes};
  return sectors * fewest_sectors / traffic.sectors;
}

StageTime stage_of(const ClusterTraffic& traffic, const Profile& profile) {
  const double bytes_per_cycle = cluster_bytes_per_cycle(traffic, profile.rates);
  const double cycles = bytes_per_cycle > 0 ? static_cast<double>(traffic.bytes) / bytes_per_cycle : 0;
  return {"cluster", cycles / static_cast<double>(profile.device.sm_clock_hz)};
}

}  // namespace gpumem::model
