#pragma once
// The arithmetic speed of a GPU, from its attributes, and the speed that a workload can reach on it: the roofline
// (Williams, Waterman and Patterson, Roofline, CACM 2009).

#include <optional>

#include "engine/machine/device.hpp"
#include "engine/model/workload.hpp"

namespace gpumem {

/// Warp schedulers of a multiprocessor, since compute capability 5.0: CUDA C++ Programming Guide, "Compute
/// Capabilities". Each issues an instruction a cycle.
inline constexpr double schedulers = 4;

/// Fused multiply-adds per cycle and multiprocessor, in float or double, outside of tensor cores: CUDA C++ Programming
/// Guide, "Throughput of Native Arithmetic Instructions", by compute capability. Absent for one that is not listed
/// here.
[[nodiscard]] std::optional<double> fma_per_cycle(const Device& device, bool double_precision);

/// Floating-point operations per second of the whole GPU at its maximum clock, a multiply-add counted as two.
[[nodiscard]] std::optional<double> peak_flops_per_s(const Device& device, bool double_precision);

/// Useful flops for each useful byte; absent for a workload without either.
[[nodiscard]] std::optional<double> intensity_flop_per_byte(const Workload& workload);

/// The roofline at the workload's intensity: the lower of the peak and the speed at which memory can feed it in theory.
[[nodiscard]] std::optional<double> attainable_gflop_per_s(const Workload& workload, const Device& device);

}  // namespace gpumem
