#pragma once
// Blocks of a cluster that all need the same tiles: each fetches its own copy, or one fetch feeds all. And their check.

#include <cstdint>

#include "engine/measure/clusters.cuh"
#include "engine/measure/content.hpp"
#include "probes/shared/async_copy/async_copy_kernels.cuh"
#include "probes/shared/bulk_copy.cuh"

namespace gpumem::shared {

/// Which tile of an array a cluster needs in a step: clusters begin next to each other, and go round the array.
struct SharedTiles {
  std::uint32_t tiles;   ///< of the array
  std::uint32_t words;   ///< of a tile, each of word_bytes
  std::uint32_t steps;   ///< of a cluster
  std::uint32_t blocks;  ///< of a cluster

  [[nodiscard]] GPUMEM_HOST_DEVICE constexpr std::uint64_t first_word(std::uint32_t block, std::uint32_t step) const {
    return (std::uint64_t{block / blocks} * steps + step) % tiles * words;
  }
};

/// The ring of copy_by_bulk_engine(), in each block of a cluster. By multicast, the first block asks for all of them
/// when all have used what lies in the stage; a barrier of its tells.
template <bool by_multicast>
__global__ void __launch_bounds__(1024)
    fetch_shared_tiles(const uint4* source, std::uint32_t* sums, std::uint64_t* cycles, SharedTiles task) {
#if __CUDA_ARCH__ >= 900
  extern __shared__ uint4 ring[];
  __shared__ std::uint64_t filled[ring_stages];
  __shared__ std::uint64_t used[ring_stages];  // by all blocks; the first block's count
  if (threadIdx.x == 0) {
    for (auto& barrier : filled) start_barrier(barrier, 1);
    for (auto& barrier : used) start_barrier(barrier, task.blocks);
    show_barriers_to_engine();
  }
  measure::wait_for_cluster();
  const bool leads = measure::rank_in_cluster() == 0;
  const std::uint32_t bytes = task.words * word_bytes;
  const std::uint64_t start = clock64();
  std::uint32_t sum = 0;
#pragma unroll 1
  for (std::uint32_t step = 0; step < task.steps + ring_stages; ++step) {
    const std::uint32_t slot = step % ring_stages;
    uint4* stage = ring + slot * task.words;
    const std::uint32_t parity = (step / ring_stages - 1) % 2;  // of the use of the stage that is waited for
    if (step >= ring_stages) {
      while (!has_arrived(filled[slot], parity)) continue;
      sum += sum_of(stage, task.words);
      __syncthreads();
    }
    if (threadIdx.x != 0) continue;
    if (step < task.steps) expect_bytes(filled[slot], bytes);
    if (by_multicast && step >= ring_stages) {
      arrive_in_cluster(measure::in_block_of_cluster(shared_address(&used[slot]), 0));
    }
    if (step >= task.steps) continue;
    const uint4* tile = source + task.first_word(blockIdx.x, step);
    if constexpr (by_multicast) {
      if (!leads) continue;
      while (step >= ring_stages && !has_arrived(used[slot], parity)) continue;
      request_multicast(stage, tile, bytes, filled[slot], task.blocks);
    } else {
      request_bulk_copy(stage, tile, bytes, filled[slot]);
    }
  }
  if (threadIdx.x == 0) cycles[blockIdx.x] = clock64() - start;
  sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
  measure::wait_for_cluster();  // the first block's barriers are there until the last has arrived
#else
  __trap();
#endif
}

/// Each thread's sum must be that of its words of every tile of its cluster.
static __global__ void check_shared_tiles(const std::uint32_t* sums, SharedTiles task, unsigned long long* mismatches) {
  std::uint32_t expected = 0;
  for (std::uint32_t step = 0; step < task.steps; ++step) {
    for (std::uint32_t i = threadIdx.x; i < task.words; i += blockDim.x) {
      const std::uint64_t first = (task.first_word(blockIdx.x, step) + task.words - 1 - i) * 4;
      for (std::uint64_t k = 0; k < 4; ++k) expected += measure::random_word(first + k);
    }
  }
  if (sums[blockIdx.x * blockDim.x + threadIdx.x] != expected) atomicAdd(mismatches, 1ULL);
}

}  // namespace gpumem::shared
