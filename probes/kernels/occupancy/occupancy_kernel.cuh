#pragma once
// A kernel whose blocks read an array, and whose threads hold a given number of registers meanwhile.

#include <cstdint>

#include "engine/measure/content.hpp"
#include "probes/kernels/occupancy/occupancy_case.hpp"

namespace gpumem::kernels {

/// Mixes a register that a thread held into its sum, so that each register changes it, and none can take the place of
/// another.
__device__ inline std::uint32_t with_held(std::uint32_t sum, std::uint32_t held) {
  return (sum ^ held) * 0x9E3779B1U ^ sum >> 15U;
}

/// A block reads a contiguous part, each thread two vectors at a time, and holds `held` registers meanwhile. Before
/// load number `change` they take in the sum so far, so that they cannot be computed before the loads or after them. A
/// thread stores its sum, mixed with the registers that it held. In timed launches `change` never comes, and no sum is
/// stored except by chance: storing takes longer the more a thread holds.
template <unsigned held>
__global__ void __launch_bounds__(most_occupancy_threads)
    read_holding_registers(const uint4* words, std::uint32_t* sums, std::uint32_t seed, unsigned change) {
  std::uint32_t kept[held];
#pragma unroll
  for (unsigned i = 0; i < held; ++i) kept[i] = seed + i;
  const uint4* from = words + std::uint64_t{blockIdx.x} * blockDim.x * loads_of_thread + threadIdx.x;
  std::uint32_t sum = 0;
#pragma unroll 1
  for (unsigned load = 0; load < loads_of_thread; load += loads_in_a_row) {
    if (load == change) [[unlikely]] {
#pragma unroll
      for (std::uint32_t& in_register : kept) in_register ^= sum;
    }
    uint4 word[loads_in_a_row];
#pragma unroll
    for (uint4& vector : word) {
      vector = __ldcs(from);
      from += blockDim.x;
    }
#pragma unroll
    for (const uint4& vector : word) sum += vector.x + vector.y + vector.z + vector.w;
  }
  if (change >= loads_of_thread && sum != seed) return;
#pragma unroll
  for (const std::uint32_t in_register : kept) sum = with_held(sum, in_register);
  sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/// Compares the sums with those of words computed anew. Its launch has the kernel's blocks and threads.
static __global__ void check_read(const std::uint32_t* sums, unsigned held, std::uint32_t seed, unsigned change,
                                  unsigned long long* mismatches) {
  std::uint32_t sum = 0;
  std::uint32_t taken_in = 0;
  for (unsigned load = 0; load < loads_of_thread; ++load) {
    if (load == change) taken_in = sum;
    const std::uint64_t vector = (std::uint64_t{blockIdx.x} * loads_of_thread + load) * blockDim.x + threadIdx.x;
    for (unsigned word = 0; word < 4; ++word) sum += measure::random_word(vector * 4 + word);
  }
  for (unsigned i = 0; i < held; ++i) sum = with_held(sum, (seed + i) ^ taken_in);
  if (sums[blockIdx.x * blockDim.x + threadIdx.x] != sum) atomicAdd(mismatches, 1ULL);
}

}  // namespace gpumem::kernels
