#pragma once
// Blocks of a cluster that all need the same tiles: each fetches its own copy, or one fetch feeds all. And their check.

#include <cstdint>

#include "engine/measure/clusters.cuh"
#include "engine/measure/content.hpp"
#include "probes/shared/async_copy/async_copy_kernels.cuh"
#include "probes/shared/bulk_copy.cuh"

namespace gpumem::shared {

/// The tiles of an array that a cluster needs, step by step. A cluster begins where the one before it ends, and goes
/// round the array.
struct SharedTiles {
  std::uint32_t tiles;   ///< of the array
  std::uint32_t words;   ///< of a tile, each of word_bytes
  std::uint32_t steps;   ///< of a cluster
  std::uint32_t blocks;  ///< of a cluster

  [[nodiscard]] GPUMEM_HOST_DEVICE constexpr std::uint32_t first_tile(std::uint32_t block) const {
    return block / blocks * steps % tiles;
  }
  [[nodiscard]] GPUMEM_HOST_DEVICE constexpr std::uint32_t after(std::uint32_t tile) const {
    return tile + 1 == tiles ? 0 : tile + 1;
  }
};

/// The ring of copy_by_bulk_engine(), in each block of a cluster. By multicast, each block brings its share of a tile
/// to all of them. A stage may be filled again when all blocks have used it: each tells the others, and asks for the
/// next tile a step later, so that it seldom waits for the slowest of them.
template <bool by_multicast>
__global__ void __launch_bounds__(1024)
    fetch_shared_tiles(const uint4* source, std::uint32_t* sums, std::uint64_t* cycles, SharedTiles task) {
#if __CUDA_ARCH__ >= 900
  extern __shared__ uint4 ring[];
  __shared__ std::uint64_t filled[ring_stages];
  __shared__ std::uint64_t used[ring_stages];  // by all blocks
  if (threadIdx.x == 0) {
    for (auto& barrier : filled) start_barrier(barrier, 1);
    for (auto& barrier : used) start_barrier(barrier, task.blocks);
    show_barriers_to_engine();
  }
  measure::wait_for_cluster();
  const std::uint32_t bytes = task.words * word_bytes;
  const std::uint32_t shared_words = task.words / task.blocks;
  const std::uint32_t first_shared = measure::rank_in_cluster() * shared_words;
  std::uint32_t next = task.first_tile(blockIdx.x);
  const std::uint64_t start = clock64();
  std::uint32_t sum = 0;
#pragma unroll 1
  for (std::uint32_t turn = 0; turn < task.steps + ring_stages; ++turn) {
    // This turn uses the tile of step `turn - ring_stages`.
    if (turn >= ring_stages) {
      const std::uint32_t slot = turn % ring_stages;
      while (!has_arrived(filled[slot], (turn / ring_stages - 1) % 2)) continue;
      sum += sum_of(ring + slot * task.words, task.words);
      __syncthreads();
      if (by_multicast && threadIdx.x < task.blocks) {
        arrive_in_cluster(measure::in_block_of_cluster(shared_address(&used[slot]), threadIdx.x));
      }
    }
    if (threadIdx.x != 0) continue;
    constexpr std::uint32_t later = by_multicast ? 1 : 0;
    const std::uint32_t step = turn - later;  // before the first it is none of the steps either
    if (step >= task.steps) continue;
    const std::uint32_t slot = step % ring_stages;
    uint4* stage = ring + slot * task.words;
    const uint4* tile = source + std::uint64_t{next} * task.words;
    next = task.after(next);
    expect_bytes(filled[slot], bytes);
    if constexpr (by_multicast) {
      while (step >= ring_stages && !has_arrived(used[slot], (step / ring_stages - 1) % 2)) continue;
      request_multicast(stage + first_shared, tile + first_shared, shared_words * word_bytes, filled[slot],
                        task.blocks);
    } else {
      request_bulk_copy(stage, tile, bytes, filled[slot]);
    }
  }
  if (threadIdx.x == 0) cycles[blockIdx.x] = clock64() - start;
  sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
  measure::wait_for_cluster();  // barriers are there until the last has arrived, and stages until they are filled
#else
  __trap();
#endif
}

/// Each thread's sum must be that of its words of every tile of its cluster.
static __global__ void check_shared_tiles(const std::uint32_t* sums, SharedTiles task, unsigned long long* mismatches) {
  std::uint32_t expected = 0;
  std::uint32_t tile = task.first_tile(blockIdx.x);
  for (std::uint32_t step = 0; step < task.steps; ++step, tile = task.after(tile)) {
    for (std::uint32_t i = threadIdx.x; i < task.words; i += blockDim.x) {
      const std::uint64_t first = (std::uint64_t{tile} * task.words + task.words - 1 - i) * 4;
      for (std::uint64_t k = 0; k < 4; ++k) expected += measure::random_word(first + k);
    }
  }
  if (sums[blockIdx.x * blockDim.x + threadIdx.x] != expected) atomicAdd(mismatches, 1ULL);
}

}  // namespace gpumem::shared
