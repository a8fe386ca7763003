#pragma once
// A kernel that reads what its block is to read, and holds as many registers as it is told.

#include <cstdint>

#include "probes/measure/content.hpp"

namespace gpumem::kernels {

constexpr unsigned occupancy_threads = 64;  ///< most of a block: two warps, so that 32 blocks fill a multiprocessor
constexpr unsigned loads_in_a_row = 2;
constexpr unsigned loads_of_thread = 64;

/// A block reads a contiguous part; each thread leaves the sum of its words, unless `sums` is null. `held` registers
/// are written before and read after all that, by instructions that the assembler may not move or leave out.
template <unsigned held>
__global__ void __launch_bounds__(occupancy_threads)
    read_holding_registers(const uint4* words, std::uint32_t* sums, float seed) {
  float kept[held];
#pragma unroll
  for (float& one : kept) asm volatile("mov.f32 %0, %1;" : "=f"(one) : "f"(seed));
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
#pragma unroll
  for (const float one : kept) asm volatile("" ::"f"(one));
  if (sums != nullptr) sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/// Launched as the kernel was, with every word made anew.
static __global__ void check_read(const std::uint32_t* sums, unsigned long long* mismatches) {
  std::uint32_t sum = 0;
  for (unsigned load = 0; load < loads_of_thread; ++load) {
    const std::uint64_t vector = (std::uint64_t{blockIdx.x} * loads_of_thread + load) * blockDim.x + threadIdx.x;
    for (unsigned word = 0; word < 4; ++word) sum += measure::random_word(vector * 4 + word);
  }
  if (sums[blockIdx.x * blockDim.x + threadIdx.x] != sum) atomicAdd(mismatches, 1ULL);
}

}  // namespace gpumem::kernels
