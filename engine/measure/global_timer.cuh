#pragma once
// The GPU's timer: one for all of its multiprocessors, and for kernels that run at once.

#include <cstdint>

namespace gpumem::measure {

/// Nanoseconds since some time in the past. On some GPUs the timer ticks only every microsecond.
__device__ inline std::uint64_t global_ns() {
  std::uint64_t now = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

}  // namespace gpumem::measure
