#pragma once
// How fast a GPU computes, from what it says of itself.

#include <optional>

#include "probes/device.hpp"

namespace gpumem {

/// Fused multiply-adds per cycle and multiprocessor, in float or double, outside of tensor cores: CUDA C++ Programming
/// Guide, "Throughput of Native Arithmetic Instructions", by compute capability. Absent for one that is not listed
/// here.
[[nodiscard]] std::optional<double> fma_per_cycle(const Device& device, bool double_precision);

/// Floating-point operations per second of the whole GPU at its maximum clock, a multiply-add counted as two.
[[nodiscard]] std::optional<double> peak_flops_per_s(const Device& device, bool double_precision);

}  // namespace gpumem
