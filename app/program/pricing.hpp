#pragma once
// What the model makes of a launch that was seen: its time as it is, and with accesses as good as they could be.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/program/site_demand.hpp"
#include "engine/model/profile.hpp"
#include "engine/model/schedule.hpp"
#include "inject/raw_format.hpp"
#include "probes/probe.hpp"

namespace gpumem::app {

/// A launch by the sums of its sites.
struct LaunchSums {
  std::vector<inject::Site> sites;
  std::uint64_t blocks = 0;
  unsigned block_threads = 0;
  unsigned shared_bytes_per_block = 0;
  unsigned registers_per_thread = 0;      ///< 0: not known
  std::optional<double> measured_s = {};  ///< median of its launches
  std::string_view code = {};             ///< the kernel's; empty: not known
  /// Loads that warps issue: of the busiest of all, and of each block's busiest in all blocks; 0: not known.
  std::uint64_t most_loads = 0;
  std::uint64_t busiest_loads = 0;
};

/// Useful bytes of what lies beyond multiprocessors; an atomic reads and writes. Without sites.
[[nodiscard]] Workload workload_of(const LaunchSums& launch);

struct PricedLaunch {
  double seconds = 0;
  std::vector<model::StageTime> stages;
  std::string_view bottleneck;
  bool cached = false;  ///< L2 has what it touches from before
};

/// The launch priced again and again, each time with other sites as good as they could be.
class Pricing {
 public:
  /// Both have to outlive it. What the launch touches may be in L2 from before: where it fits, what explains the
  /// measured time better is taken.
  Pricing(const LaunchSums& launch, const model::Profile& profile);

  /// Why nothing can be said; empty where something can.
  [[nodiscard]] const std::string& no_prediction() const { return no_prediction_; }
  [[nodiscard]] const PricedLaunch& as_it_is() const { return as_it_is_; }
  /// Seconds of a launch that would be saved if sites marked in `good`, one mark a site, were as good as they could be.
  /// As large a share of the measured time as of the predicted one; less where the model explains less than half of the
  /// measured time, for then something else limits it. Nothing below 1 % of the launch.
  [[nodiscard]] double saved_s(const std::vector<bool>& good) const;

 private:
  [[nodiscard]] PricedLaunch price(const std::vector<bool>& good, bool cached) const;

  const LaunchSums& launch_;
  const model::Profile& profile_;
  SiteDemand demand_;
  Workload workload_;
  PricedLaunch as_it_is_;
  std::string no_prediction_;
};

/// Whether the site asks for more than it would have to.
[[nodiscard]] bool is_wasteful(const inject::Site& site);

}  // namespace gpumem::app
