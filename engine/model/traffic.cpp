#include "engine/model/traffic.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "engine/model/cache_simulation.hpp"
#include "engine/model/store_merging.hpp"

namespace gpumem::model {

namespace {

using access::WarpRequest;

constexpr double Traffic::*all_members[] = {
    &Traffic::l1_wavefronts,    &Traffic::l1_store_passes,    &Traffic::store_collisions,
    &Traffic::l2_read_requests, &Traffic::l2_read_sectors,    &Traffic::l2_write_requests,
    &Traffic::l2_write_sectors, &Traffic::l2_split_sectors,   &Traffic::l2_shared_requests,
    &Traffic::fetched_lines,    &Traffic::fetched_line_pairs, &Traffic::fetched_bytes,
    &Traffic::written_lines,    &Traffic::written_line_pairs, &Traffic::written_bytes,
    &Traffic::filled_lines,     &Traffic::filled_line_pairs,  &Traffic::filled_bytes,
    &Traffic::mixed_lines,      &Traffic::mixed_groups,       &Traffic::incomplete_sectors};

/// Lines that warps next to each other store to in all their turns, on average of a few blocks.
double lines_of_warps(const Workload& workload, const access::Site& site) {
  constexpr std::uint64_t looked_at = 8;
  constexpr std::uint64_t neighbours = 8;
  const std::uint64_t warps = workload.warps_of_block();
  std::vector<WarpRequest> requests(std::min(warps, neighbours));
  std::vector<std::uint64_t> lines;
  double sum = 0;
  const std::uint64_t blocks = std::min(looked_at, workload.blocks);
  for (std::uint64_t k = 0; k < blocks; ++k) {
    const std::uint64_t block = k * workload.blocks / blocks;
    lines.clear();
    for (unsigned turn = 0; turn < site.instructions; ++turn) {
      for (WarpRequest& request : requests) request = {.word_bytes = site.word_bytes};
      site.fill((block * site.instructions + turn) * warps, requests);
      for (const WarpRequest& request : requests) {
        for (std::uint32_t lanes = request.active; lanes != 0; lanes &= lanes - 1) {
          lines.push_back(request.address[std::countr_zero(lanes)] / access::line_bytes);
        }
      }
    }
    std::ranges::sort(lines);
    lines.erase(std::ranges::unique(lines).begin(), lines.end());
    sum += static_cast<double>(lines.size());
  }
  return sum / static_cast<double>(blocks);
}

/// Takes off what multiprocessors merge before it reaches L2.
void merge_stores(Traffic& traffic, const StoreMerging& merging, double store_requests) {
  const double sectors = (traffic.l2_write_sectors + traffic.l2_split_sectors) * merging.sectors_share;
  traffic.l2_split_sectors *= merging.few_share;
  traffic.l2_write_sectors = std::max(0.0, sectors - traffic.l2_split_sectors);
  traffic.l2_shared_requests *= merging.few_share;
  traffic.l2_write_requests *= merging.lines_share;
  traffic.store_collisions *= merging.lines_share;
  traffic.contended_stores = merging.contended_share * store_requests;
}

constexpr double sampled_lookups = 1U << 22U;  // that are simulated soon

/// Enough lines to know the launch by, few enough to be done soon.
unsigned log2_rate_of(double lines, double lookups) {
  constexpr double sampled_lines = 1U << 17U;
  constexpr double fewest_lines = 1U << 14U;  // of which some may be asked for far more than others
  constexpr unsigned most = 6;
  const double wanted = std::max(lines / sampled_lines, std::min(lookups / sampled_lookups, lines / fewest_lines));
  return std::min(most, static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(wanted))));
}

}  // namespace

void Traffic::add(const Traffic& other) {
  for (const auto member : all_members) this->*member += other.*member;
}

Traffic Traffic::times(double factor) const {
  Traffic product = *this;
  for (const auto member : all_members) product.*member *= factor;
  return product;
}

std::optional<Traffic> traffic_of(const Workload& workload, const Profile& profile, unsigned log2_fewer_lines) {
  double lines = 0;
  double lookups = 0;
  double bytes = 0;
  double loads = 0;
  double stores = 0;
  for (const access::Site& site : workload.sites) {
    if (!in_device_memory(site, profile.device)) continue;
    (site.op == access::Op::load ? loads : stores) += static_cast<double>(site.requests);
    if (!site.fill || !site.summary) return std::nullopt;
    // Extrapolated, the lines may be those of a walk down columns that has not come to the next lines yet.
    lines += std::max(site.summary->footprint.lines, site.summary->footprint.sectors / sectors_of_line);
    bytes += site.summary->footprint.sectors * access::sector_bytes;
    lookups += static_cast<double>(site.requests) * site.summary->cost.lines_per_request;
  }
  if (lookups == 0) return std::nullopt;
  constexpr std::uint64_t short_launch = std::uint64_t{1} << 25U;  // accesses of a site
  constexpr double beyond_l2 = 4;                                  // times its size, of which little is found again
  constexpr double far_beyond_l2 = 16;
  unsigned log2_rate = log2_rate_of(lines, lookups);
  const auto l2 = static_cast<double>(profile.device.l2_bytes);
  const std::uint64_t accesses = workload.blocks * workload.block_threads * workload.sites.front().instructions;
  const bool is_long = accesses >= short_launch || (accesses >= short_launch / 2 && bytes > far_beyond_l2 * l2) ||
                       std::ldexp(lookups, -static_cast<int>(log2_rate)) > 2 * sampled_lookups;
  constexpr double fewest_lines = 1U << 12U;
  for (; log2_fewer_lines > 0 && std::ldexp(lines, -static_cast<int>(log2_rate)) > 2 * fewest_lines; --log2_fewer_lines)
    ++log2_rate;
  std::optional<CacheSimulation::Part> part;
  if (is_long) part = CacheSimulation(workload, profile, log2_rate).parts(lines);
  if (!part) part = CacheSimulation(workload, profile, log2_rate).all(bytes < beyond_l2 * l2);
  if (part->lookups == 0) return std::nullopt;
  Traffic traffic = part->traffic.times(lookups / part->lookups);
  if (part->load_requests > 0) traffic.l1_wavefronts = part->traffic.l1_wavefronts * loads / part->load_requests;
  if (part->store_requests > 0) traffic.l1_store_passes = part->traffic.l1_store_passes * stores / part->store_requests;
  for (const access::Site& site : workload.sites) {
    if (site.op == access::Op::store && in_device_memory(site, profile.device))
      traffic.stored_lines_of_warps = lines_of_warps(workload, site);
  }
  if (stores > 0) merge_stores(traffic, store_merging(workload, profile.device), stores);
  if (part->weights > 0) traffic.collision_unevenness = part->unevenness / part->weights;
  traffic.incomplete_lines = std::ldexp(part->incomplete_lines / part->waves, static_cast<int>(log2_rate));
  return traffic;
}

}  // namespace gpumem::model
