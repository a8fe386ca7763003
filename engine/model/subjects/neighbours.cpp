#include "engine/model/subjects/neighbours.hpp"

#include <algorithm>
#include <limits>

#include "engine/access/request.hpp"

namespace gpumem::model {

namespace {

/// The share of L2 that a persisting window keeps (an H100 keeps nearly all of up to 16 MiB of data, and less of more
/// than 20 MiB).
constexpr double kept_by_window = 0.375;
/// The share of L2 that may be taken by data that are read in a fixed order again and again, together with the data
/// that pass meanwhile (an H100, 50 MiB: found again at 43 MiB, in part at 45, lost at 48).
constexpr double kept_in_turn = 0.9;

double seconds_of_port(unsigned multiprocessors, double bytes_per_cycle, const Profile& profile) {
  return 1 / (std::max(multiprocessors, 1U) * bytes_per_cycle * static_cast<double>(profile.device.sm_clock_hz));
}

/// Sets the rate that a flow reaches alone. The stage in which each byte takes longest limits it.
Flow with_rate_alone(Flow flow) {
  flow.alone_bytes_per_s = 1 / std::ranges::max(flow.seconds_per_byte);
  flow.weight = flow.alone_bytes_per_s;
  return flow;
}

Flow neighbour_flow(unsigned multiprocessors, const Profile& profile) {
  Flow flow;
  flow.of(SharedStage::neighbour_ports) =
      seconds_of_port(multiprocessors, profile.rates.l2.port_bytes_per_cycle, profile);
  flow.of(SharedStage::l2) = 1 / (profile.rates.l2.load_sectors_per_s * access::sector_bytes);
  flow.of(SharedStage::memory) = 1 / profile.rates.dram.read_bytes_per_s;
  return with_rate_alone(flow);
}

/// Returns the flow of a victim that finds all of its bytes in L2.
Flow victim_flow(const Neighbours& neighbours, const Profile& profile) {
  const Rates& rates = profile.rates;
  Flow flow;
  switch (neighbours.victim) {
    case Neighbours::Victim::l2:
      flow.of(SharedStage::victim_ports) =
          seconds_of_port(neighbours.victim_multiprocessors, rates.l2.port_bytes_per_cycle, profile);
      flow.of(SharedStage::l2) = 1 / (rates.l2.load_sectors_per_s * access::sector_bytes);
      break;
    case Neighbours::Victim::atomics:
      flow.of(SharedStage::victim_ports) =
          seconds_of_port(neighbours.victim_multiprocessors, rates.atomics.port_bytes_per_cycle, profile);
      flow.of(SharedStage::l2) = 1 / (rates.atomics.sectors_per_s * access::sector_bytes);
      break;
    case Neighbours::Victim::link:
      flow.of(SharedStage::link) = 1 / rates.link.to_device_bytes_per_s;
      flow.of(SharedStage::memory) = 1 / rates.dram.write_bytes_per_s;
      break;
  }
  return with_rate_alone(flow);
}

/// Returns the seconds of memory time that a byte takes if L2 has lost it. The byte is read; if atomics have changed
/// it, it was also written back before.
double seconds_of_miss(Neighbours::Victim victim, const Rates& rates) {
  switch (victim) {
    case Neighbours::Victim::l2:
      return 1 / rates.dram.read_bytes_per_s;
    case Neighbours::Victim::atomics:
      return 2 / rates.dram.copy_bytes_per_s;
    case Neighbours::Victim::link:
      break;
  }
  return 0;
}

/// True if the victim finds its data in L2 again, at these rates: the data must fit into L2 together with the bytes
/// that the neighbour reads between two accesses of the victim to a byte.
bool finds_again(const Neighbours& neighbours, const Profile& profile, double victim, double neighbour) {
  const auto bytes = static_cast<double>(neighbours.victim_bytes);
  return bytes * (1 + neighbour / victim) <= kept_in_turn * static_cast<double>(profile.device.l2_bytes);
}

/// Returns the share of the victim's accesses that L2 does not answer if the stream drives its data out, all but the
/// part that a window keeps.
double driven_out(const Neighbours& neighbours, const Profile& profile) {
  if (neighbours.victim == Neighbours::Victim::link) return 0;
  if (!neighbours.persists) return 1;
  const double kept_bytes = kept_by_window * static_cast<double>(profile.device.l2_bytes);
  return 1 - std::min(kept_bytes / std::max(static_cast<double>(neighbours.victim_bytes), 1.0), 1.0);
}

/// The bytes/s that both reach at once.
struct BesideRates {
  double victim;
  double neighbour;
};
/// `missed_share` is the share of the victim's accesses that L2 does not answer.
BesideRates beside_rates(const Neighbours& neighbours, const Profile& profile, double missed_share) {
  Flow victim = victim_flow(neighbours, profile);
  Flow beside = neighbour_flow(neighbours.neighbour_beside_multiprocessors, profile);
  // Loads that miss share memory by how many of them there are, and each multiprocessor has as many.
  const double waited_for = neighbours.victim == Neighbours::Victim::l2 ? missed_share : 0;
  const double multiprocessors = neighbours.victim_multiprocessors + neighbours.neighbour_beside_multiprocessors;
  const auto weigh = [&](Flow& flow, unsigned its_multiprocessors) {
    const double of_misses = profile.rates.dram.read_bytes_per_s * its_multiprocessors / multiprocessors;
    flow.weight = (1 - waited_for) * flow.alone_bytes_per_s + waited_for * of_misses;
  };
  weigh(victim, neighbours.victim_multiprocessors);
  weigh(beside, neighbours.neighbour_beside_multiprocessors);
  victim.of(SharedStage::memory) += missed_share * seconds_of_miss(neighbours.victim, profile.rates);
  const std::vector<double> rates = filled(std::array{victim, beside});
  return {rates[0], rates[1]};
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
  // The stream was there before: what the victim reads first, it has to read from memory.
  double missed = driven_out(neighbours, profile);
  BesideRates beside = beside_rates(neighbours, profile, missed);
  if (missed > 0 && finds_again(neighbours, profile, beside.victim, beside.neighbour)) {
    missed = 0;
    beside = beside_rates(neighbours, profile, missed);
  }
  return {.victim_alone = victim_flow(neighbours, profile).alone_bytes_per_s,
          .victim_beside = beside.victim,
          .neighbour_alone = neighbour_flow(neighbours.neighbour_multiprocessors, profile).alone_bytes_per_s,
          .neighbour_beside = beside.neighbour,
          .missed_share = missed};
}

std::vector<RateId> needed_rates(const Neighbours& neighbours) {
  if (neighbours.victim != Neighbours::Victim::atomics) return {rate_ids.l2.port_bytes_per_cycle};
  return {rate_ids.l2.port_bytes_per_cycle, rate_ids.atomics.port_bytes_per_cycle, rate_ids.atomics.sectors_per_s};
}

}  // namespace gpumem::model
