#include "engine/model/cluster.hpp"

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
  const double of_bytes = traffic.move == Move::multicast ? bytes / rates.multicast_bytes_per_cycle : 0;
  return bytes / (static_cast<double>(traffic.steps) * rates.tile_step_cycles + of_bytes);
}

}  // namespace

ClusterRates rates_of(Move move) {
  switch (move) {
    case Move::read:
      return {&Rates::cluster_read_bytes_per_cycle, &Rates::cluster_read_served_bytes_per_cycle,
              &Rates::cluster_read_all_bytes_per_cycle};
    case Move::write:
      return {&Rates::cluster_write_bytes_per_cycle, &Rates::cluster_write_served_bytes_per_cycle,
              &Rates::cluster_write_all_bytes_per_cycle};
    case Move::atomic:
      return {&Rates::cluster_atomic_bytes_per_cycle, &Rates::cluster_atomic_served_bytes_per_cycle,
              &Rates::cluster_atomic_all_bytes_per_cycle};
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

std::vector<RateMember> cluster_rates(const ClusterTraffic& traffic) {
  if (traffic.move == Move::fetch) return {&Rates::tile_step_cycles};
  if (traffic.move == Move::multicast) return {&Rates::tile_step_cycles, &Rates::multicast_bytes_per_cycle};
  const ClusterRates rates = rates_of(traffic.move);
  return {rates.alone, rates.served, rates.all};
}

double cluster_bytes_per_cycle(const ClusterTraffic& traffic, const Rates& rates) {
  const auto needed = cluster_rates(traffic);
  if (std::ranges::any_of(needed, [&](RateMember rate) { return !(rates.*rate > 0); })) return 0;
  if (traffic.move == Move::multicast || traffic.move == Move::fetch) return tiles_bytes_per_cycle(traffic, rates);
  const ClusterRates of_op = rates_of(traffic.move);
  const double of_all = rates.*of_op.all / static_cast<double>(traffic.movers);
  const double sectors = std::min(behind_each_other(rates.*of_op.alone, of_all), rates.*of_op.served / traffic.sharers);
  constexpr double fewest_sectors = access::warp_lanes * access::bank_bytes / double{access::sector_bytes};
  return sectors * fewest_sectors / traffic.sectors;
}

}  // namespace gpumem::model
