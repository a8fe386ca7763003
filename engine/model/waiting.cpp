#include "engine/model/waiting.hpp"

#include <algorithm>

#include "engine/model/occupancy.hpp"
#include "engine/model/subjects/queueing.hpp"

namespace gpumem::model {

namespace {

/// The device's places for blocks, and the blocks that each place takes one after another in a launch.
struct Residency {
  double resident;   ///< blocks of a multiprocessor at once
  double turnovers;  ///< blocks per place; below 1 for a launch that leaves places empty

  Residency(const Workload& workload, const Device& device) : Residency(workload, occupancy_of(workload, device)) {}
  Residency(const Workload& workload, const Occupancy& occupancy)
      : resident(occupancy.blocks),
        turnovers(static_cast<double>(workload.blocks) / static_cast<double>(occupancy.of_device)) {}

  /// The rounds of waiting that a place goes through in a launch.
  [[nodiscard]] double rounds(const Workload& workload) const {
    return workload.waits > 1 ? std::max(turnovers, 1.0) * workload.waits : turnovers;
  }
};

/// The share of the loaded sectors that memory has to deliver: 0 if the launch is `cached`, else the first load of
/// each.
double share_of_memory(const Demand& demand, bool cached) {
  if (cached) return 0;
  return demand.l2.load_sectors > 0 ? demand.l2.first_sectors / demand.l2.load_sectors : 1;
}

double written_share(const Demand& demand) {
  const double bytes = demand.dram.read_bytes + demand.dram.write_bytes;
  return bytes > 0 ? demand.dram.write_bytes / bytes : 0;
}

bool knows_queues(const Rates& rates, double written) {
  return std::ranges::all_of(queue_rates("memory", written), [&](RateId rate) { return rates[rate] > 0; });
}

/// Seconds until a thread has what it loads from memory, by the queues of memory. If those are not known, the time is
/// interpolated between an idle memory and a busy one.
double memory_seconds(const MemoryLoad& load, const Profile& profile, bool queues_known) {
  const Rates& rates = profile.rates;
  const auto seconds = [&](double cycles) { return cycles / static_cast<double>(profile.device.sm_clock_hz); };
  if (queues_known) return seconds(rates.latency.memory_cycles + queue_cycles("memory", load, rates));
  const double idle = std::min(seconds(rates.latency.memory_cycles), rates.waiting.load_latency_s);
  return idle + (rates.waiting.load_latency_s - idle) * load.share;
}

/// The share of the launch for which memory is busy. Memory is busy for `memory_s`, and the launch takes
/// `seconds_at(share)`, or `memory_s` if that is longer. A busier memory makes the launch longer, and a longer launch
/// makes memory less busy: there is exactly one such share.
template <class SecondsAt>
double busy_share(double memory_s, const SecondsAt& seconds_at) {
  double low = 0;
  double high = 1;
  if (seconds_at(high) <= memory_s) return high;
  constexpr int halvings = 20;
  for (int i = 0; i < halvings; ++i) {
    const double share = (low + high) / 2;
    (share * seconds_at(share) < memory_s ? low : high) = share;
  }
  return high;
}

/// Seconds for which memory has nothing to do in a launch whose chains are known, `loads_s` after blocks ask for more.
/// Memory serves all blocks that the device has places for alike. So they have their loads at about the same time, and
/// compute at the same time. A block whose warps wait for each other computes when the last of its n warps has its
/// loads, in the mean after n / (n + 1) of a round if the warps' loads come at any time of it. In the rest of the round
/// memory serves other blocks.
double idle_memory_seconds(const Workload& workload, double memory_s, double turnovers, double loads_s,
                           double cycle_s) {
  const Chain& warp = workload.chains->mean;
  const double turns = std::max(turnovers, 1.0);
  const double round_s = memory_s / turns / std::max(warp.waits, 1.0);
  const double others_s = round_s / static_cast<double>(workload.warps_of_block() + 1);
  // Without loads nobody waits for memory, and a part of the warps may have none.
  const double loading = std::min(warp.waits, 1.0);
  return loading * turns * std::max(loads_s + warp.cycles * cycle_s - others_s, 0.0);
}

}  // namespace

Waiting waiting_of(const Workload& workload, const Demand& demand, const Profile& profile, double memory_s,
                   bool cached) {
  const Rates& rates = profile.rates;
  const Residency places(workload, profile.device);
  if (demand.over_link) {
    const double seconds = places.turnovers * rates.link.latency_s;
    return {.even_s = seconds, .uneven_s = seconds};
  }
  const double cycle_s = 1 / static_cast<double>(profile.device.sm_clock_hz);
  const double from_memory = share_of_memory(demand, cached);
  const double written = written_share(demand);
  const double l2_s = cycle_s * (rates.l2.near_share * rates.latency.l2_cycles +
                                 (1 - rates.l2.near_share) * rates.latency.l2_far_cycles);
  // A place stays empty until the block's last warp ends, the longer the fewer other blocks there are to fill in.
  const double drain = rates.waiting.block_drain_share / places.resident;
  const double drained = workload.waits > 1 ? 1 : 1 + drain;
  const double turns = demand.loads ? from_memory * (demand.turns - 1) * rates.waiting.load_turn_s : 0;
  const bool queues_known = knows_queues(rates, written);
  const bool waits_for_stores = demand.stores && workload.waits == 1 && !(demand.loads && queues_known);
  const double stores = waits_for_stores ? rates.waiting.store_latency_s : 0;
  const auto loads_at = [&](double busy) {
    if (!demand.loads) return 0.0;
    return from_memory * memory_seconds({busy, written}, profile, queues_known) + (1 - from_memory) * l2_s;
  };
  const auto waiting = [&](double busy) -> Waiting {
    const double loads = loads_at(busy);
    Waiting found;
    if (const auto& chains = workload.chains) {
      const auto chain_s = [&](const Chain& chain) { return chain.waits * loads + chain.cycles * cycle_s; };
      const double besides = places.turnovers * (stores * drained + loads * (drained - 1));
      found.even_s = places.turnovers * chain_s(chains->mean) + besides;
      found.uneven_s = std::max(chain_s(chains->longest), places.turnovers * chain_s(chains->busiest)) + besides;
    } else {
      if (workload.in_step) found.barriers_s = places.rounds(workload) * loads * drain;
      found.even_s = found.uneven_s = places.rounds(workload) * ((loads + stores) * drained + turns);
    }
    return found;
  };
  Waiting found = waiting(busy_share(memory_s, [&](double busy) { return waiting(busy).uneven_s; }));
  if (workload.in_step && workload.chains)
    found.barriers_s = idle_memory_seconds(workload, memory_s, places.turnovers, loads_at(0), cycle_s);
  return found;
}

}  // namespace gpumem::model
