#pragma once
// Prices the work of a launch on any GPU that has a profile: the one that it was seen on, and others.

#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/model/profile.hpp"
#include "engine/model/schedule.hpp"
#include "engine/model/workload.hpp"
#include "report/record/launch_work.hpp"

namespace gpumem::program {

/// The part of a launch's data that is in L2 when the launch begins.
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

/// The interval that a predicted value is expected to lie in, nine times of ten.
struct Interval {
  double low = 0;
  double high = 0;
};

/// Returns the launch on such a device as a workload without sites.
[[nodiscard]] Workload workload_of(const report::LaunchWork& work, const Device& device);

/// The pipes of a multiprocessor that a launch keeps busy longest.
struct BusiestPipe {
  std::string_view stage;  ///< of the model
  double cycles = 0;       ///< of a scheduler, of all warps together
};
/// Finds them for a device. Products and sums of 32-bit and 64-bit floats take as many cycles as the device's compute
/// capability gives them (CUDA C++ Programming Guide, "Throughput of Native Arithmetic Instructions", as in
/// fma_per_cycle()). All other instructions take as many as on compute capability 9.0: that table gives additions of
/// integers, special functions and shuffles the same width from 7.0 to 9.0, and has nothing on tensor cores. The cycles
/// are more than those of the busiest pipe, as far as another one is busy as well.
[[nodiscard]] BusiestPipe busiest_pipe(const report::PathWork& path, const Device& device);

/// Prices the launch. `workload` is workload_of() it, as it is or changed.
[[nodiscard]] PricedLaunch priced(const report::LaunchWork& work, const Workload& workload,
                                  const model::Profile& profile, InL2 in_l2);

/// Returns true if most of the sectors of the site's requests are stored in part.
[[nodiscard]] bool stores_parts(const report::SiteWork& site);

/// Returns true if the launch has a time and all stages are known. False if the profile lacks rates.
[[nodiscard]] bool is_known(const PricedLaunch& launch);

/// Returns true if all that the launch touches fits L2, without the local memory of its threads.
[[nodiscard]] bool fits_in_l2(const report::LaunchWork& work, const Device& device);

/// Returns true if the launch accesses memory of the host over a link.
[[nodiscard]] bool crosses_link(const report::LaunchWork& work, const Device& device);

/// Returns the bytes that the launch asks of memory if L2 has nothing of them.
[[nodiscard]] double memory_bytes(const report::LaunchWork& work, const Workload& workload,
                                  const model::Profile& profile);

/// Returns the factor by which predictions for kernels with this bottleneck are off at most, in nine of ten kernels
/// (docs/prediction.md).
[[nodiscard]] double usual_error(std::string_view bottleneck);

}  // namespace gpumem::program
