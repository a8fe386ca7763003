#pragma once
// From what a launch demands to what each stage takes for it, and from those to the time of the launch.
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

/// Whether everything of device memory that a launch touches fits in L2 and is there from the launch before, so that
/// DRAM is left out. Never with mapped host memory.
[[nodiscard]] bool is_cached(const Workload& workload, const Demand& demand, const Device& device);

/// Whether the stage is what a multiprocessor issues and computes.
[[nodiscard]] bool is_arithmetic(std::string_view stage);

/// What one launch takes of each stage, its fixed cost apart. Only those that it uses; with `cached`, not DRAM.
[[nodiscard]] std::vector<StageTime> launch_stages(const Demand& demand, const Workload& workload,
                                                   const Profile& profile, bool cached);

/// Seconds of one launch by its stages: the slowest of them, except that waiting for latency only partly hides behind
/// the work of the others, and the fixed costs.
[[nodiscard]] double launch_seconds(const std::vector<StageTime>& stages, const Demand& demand,
                                    const Workload& workload, const Rates& rates, bool cached);

}  // namespace gpumem::model
