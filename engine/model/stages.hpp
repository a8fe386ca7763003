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

/// Returns true if L2 could hold everything that a launch touches in device memory, from the launch before. Never true
/// with mapped host memory.
[[nodiscard]] bool fits_in_l2(const Workload& workload, const Demand& demand, const Device& device);

/// Returns true if L2 holds what a launch touches in device memory, from the launch before, so that DRAM is left out.
/// If the launch was simulated, a little may be missing. Never true with mapped host memory.
[[nodiscard]] bool is_cached(const Workload& workload, const Demand& demand, const Device& device);

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

/// Seconds that the kernel of such a launch takes by itself, from its begin to its end. In a queue of launches, some
/// time lies between two kernels: what a launch that does next to nothing takes beyond its kernel.
[[nodiscard]] double kernel_seconds(const std::vector<StageTime>& stages, const Demand& demand,
                                    const Workload& workload, const Rates& rates, bool cached);

}  // namespace gpumem::model
