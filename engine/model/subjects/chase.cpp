#include "engine/model/subjects/chase.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "engine/access/request.hpp"
#include "engine/model/subjects/queueing.hpp"

namespace gpumem::model {

namespace {

/// The share of a footprint that a chase through it misses in a cache (probes/hierarchy/working_set/knees.hpp fits the
/// same form). A chase comes back to a line after all others: were the oldest line always replaced, it would miss
/// everything at once (a large sharpness); were its accesses independent, it would miss what does not fit (1).
double missed_share(double footprint_bytes, double capacity_bytes, double sharpness) {
  return 1 - std::pow(std::min(capacity_bytes / footprint_bytes, 1.0), sharpness);
}

/// The same where L2 holds `capacity_bytes`, and the chase visits each line once: all sets fill alike, and lines
/// replaced are the oldest. Measured on an H100 and an H200 (docs/method/caches.md).
double missed_lines(double footprint_bytes, double capacity_bytes) {
  constexpr double width = 0.065;
  return footprint_bytes <= capacity_bytes ? 0 : 1 - std::exp((1 - footprint_bytes / capacity_bytes) / width);
}

}  // namespace

std::span<const LatencyLevel> latency_levels() {
  static constexpr LatencyLevel levels[] = {{"register", rate_ids.latency.register_cycles},
                                            {"shared", rate_ids.latency.shared_cycles},
                                            {"cluster", rate_ids.latency.cluster_cycles},
                                            {"l1", rate_ids.latency.l1_cycles},
                                            {"texture", rate_ids.latency.texture_cycles},
                                            {"constant", rate_ids.latency.constant_cycles},
                                            {"constant-far", rate_ids.latency.constant_far_cycles},
                                            {"local", rate_ids.latency.local_cycles},
                                            {"l2", rate_ids.latency.l2_cycles},
                                            {"l2-far", rate_ids.latency.l2_far_cycles},
                                            {"memory", rate_ids.latency.memory_cycles},
                                            {"host", rate_ids.latency.host_cycles}};
  return levels;
}

double step_cycles(const Chase& chase, const Profile& profile) {
  const Rates& rates = profile.rates;
  if (!chase.level.empty()) {
    for (const LatencyLevel& level : latency_levels()) {
      if (level.name != chase.level) continue;
      const MemoryLoad load{chase.traffic_share, chase.written_share};
      return rates[level.cycles] + (load.share > 0 ? queue_cycles(level.name, load, rates) : 0);
    }
    throw std::logic_error("no latency is known of the level " + chase.level);
  }
  const auto l2_bytes = static_cast<double>(profile.device.l2_bytes);
  const double footprint_bytes = static_cast<double>(std::max<std::uint64_t>(chase.lines, 1)) * access::line_bytes;
  const auto missed_in = [&](double bytes) {
    return missed_share(footprint_bytes, bytes, rates.latency.miss_sharpness);
  };
  // Half of L2 is near, if not all of it. The rate is where the first loads miss.
  const double near_bytes = rates.l2.near_share < 1 ? l2_bytes / 2 : l2_bytes;
  struct Cache {
    double missed;  ///< the share of steps that it does not answer
    double cycles;
  };
  const Cache caches[] = {
      {missed_in(rates.l1.bytes), rates.latency.l1_cycles},
      {chase.lines_once ? missed_lines(footprint_bytes, near_bytes) : missed_in(rates.l2.near_share * l2_bytes),
       rates.latency.l2_cycles},
      {chase.lines_once ? missed_lines(footprint_bytes, l2_bytes) : missed_in(l2_bytes), rates.latency.l2_far_cycles}};
  double cycles = 0;
  double left = 1;  // the share of steps that no cache so far has answered
  for (const Cache& cache : caches) {
    const double missed = std::min(left, cache.missed);
    cycles += (left - missed) * cache.cycles;
    left = missed;
  }
  return cycles + left * rates.latency.memory_cycles;
}

std::vector<RateId> needed_rates(const Chase& chase) {
  return chase.traffic_share > 0 ? queue_rates(chase.level, chase.written_share) : std::vector<RateId>{};
}

}  // namespace gpumem::model
