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

struct Shares {
  double missing_in_l1 = 0;
  double missing_in_l2 = 0;
  double written_by_l2 = 0;
};

/// Returns the shares by the local memory of resident threads: a multiprocessor's threads over its L1, the whole GPU's
/// threads over L2. `of_block` is the local memory of a block, in bytes.
Shares shares_of(const Workload& workload, double of_block, const model::Profile& profile) {
  const Device& device = profile.device;
  const model::Occupancy occupancy = model::occupancy_of(workload, device);
  const auto blocks = static_cast<double>(workload.blocks);
  const double resident = std::min<double>(occupancy.blocks, std::ceil(blocks / device.multiprocessors));
  const double all = std::min<double>(static_cast<double>(occupancy.of_device), blocks);
  // Shared memory is taken out of L1.
  constexpr double least_share = 1.0 / 8;
  const double l1_bytes = std::max(profile.rates.l1.bytes * least_share,
                                   profile.rates.l1.bytes - resident * workload.shared_bytes_per_block);
  const auto l2_bytes = static_cast<double>(device.l2_bytes);
  const double in_l1 = l1_bytes > 0 ? resident * of_block / l1_bytes : 0;
  const double in_l2 = l2_bytes > 0 ? all * of_block / l2_bytes : 0;
  return {.missing_in_l1 = missing_in_l1(in_l1),
          .missing_in_l2 = missing_in_l2(in_l2),
          .written_by_l2 = written_by_l2(in_l2)};
}

std::uint64_t share_of(std::uint64_t sum, double share) {
  return static_cast<std::uint64_t>(std::llround(share * static_cast<double>(sum)));
}

/// The loads of a row, as another GPU's caches have them.
void miss(report::SiteWork& site, const Shares& shares) {
  SectorSpread spread;
  if (site.memory_sectors > 0) {
    spread = {.atoms = site.atoms / site.memory_sectors,
              .lines = site.memory_lines / site.memory_sectors,
              .line_pairs = site.memory_line_pairs / site.memory_sectors};
  }
  site.l2_sectors = site.sectors * shares.missing_in_l1;
  site.l2_requests = site.lines * shares.missing_in_l1;
  site.memory_sectors = site.l2_sectors * shares.missing_in_l2;
  site.atoms = site.memory_sectors * spread.atoms;
  site.memory_lines = site.memory_sectors * spread.lines;
  site.memory_line_pairs = site.memory_sectors * spread.line_pairs;
}

}  // namespace

double local_threads_share(const LaunchSums& launch) {
  double share = launch.spilling_threads_share;
  for (const inject::Site& site : launch.sites) {
    if (is_local(site) && !is_spill(site))
      share = std::max(share, static_cast<double>(site.requests) / warps_of(launch));
  }
  return std::min(share, 1.0);
}

void add_local_traffic(LaunchSums& launch, const model::Profile& profile) {
  if (std::ranges::none_of(launch.sites, is_local)) return;
  const double of_block = double{local_threads_share(launch) * launch.block_threads} * launch.local_bytes_per_thread;
  const Shares shares = shares_of(workload_of(launch), of_block, profile);
  for (inject::Site& site : launch.sites) {
    if (!is_local(site)) continue;
    if (site.op == inject::RawOp::load) {
      site.l2_sectors = share_of(site.sectors, shares.missing_in_l1);
      site.l2_requests = share_of(site.lines, shares.missing_in_l1);
      site.memory_sectors = share_of(site.l2_sectors, shares.missing_in_l2);
      continue;
    }
    site.memory_sectors = share_of(site.sectors, shares.written_by_l2);
    const double fetched = stores_parts(site) ? shares.missing_in_l2 : 0;
    site.loaded_sectors = site.memory_sectors - std::min(site.memory_sectors, share_of(site.sectors, fetched));
  }
}

void set_local_traffic(report::LaunchWork& work, const model::Profile& profile) {
  const double of_block = work.local_threads_share * work.block_threads * work.local_bytes_per_thread;
  const Shares shares = shares_of(workload_of(work, profile.device), of_block, profile);
  for (report::SiteWork& site : work.sites) {
    if (site.space != access::Space::local) continue;
    if (site.op == access::Op::load) {
      miss(site, shares);
      continue;
    }
    site.written_sectors = site.memory_sectors = site.sectors * shares.written_by_l2;
    const double fetched = stores_parts(site) ? site.sectors * shares.missing_in_l2 : 0;
    site.partial_sectors = std::min(site.written_sectors, fetched);
  }
}

}  // namespace gpumem::program
