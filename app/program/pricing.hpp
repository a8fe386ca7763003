#pragma once
// What the model makes of a launch that was seen: its time as it is, and with accesses as good as they could be.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/program/machine_code/constant_bank.hpp"
#include "app/program/machine_code/warp_path.hpp"
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
  unsigned registers_per_thread = 0;  ///< 0: not known
  unsigned local_bytes_per_thread = 0;
  double spilling_threads_share = 0;      ///< of its threads those that spill registers
  std::optional<double> measured_s = {};  ///< median of its launches
  std::string_view code = {};             ///< the kernel's; empty: not known
  LaunchConstants constants = {};         ///< what its kernel was launched with
  /// Loads that warps issue: of the busiest of all, and of each block's busiest in all blocks; 0: not known.
  std::uint64_t most_loads = 0;
  std::uint64_t busiest_loads = 0;
};

[[nodiscard]] double warps_of(const LaunchSums& launch);

/// Useful bytes of what lies beyond multiprocessors; an atomic reads and writes. Without sites.
[[nodiscard]] Workload workload_of(const LaunchSums& launch);

/// Of what a launch touches, what L2 has from before.
enum class InL2 : std::uint8_t {
  nothing,
  part,  ///< as much of what it reads as L2 holds
  all
};

struct PricedLaunch {
  double seconds = 0;
  std::vector<model::StageTime> stages;
  std::string_view bottleneck;
  InL2 in_l2 = InL2::nothing;
};

/// Of a value that the model tells: within which it is believed to lie, nine times of ten.
struct Interval {
  double low = 0;
  double high = 0;
};

/// Seconds of a launch.
struct Saving {
  double seconds = 0;
  Interval within = {};
};

/// Why kernels with tensor loads have no prediction where the library at hand does not tell of these.
inline constexpr const char* no_tensor_loads =
    "its tensor loads are not counted: that takes the sanitizer's library of CUDA 13.3 or later";

/// What is done to a launch.
struct Cure {
  std::vector<bool> good;   ///< a mark a site: as good as it could be
  bool shared_out = false;  ///< as many loads under way as the GPU can hold, of all warps alike
  double wider = 1;         ///< times as many neighbouring elements at a time, by as many times fewer threads
};

/// The launch priced again and again, each time with something else as good as it could be.
class Pricing {
 public:
  /// Both have to outlive it. What the launch touches may be in L2 from before: where it fits, what explains the
  /// measured time better is taken. Where it does not fit, but memory could not have moved it in the measured time even
  /// at its theoretical bandwidth, L2 had a part.
  Pricing(const LaunchSums& launch, const model::Profile& profile);

  /// Why nothing can be said; empty where something can.
  [[nodiscard]] const std::string& no_prediction() const { return no_prediction_; }
  /// What the launch moved and no site counts.
  [[nodiscard]] const std::vector<UncountedAccess>& uncounted() const { return uncounted_; }
  [[nodiscard]] const PricedLaunch& as_it_is() const { return as_it_is_; }
  /// Of the seconds as it is: by what stages of this kind are off, and by how often code may have run that nobody saw.
  [[nodiscard]] const Interval& within() const { return within_; }
  /// Of the measured time, what its stages explain; absent where nothing was measured, or no stages are known.
  [[nodiscard]] std::optional<double> explained_share() const { return explained_share_; }
  /// As large a share of the measured time as of the predicted one. Nothing below 1 % of the launch, nor where nothing
  /// is predicted.
  [[nodiscard]] Saving saving(const Cure& cure) const;
  /// Whether with these sites good it would wait for its loads far longer than all else that it does takes.
  [[nodiscard]] bool would_wait(const std::vector<bool>& good) const;

 private:
  [[nodiscard]] PricedLaunch price(const Workload& workload, const std::vector<bool>& good, InL2 in_l2) const;
  void find_what_l2_had();
  void find_interval(unsigned major);
  void find_doubts(const WarpPath& path);

  const LaunchSums& launch_;
  const model::Profile& profile_;
  SiteDemand demand_;
  Workload workload_;
  double matrix_wavefronts_ = 0;
  std::vector<UncountedAccess> uncounted_;
  PricedLaunch as_it_is_;
  Interval within_;
  std::optional<double> explained_share_;
  std::string no_prediction_;
};

/// Whether the site asks for more than it would have to.
[[nodiscard]] bool is_wasteful(const inject::Site& site);

}  // namespace gpumem::app
