#include "engine/model/neighbours.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/access/request.hpp"

namespace gpumem::model {

namespace {

/// The most of L2 that a program sets aside for persisting accesses (CUDA C++ Programming Guide, L2 set-aside).
constexpr double most_set_aside = 0.75;

double seconds_of_port(unsigned multiprocessors, double bytes_per_cycle, const Profile& profile) {
  return 1 / (std::max(multiprocessors, 1U) * bytes_per_cycle * static_cast<double>(profile.device.sm_clock_hz));
}

/// With nothing beside it, a flow is as fast as the stage that each byte takes longest of allows.
Flow with_rate_alone(Flow flow) {
  flow.alone_bytes_per_s = 1 / std::ranges::max(flow.seconds_per_byte);
  flow.weight = flow.alone_bytes_per_s;
  return flow;
}

Flow neighbour_flow(unsigned multiprocessors, const Profile& profile) {
  Flow flow;
  flow.of(SharedStage::neighbour_ports) =
      seconds_of_port(multiprocessors, profile.rates.l2_port_bytes_per_cycle, profile);
  flow.of(SharedStage::l2) = 1 / (profile.rates.l2_load_sectors_per_s * access::sector_bytes);
  flow.of(SharedStage::memory) = 1 / profile.rates.dram_read_bytes_per_s;
  return with_rate_alone(flow);
}

/// Of a victim that finds all of its bytes in L2.
Flow victim_flow(const Neighbours& neighbours, const Profile& profile) {
  const Rates& rates = profile.rates;
  Flow flow;
  switch (neighbours.victim) {
    case Neighbours::Victim::l2:
      flow.of(SharedStage::victim_ports) =
          seconds_of_port(neighbours.victim_multiprocessors, rates.l2_port_bytes_per_cycle, profile);
      flow.of(SharedStage::l2) = 1 / (rates.l2_load_sectors_per_s * access::sector_bytes);
      break;
    case Neighbours::Victim::atomics:
      flow.of(SharedStage::victim_ports) =
          seconds_of_port(neighbours.victim_multiprocessors, rates.atomic_port_bytes_per_cycle, profile);
      flow.of(SharedStage::l2) = 1 / (rates.atomic_sectors_per_s * access::sector_bytes);
      break;
    case Neighbours::Victim::link:
      flow.of(SharedStage::link) = 1 / rates.pcie_to_device_bytes_per_s;
      flow.of(SharedStage::memory) = 1 / rates.dram_write_bytes_per_s;
      break;
  }
  return with_rate_alone(flow);
}

/// What a byte that L2 has lost takes of memory: it is read, and what atomics have changed was written back before.
double seconds_of_miss(Neighbours::Victim victim, const Rates& rates) {
  switch (victim) {
    case Neighbours::Victim::l2:
      return 1 / rates.dram_read_bytes_per_s;
    case Neighbours::Victim::atomics:
      return 2 / rates.dram_copy_bytes_per_s;
    case Neighbours::Victim::link:
      break;
  }
  return 0;
}

/// What L2 keeps of data that all multiprocessors read: where it is of two parts, each keeps a copy of its own.
double kept_bytes(const Profile& profile) {
  const auto l2_bytes = static_cast<double>(profile.device.l2_bytes);
  return profile.rates.l2_near_share < 1 ? l2_bytes / 2 : l2_bytes;
}

/// The share of the victim's accesses that L2 does not answer. Between two accesses to a byte all other bytes of the
/// victim pass through L2, and what the neighbour reads in that time: were the oldest always evicted, nothing would be
/// missed up to the capacity and everything beyond. The sharpness says how close to that L2 is (chase.cpp has the same
/// form for footprints).
double missed_share(const Neighbours& neighbours, const Profile& profile, double victim, double neighbour) {
  if (neighbours.victim == Neighbours::Victim::link || victim <= 0) return 0;
  const double l2_bytes = kept_bytes(profile);
  const double bytes = std::max(static_cast<double>(neighbours.victim_bytes), 1.0);
  const double passing = bytes * (1 + neighbour / victim);
  const double kept = neighbours.persists ? std::min(most_set_aside * l2_bytes / bytes, 1.0) : 0;
  return (1 - kept) * (1 - std::pow(std::min(l2_bytes / passing, 1.0), profile.rates.miss_sharpness));
}

}  // namespace

std::vector<double> filled(std::span<const Flow> flows) {
  constexpr double nothing_left = 1e-12;
  std::vector<double> rates(flows.size(), 0);
  std::vector<bool> rises(flows.size(), true);
  std::array<double, shared_stages> left{};
  left.fill(1);
  double level = 0;  // of those that still rise, in weights
  while (std::ranges::find(rises, true) != rises.end()) {
    std::array<double, shared_stages> needed{};  // by those that rise, for a level of 1
    for (std::size_t i = 0; i < flows.size(); ++i) {
      for (std::size_t stage = 0; rises[i] && stage < shared_stages; ++stage) {
        needed[stage] += flows[i].weight * flows[i].seconds_per_byte[stage];
      }
    }
    double step = std::numeric_limits<double>::max();
    for (std::size_t i = 0; i < flows.size(); ++i) {
      if (rises[i]) step = std::min(step, flows[i].alone_bytes_per_s / flows[i].weight - level);
    }
    for (std::size_t stage = 0; stage < shared_stages; ++stage) {
      if (needed[stage] > 0) step = std::min(step, left[stage] / needed[stage]);
    }
    level += step;
    for (std::size_t stage = 0; stage < shared_stages; ++stage) left[stage] -= step * needed[stage];
    for (std::size_t i = 0; i < flows.size(); ++i) {
      if (!rises[i]) continue;
      rates[i] = level * flows[i].weight;
      if (rates[i] >= flows[i].alone_bytes_per_s * (1 - nothing_left)) rises[i] = false;
      for (std::size_t stage = 0; stage < shared_stages; ++stage) {
        if (left[stage] <= nothing_left && flows[i].seconds_per_byte[stage] > 0) rises[i] = false;
      }
    }
  }
  return rates;
}

NeighbourRates neighbour_rates(const Neighbours& neighbours, const Profile& profile) {
  const Flow victim = victim_flow(neighbours, profile);
  Flow beside = neighbour_flow(neighbours.neighbour_beside_multiprocessors, profile);
  const double reached_beside = beside.alone_bytes_per_s;
  const double multiprocessors = neighbours.victim_multiprocessors + neighbours.neighbour_beside_multiprocessors;
  NeighbourRates found{
      .victim_alone = victim.alone_bytes_per_s,
      .neighbour_alone = neighbour_flow(neighbours.neighbour_multiprocessors, profile).alone_bytes_per_s};
  // How much is missed depends on how fast both are, and that on how much is missed.
  constexpr int rounds = 100;
  for (int round = 0; round < rounds; ++round) {
    Flow slowed = victim;
    slowed.of(SharedStage::memory) += found.missed_share * seconds_of_miss(neighbours.victim, profile.rates);
    const auto weigh = [&](Flow& flow, double alone, unsigned its_multiprocessors) {
      const double of_misses = profile.rates.dram_read_bytes_per_s * its_multiprocessors / multiprocessors;
      const double waited_for = neighbours.victim == Neighbours::Victim::l2 ? found.missed_share : 0;
      flow.weight = (1 - waited_for) * alone + waited_for * of_misses;
    };
    weigh(slowed, victim.alone_bytes_per_s, neighbours.victim_multiprocessors);
    weigh(beside, reached_beside, neighbours.neighbour_beside_multiprocessors);
    const std::vector<double> rates = filled(std::array{slowed, beside});
    found.victim_beside = rates[0];
    found.neighbour_beside = rates[1];
    const double missed = missed_share(neighbours, profile, rates[0], rates[1]);
    found.missed_share = (found.missed_share + missed) / 2;
  }
  return found;
}

}  // namespace gpumem::model
