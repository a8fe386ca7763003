#pragma once
// Computes the time of each stage from the demand of a launch, and the time of the launch from its stages.
//
// A kernel's accesses to mapped host memory go over the link and nowhere else: stage "pcie". A device that shares the
// host's memory has no link: there mapped memory is device memory.

#include <string_view>
#include <vector>

#include "engine/model/demand.hpp"
#include "engine/model/profile.hpp"
#include "engine/model/schedule.hpp"

namespace gpumem::model {

/// True for a stage of issuing or computing on a multiprocessor.
[[nodiscard]] bool is_arithmetic(std::string_view stage);

/// The time of one launch in each stage that it uses, without its fixed cost. With `cached`, the stages of DRAM are
/// left out.
[[nodiscard]] std::vector<StageTime> launch_stages(const Demand& demand, const Workload& workload,
                                                   const Profile& profile, bool cached);

/// Seconds of one launch, from its stages: the slowest stage and the fixed costs. Waiting for latency hides only partly
/// behind the work of the other stages.
[[nodiscard]] double launch_seconds(const std::vector<StageTime>& stages, const Demand& demand,
                                    const Workload& workload, const Rates& rates, bool cached);

/// The stages of one launch and its seconds.
struct LaunchTime {
  std::vector<StageTime> stages;
  double seconds = 0;
};

/// Returns the time of one launch of which L2 has all but the share `memory_share` of the data (memory_share()): the
/// time and the stages between those with L2 alone and those without it.
[[nodiscard]] LaunchTime launch_time(const Demand& demand, const Workload& workload, const Profile& profile,
                                     double memory_share);

/// Seconds that the kernel of such a launch takes by itself, from its begin to its end. In a queue of launches, some
/// time lies between two kernels: what a launch that does next to nothing takes beyond its kernel.
[[nodiscard]] double kernel_seconds(const std::vector<StageTime>& stages, const Demand& demand,
                                    const Workload& workload, const Rates& rates, bool cached);

}  // namespace gpumem::model
