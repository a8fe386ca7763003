#include "program/price/reloads.hpp"

#include <algorithm>

#include "engine/access/request.hpp"
#include "engine/base/thresholds.hpp"
#include "engine/model/occupancy.hpp"
#include "program/read/raw_words.hpp"

namespace gpumem::program {

namespace {

constexpr double often = 8;           // times that a sector comes from L2, from which on blocks load it again
constexpr double once_a_block = 1.5;  // beyond, blocks load their own data again, as L1 is too small for it
constexpr double enough_blocks = 2;   // times as many as the GPU holds at once

bool is_reloaded(double l2_sectors, double memory_sectors) {
  return memory_sectors > 0 && l2_sectors >= often * memory_sectors;
}

/// Returns the work with only this share of the sectors that blocks load again.
report::LaunchWork with_share(report::LaunchWork work, double share) {
  for (report::SiteWork& row : work.sites) {
    if (row.op != access::Op::load || !is_reloaded(row.l2_sectors, row.memory_sectors)) continue;
    const double kept = std::max(share, row.memory_sectors / row.l2_sectors);
    row.l2_sectors *= kept;
    row.l2_requests *= kept;
  }
  return work;
}

}  // namespace

std::optional<Reloads> reloads_of(const LaunchSums& launch, const std::vector<inject::Site>& seen,
                                  const Pricing& pricing, const model::Profile& profile) {
  const PricedLaunch& priced_now = pricing.as_it_is();
  if (priced_now.bottleneck != "l2_sectors" && priced_now.bottleneck != "l2_requests") return std::nullopt;
  Reloads reloads;
  double loaded = 0;
  double different = 0;
  double most = 0;
  for (std::size_t i = 0; i < std::min(seen.size(), launch.sites.size()); ++i) {
    const inject::Site& site = launch.sites[i];
    const auto l2_sectors = static_cast<double>(site.l2_sectors);
    const auto memory_sectors = static_cast<double>(site.memory_sectors);
    const bool is_load = site.space == inject::RawSpace::global && op_of(site) == access::Op::load;
    if (!is_load || !is_reloaded(l2_sectors, memory_sectors)) continue;
    loaded += l2_sectors;
    different += std::min(memory_sectors, static_cast<double>(seen[i].memory_sectors));
    if (l2_sectors > most) {
      most = l2_sectors;
      reloads.site = i;
    }
  }
  const auto blocks = static_cast<double>(launch.blocks);
  if (different == 0 || loaded > once_a_block * blocks * different) return std::nullopt;
  const Workload workload = workload_of(pricing.work(), profile.device);
  const auto places = static_cast<double>(model::occupancy_of(workload, profile.device).of_device);
  if (blocks < enough_blocks * places) return std::nullopt;

  const double share = places / blocks;
  const PricedLaunch cured = priced(with_share(pricing.work(), share), workload, profile, priced_now.in_l2);
  const double as_it_is = priced_now.seconds;
  if (!(as_it_is - cured.seconds >= least_saving * as_it_is)) return std::nullopt;
  const double times = launch.measured_s.value_or(as_it_is) / as_it_is;
  const auto saved = [&](double cured_s) { return std::max(0.0, as_it_is - cured_s) * times; };
  const double error = usual_error(cured.bottleneck);
  reloads.array_bytes = different * access::sector_bytes;
  reloads.times_loaded = loaded / different;
  reloads.saved_bytes = (loaded - std::max(different, share * loaded)) * access::sector_bytes;
  reloads.saving = {saved(cured.seconds), {saved(cured.seconds * error), saved(cured.seconds / error)}};
  return reloads;
}

}  // namespace gpumem::program
