#include "program/price/local_traffic.hpp"

#include <algorithm>
#include <cmath>

#include "engine/model/occupancy.hpp"
#include "program/read/raw_words.hpp"

namespace gpumem::program {

namespace {

/// A share that goes from 0 to 1 where `x` passes `half`, the faster the larger `steepness` is.
double share_beyond(double x, double half, double steepness) {
  return x > 0 ? 1 / (1 + std::pow(half / x, steepness)) : 0;
}

/// Shares of sectors that a cache does not have, by how many times its size all that lies there takes. Measured on an
/// H100 (docs/method/programs.md, "A thread's own memory").
double missing_in_l1(double times) { return share_beyond(times, 1.7, 3); }
double missing_in_l2(double times) { return share_beyond(times, 1.3, 5); }
double written_by_l2(double times) { return share_beyond(times, 0.92, 2.4); }

/// Returns the share of the launch's threads that use local memory of their own.
double threads_share(const LaunchSums& launch) {
  double share = launch.spilling_threads_share;
  for (const inject::Site& site : launch.sites) {
    if (is_local(site) && !is_spill(site))
      share = std::max(share, static_cast<double>(site.requests) / warps_of(launch));
  }
  return std::min(share, 1.0);
}

std::uint64_t share_of(std::uint64_t sum, double share) {
  return static_cast<std::uint64_t>(std::llround(share * static_cast<double>(sum)));
}

/// Local memory of resident threads, as a multiple of the cache's size: a multiprocessor's threads over its L1, the
/// whole GPU's threads over L2.
struct Footprint {
  double in_l1 = 0;
  double in_l2 = 0;
};

Footprint footprint_of(const LaunchSums& launch, const model::Profile& profile) {
  const Device& device = profile.device;
  const model::Occupancy occupancy = model::occupancy_of(workload_of(launch), device);
  const double of_block = double{threads_share(launch) * launch.block_threads} * launch.local_bytes_per_thread;
  const auto blocks = static_cast<double>(launch.blocks);
  const double resident = std::min<double>(occupancy.blocks, std::ceil(blocks / device.multiprocessors));
  const double all = std::min<double>(static_cast<double>(occupancy.of_device), blocks);
  // Shared memory is taken out of L1.
  constexpr double least_share = 1.0 / 8;
  const double l1_bytes =
      std::max(profile.rates.l1.bytes * least_share, profile.rates.l1.bytes - resident * launch.shared_bytes_per_block);
  const auto l2_bytes = static_cast<double>(device.l2_bytes);
  return {.in_l1 = l1_bytes > 0 ? resident * of_block / l1_bytes : 0,
          .in_l2 = l2_bytes > 0 ? all * of_block / l2_bytes : 0};
}

}  // namespace

void add_local_traffic(LaunchSums& launch, const model::Profile& profile) {
  if (std::ranges::none_of(launch.sites, is_local)) return;
  const Footprint footprint = footprint_of(launch, profile);
  for (inject::Site& site : launch.sites) {
    if (!is_local(site)) continue;
    if (site.op == inject::RawOp::load) {
      const double missing = missing_in_l1(footprint.in_l1);
      site.l2_sectors = share_of(site.sectors, missing);
      site.l2_requests = share_of(site.lines, missing);
      site.memory_sectors = share_of(site.l2_sectors, missing_in_l2(footprint.in_l2));
      continue;
    }
    site.memory_sectors = share_of(site.sectors, written_by_l2(footprint.in_l2));
    const double fetched = stores_parts(site) ? missing_in_l2(footprint.in_l2) : 0;
    site.loaded_sectors = site.memory_sectors - std::min(site.memory_sectors, share_of(site.sectors, fetched));
  }
}

}  // namespace gpumem::program
