#pragma once
// A kernel that reads what its block is to read, and holds as many registers as it is told.

#include <cstdint>

#include "probes/measure/content.hpp"

namespace gpumem::kernels {

constexpr unsigned occupancy_threads = 64;  ///< most of a block: two warps, so that 32 blocks fill a multiprocessor
constexpr unsigned loads_in_a_row = 2;
constexpr unsigned loads_of_thread = 256;

/// What a thread holds in its next register: only the one before tells it, so that nothing is gained by forgetting it.
__device__ inline std::uint32_t next_held(std::uint32_t before) { return before * 0x9E3779B1U ^ before >> 15U; }

/// A block reads a contiguous part; each thread leaves the sum of its words and of the `held` registers that it kept
/// full meanwhile, unless `sums` is null.
template <unsigned held>
__global__ void __launch_bounds__(occupancy_threads)
    read_holding_registers(const uint4* words, std::uint32_t* sums, std::uint32_t seed) {
  std::uint32_t kept[held];
  kept[0] = seed + threadIdx.x;
#pragma unroll
  for (unsigned i = 1; i < held; ++i) kept[i] = next_held(kept[i - 1]);
  const uint4* from = words + std::uint64_t{blockIdx.x} * blockDim.x * loads_of_thread + threadIdx.x;
  std::uint32_t sum = 0;
#pragma unroll 1
  for (unsigned load = 0; load < loads_of_thread; load += loads_in_a_row) {
    uint4 word[loads_in_a_row];
#pragma unroll
    for (uint4& one : word) {
      one = __ldcs(from);
      from += blockDim.x;
    }
#pragma unroll
    for (const uint4& one : word) sum += one.x + one.y + one.z + one.w;
  }
  if (sums == nullptr && sum != seed) return;  // as good as always; without it the loop would be left out
#pragma unroll
  for (const std::uint32_t one : kept) sum = next_held(sum ^ one);  // which cannot be worked out before the loads
  if (sums != nullptr) sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/// Launched as the kernel was, with every word made anew.
static __global__ void check_read(const std::uint32_t* sums, unsigned held, std::uint32_t seed,
                                  unsigned long long* mismatches) {
  std::uint32_t sum = 0;
  for (unsigned load = 0; load < loads_of_thread; ++load) {
    const std::uint64_t vector = (std::uint64_t{blockIdx.x} * loads_of_thread + load) * blockDim.x + threadIdx.x;
    for (unsigned word = 0; word < 4; ++word) sum += measure::random_word(vector * 4 + word);
  }
  std::uint32_t kept = seed + threadIdx.x;
  for (unsigned i = 0; i < held; ++i) {
    sum = next_held(sum ^ kept);
    kept = next_held(kept);
  }
  if (sums[blockIdx.x * blockDim.x + threadIdx.x] != sum) atomicAdd(mismatches, 1ULL);
}

}  // namespace gpumem::kernels
