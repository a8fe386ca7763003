#pragma once
// The ways from global to shared memory, each as a kernel that streams an array through a block's tiles and adds it up.

#include <algorithm>
#include <cstdint>

#include "engine/measure/content.hpp"
#include "probes/requests.hpp"
#include "probes/shared/bulk_copy.cuh"

namespace gpumem::shared {

constexpr unsigned word_bytes = sizeof(uint4);
/// Parts of the ring that the asynchronous ways fill: one is used while the others are on their way.
constexpr unsigned ring_stages = 4;
/// Loads of a thread from shared memory that do not wait for each other.
constexpr unsigned used_at_once = 4;
/// Words that a thread may hold at most: 256 threads then hold 128 KiB, and more would leave them too few registers.
constexpr unsigned most_held = 32;
constexpr std::uint64_t most_in_flight = std::uint64_t{128} << 10U;

/// The k-th request for words in a row. Words of a tile that are added up are taken from the last on (sum_of).
inline access::WarpRequest request_of_words(std::uint64_t k, bool reversed) {
  return warp_request(word_bytes, [=](unsigned lane) {
    return (k * access::warp_lanes + (reversed ? access::warp_lanes - 1 - lane : lane)) * word_bytes;
  });
}

/// Steps of this block: tiles go round the blocks.
__device__ inline std::uint32_t steps_of(std::uint32_t tiles) {
  return blockIdx.x < tiles ? (tiles - blockIdx.x - 1) / gridDim.x + 1 : 0;
}
__device__ inline const uint4* tile_of(const uint4* source, std::uint32_t step, std::uint32_t words) {
  return source + (std::uint64_t{step} * gridDim.x + blockIdx.x) * words;
}

/// Adds up a tile that has arrived. Each thread takes words that another one brought, and several at once, or one warp
/// alone could not keep up with the memory.
__device__ inline std::uint32_t sum_of(const uint4* tile, std::uint32_t words) {
  std::uint32_t sum = 0;
#pragma unroll 1
  for (std::uint32_t first = threadIdx.x; first < words; first += used_at_once * blockDim.x) {
    uint4 word[used_at_once] = {};
#pragma unroll
    for (unsigned k = 0; k < used_at_once; ++k) {
      const std::uint32_t i = first + k * blockDim.x;
      if (i < words) word[k] = tile[words - 1 - i];
    }
#pragma unroll
    for (const uint4& vector : word) sum += vector.x + vector.y + vector.z + vector.w;
  }
  return sum;
}

/// The next tile is loaded before this one is used.
template <unsigned held>
__global__ void __launch_bounds__(std::min(1024U, static_cast<unsigned>(most_in_flight / word_bytes / held)))
    copy_through_registers(const uint4* source, std::uint32_t* sums, std::uint32_t tiles) {
  extern __shared__ uint4 tile[];
  const std::uint32_t words = held * blockDim.x;
  const std::uint32_t steps = steps_of(tiles);
  uint4 word[held] = {};
  std::uint32_t sum = 0;
#pragma unroll 1
  for (std::uint32_t step = 0; step <= steps; ++step) {
    if (step > 0) {
#pragma unroll
      for (unsigned k = 0; k < held; ++k) tile[k * blockDim.x + threadIdx.x] = word[k];
    }
    __syncthreads();
    if (step < steps) {
      const uint4* next = tile_of(source, step, words) + threadIdx.x;
#pragma unroll
      for (unsigned k = 0; k < held; ++k) {  // volatile: here, and not when they are stored
        asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(word[k].x), "=r"(word[k].y), "=r"(word[k].z), "=r"(word[k].w)
                     : "l"(next + k * blockDim.x));
      }
    }
    if (step > 0) sum += sum_of(tile, words);
    __syncthreads();
  }
  sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/// A stage is filled again as soon as it has been used. The first steps only fill and the last only use, so that one
/// loop does both.
template <unsigned stages>
__global__ void __launch_bounds__(1024)
    copy_by_cp_async(const uint4* source, std::uint32_t* sums, std::uint32_t tiles, std::uint32_t words) {
#if __CUDA_ARCH__ >= 800
  extern __shared__ uint4 ring[];
  const std::uint32_t steps = steps_of(tiles);
  std::uint32_t sum = 0;
#pragma unroll 1
  for (std::uint32_t step = 0; step < steps + stages; ++step) {
    uint4* stage = ring + step % stages * words;
    if (step >= stages) {
      asm volatile("cp.async.wait_group %0;" ::"n"(stages - 1) : "memory");
      __syncthreads();
      sum += sum_of(stage, words);
      __syncthreads();
    }
    if (step < steps) {
      const uint4* next = tile_of(source, step, words);
#pragma unroll 1
      for (std::uint32_t i = threadIdx.x; i < words; i += blockDim.x) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(stage + i)), "l"(next + i)
                     : "memory");
      }
    }
    asm volatile("cp.async.commit_group;" ::: "memory");  // even if empty: waiting counts groups
  }
  sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
#else
  __trap();
#endif
}

/// Like copy_by_cp_async, but one thread asks for whole stages, and a barrier per stage tells when the stage has
/// arrived.
template <unsigned stages>
__global__ void __launch_bounds__(1024)
    copy_by_bulk_engine(const uint4* source, std::uint32_t* sums, std::uint32_t tiles, std::uint32_t words) {
#if __CUDA_ARCH__ >= 900
  extern __shared__ uint4 ring[];
  __shared__ std::uint64_t barriers[stages];
  if (threadIdx.x == 0) {
    for (auto& barrier : barriers) start_barrier(barrier, 1);
    show_barriers_to_engine();
  }
  __syncthreads();
  const std::uint32_t steps = steps_of(tiles);
  std::uint32_t sum = 0;
#pragma unroll 1
  for (std::uint32_t step = 0; step < steps + stages; ++step) {
    const std::uint32_t slot = step % stages;
    uint4* stage = ring + slot * words;
    if (step >= stages) {
      const std::uint32_t parity = (step / stages - 1) % 2;  // of the use of the stage that is waited for
      while (!has_arrived(barriers[slot], parity)) continue;
      sum += sum_of(stage, words);
      __syncthreads();
    }
    if (step < steps && threadIdx.x == 0) {
      expect_bytes(barriers[slot], words * word_bytes);
      request_bulk_copy(stage, tile_of(source, step, words), words * word_bytes, barriers[slot]);
    }
  }
  sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
#else
  __trap();
#endif
}

/// Each thread's sum must be that of its words of every tile of its block.
static __global__ void check_tile_sums(const std::uint32_t* sums, std::uint32_t tiles, std::uint32_t words,
                                       unsigned long long* mismatches) {
  std::uint32_t expected = 0;
  for (std::uint64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    for (std::uint32_t i = threadIdx.x; i < words; i += blockDim.x) {
      const std::uint64_t first = (tile * words + (words - 1 - i)) * 4;
      for (std::uint64_t k = 0; k < 4; ++k) expected += measure::random_word(first + k);
    }
  }
  if (sums[blockIdx.x * blockDim.x + threadIdx.x] != expected) atomicAdd(mismatches, 1ULL);
}

}  // namespace gpumem::shared
