#pragma once
// Predicts the time of a launch that was seen, as it is and with its accesses as good as they could be.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/profile.hpp"
#include "probes/probe.hpp"
#include "program/machine_code/warp_path.hpp"
#include "program/price/launch_pricing.hpp"
#include "program/price/seen_sites.hpp"
#include "program/read/constant_bank.hpp"
#include "program/watch/raw_format.hpp"

namespace gpumem::program {

/// A launch by the sums of its sites.
struct LaunchSums {
  std::vector<inject::Site> sites;
  std::uint64_t blocks = 0;
  unsigned block_threads = 0;
  unsigned shared_bytes_per_block = 0;
  unsigned registers_per_thread = 0;  ///< 0: not known
  unsigned local_bytes_per_thread = 0;
  double spilling_threads_share = 0;      ///< of its threads those that spill registers
  std::optional<double> measured_s = {};  ///< median of its launches
  bool partly_seen = false;               ///< only some of its blocks were
  std::string_view code = {};             ///< the kernel's; empty: not known
  LaunchConstants constants = {};         ///< of the kernel's launch
  /// Loads of the busiest warp of the launch, and loads of each block's busiest warp summed over the blocks; 0: not
  /// known.
  std::uint64_t most_loads = 0;
  std::uint64_t busiest_loads = 0;
};

[[nodiscard]] double warps_of(const LaunchSums& launch);

/// Returns the launch as a workload without sites. Its useful bytes are those beyond the multiprocessors; those of an
/// atomic are both read and written.
[[nodiscard]] Workload workload_of(const LaunchSums& launch);

/// Seconds of a launch.
struct Saving {
  double seconds = 0;
  Interval within = {};
};

/// The reason for no prediction if a kernel has tensor loads and the sanitizer's library does not report them.
inline constexpr const char* no_tensor_loads =
    "its tensor loads are not counted: that takes the sanitizer's library of CUDA 13.3 or later";

/// Changes to a launch, to be priced.
struct Cure {
  std::vector<bool> good;   ///< a mark a site: as good as it could be
  bool shared_out = false;  ///< as many loads under way as the GPU can hold, of all warps alike
  double wider = 1;         ///< times as many neighbouring elements at a time, by as many times fewer threads
};

/// Prices a launch repeatedly, each time with something else as good as it could be.
class Pricing {
 public:
  /// Both arguments must outlive the object. Data that fits in L2 is taken to be there from before, unless the time
  /// predicted without it is nearer to the measured one. Data that does not fit is taken to be there in part, if memory
  /// could not have moved it in the measured time even at its theoretical bandwidth. If only some blocks were seen, the
  /// last one is taken to run code that none of these ran, if an atomic behind a fence can tell it that it is the last
  /// and the time predicted so is nearer to the measured one.
  Pricing(const LaunchSums& launch, const model::Profile& profile);

  /// The reason why there is no prediction; empty if there is one.
  [[nodiscard]] const std::string& no_prediction() const { return no_prediction_; }
  /// Instructions of the launch that move data no site counts.
  [[nodiscard]] const std::vector<UncountedAccess>& uncounted() const { return uncounted_; }
  [[nodiscard]] const PricedLaunch& as_it_is() const { return as_it_is_; }
  /// The work of the launch as it is, a row for each of its sites.
  [[nodiscard]] const report::LaunchWork& work() const { return work_; }
  /// The interval of the launch's predicted time. It covers the usual error of kernels with this bottleneck, and the
  /// fewest and the most times that unseen code may have run.
  [[nodiscard]] const Interval& within() const { return within_; }
  /// The predicted share of the measured time, at most 1; absent if nothing was measured or no stages are known.
  [[nodiscard]] std::optional<double> explained_share() const { return explained_share_; }
  /// True if nothing is predicted only because the accesses explain too little of the measured time. Then they may
  /// still waste more than anything that is known of the launch.
  [[nodiscard]] bool explains_little() const { return explains_little_; }
  /// Returns the time that a cure saves: as large a share of the measured time as of the predicted one. 0 if that is
  /// below 1 % of the launch, or if nothing is predicted. If the accesses explain too little, it is what the cure saves
  /// of the explained time, or 0 if that is a small part of either time. The interval then begins at 0, because
  /// something else may hold the launch up.
  [[nodiscard]] Saving saving(const Cure& cure) const;
  /// True if the launch, with these sites good, would still wait for its loads far longer than everything else takes.
  [[nodiscard]] bool would_wait(const std::vector<bool>& good) const;

 private:
  [[nodiscard]] PricedLaunch price(const Workload& workload, const std::vector<bool>& good, InL2 in_l2) const;
  [[nodiscard]] report::LaunchWork work_with(const std::vector<bool>& good, const Workload& workload) const;
  void find_what_l2_had();
  [[nodiscard]] bool can_have_last_block() const;
  void find_last_block(unsigned major);
  void add_last_block(report::LaunchWork& work) const;
  void find_interval(unsigned major);
  void find_doubts(const WarpPath& path);
  [[nodiscard]] Saving saving_of_explained(const PricedLaunch& cured) const;

  const LaunchSums& launch_;
  const model::Profile& profile_;
  SeenSites sites_;
  report::LaunchWork work_;  ///< as it is
  Workload workload_;
  double matrix_wavefronts_ = 0;
  std::vector<UncountedAccess> uncounted_;
  PricedLaunch as_it_is_;
  std::optional<Chain> last_block_;  ///< of its warps, if it does what no block does that was seen
  Interval within_;
  std::optional<double> explained_share_;
  std::string no_prediction_;
  bool explains_little_ = false;
};

/// True if the site moves more than its data needs, has atomics whose lanes meet at a word, or is in local memory.
[[nodiscard]] bool is_wasteful(const inject::Site& site);

}  // namespace gpumem::program
