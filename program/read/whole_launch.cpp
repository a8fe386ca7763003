#include "program/read/whole_launch.hpp"

#include <algorithm>
#include <cmath>

namespace gpumem::program {

namespace {

constexpr std::uint64_t inject::Site::*scaled_members[] = {
    &inject::Site::requests,       &inject::Site::active_lanes,     &inject::Site::useful_bytes,
    &inject::Site::sectors,        &inject::Site::least_sectors,    &inject::Site::lines,
    &inject::Site::wavefronts,     &inject::Site::least_wavefronts, &inject::Site::l2_sectors,
    &inject::Site::memory_sectors, &inject::Site::loaded_sectors,   &inject::Site::used_words,
    &inject::Site::l2_requests};

std::uint64_t times_as_many(std::uint64_t sum, double scale) {
  return static_cast<std::uint64_t>(std::llround(static_cast<double>(sum) * scale));
}

/// Times as many blocks as were seen.
double blocks_over_seen(const RawSample& sample, std::uint64_t blocks) {
  if (sample.event.blocks == 0 || sample.event.blocks >= blocks) return 1;
  return static_cast<double>(blocks) / static_cast<double>(sample.event.blocks);
}

WholeLaunch times_the_blocks(const RawSample& sample, double scale) {
  WholeLaunch launch{.sites = sample.sites, .busiest_loads = times_as_many(sample.event.busiest_loads, scale)};
  for (inject::Site& site : launch.sites) {
    const auto looked_at = static_cast<double>(site.requests);
    const double times = scale * (looked_at + static_cast<double>(site.only_counted)) / looked_at;
    if (times == 1) continue;
    for (const auto sum : scaled_members) site.*sum = times_as_many(site.*sum, times);
    site.only_counted = 0;
  }
  return launch;
}

}  // namespace

WholeLaunch whole_launch(const RawSample& sample, std::uint64_t blocks) {
  return times_the_blocks(sample, blocks_over_seen(sample, blocks));
}

WholeLaunch launch_of_other_grid(const RawSample& sample, std::uint64_t seen_of, std::uint64_t blocks) {
  const double each = static_cast<double>(blocks) / static_cast<double>(seen_of);
  return times_the_blocks(sample, blocks_over_seen(sample, seen_of) * each);
}

bool is_whole(const RawSample& sample, std::uint64_t blocks) {
  return blocks_over_seen(sample, blocks) == 1 &&
         std::ranges::all_of(sample.sites, [](const inject::Site& site) { return site.only_counted == 0; });
}

}  // namespace gpumem::program
