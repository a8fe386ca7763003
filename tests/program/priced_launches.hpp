#pragma once
// Launches of sites that a test describes, as an H200 is predicted to run them.

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/model/predict.hpp"
#include "program/price/pricing.hpp"
#include "program/watch/sites/site_table.hpp"
#include "tests/program/raw_writer.hpp"

namespace gpumem::program::priced_launches {

using gpumem::test::streaming;
using inject::RawOp;

constexpr std::uint64_t requests = 1 << 20;

inline const model::Profile& h200() {
  static const model::Profile profile = model::load_profile("h200");
  return profile;
}

/// Returns the share of the launch's predicted time that the marked sites could save. Without marks, all wasteful sites
/// count as marked.
inline double saved_share(const LaunchSums& launch, std::vector<bool> good = {}) {
  const Pricing pricing(launch, h200());
  if (good.empty()) {
    for (const inject::Site& site : launch.sites) good.push_back(is_wasteful(site));
  }
  return pricing.saving({.good = std::move(good)}).seconds / pricing.as_it_is().seconds;
}

inline LaunchSums launch_of(std::vector<inject::Site> sites) {
  return {.sites = std::move(sites),
          .blocks = requests / 64,
          .block_threads = 256,
          .shared_bytes_per_block = 0,
          .registers_per_thread = 32};
}

inline double seconds(const LaunchSums& launch) { return Pricing(launch, h200()).as_it_is().seconds; }

inline double stage_seconds(const LaunchSums& launch, std::string_view name) {
  const PricedLaunch priced = Pricing(launch, h200()).as_it_is();
  const auto found = std::ranges::find(priced.stages, name, &model::StageTime::stage);
  return found == priced.stages.end() ? 0 : found->seconds;
}

}  // namespace gpumem::program::priced_launches
