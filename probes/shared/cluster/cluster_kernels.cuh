#pragma once
// Kernels whose blocks read, write or change words of another block's shared memory, and their check.

#include <cstdint>

#include "engine/access/request.hpp"
#include "engine/measure/clusters.cuh"
#include "engine/measure/content.hpp"
#include "probes/shared/cluster/cluster_pull.hpp"
#include "probes/shared/shared_probe.cuh"

namespace gpumem::shared {

/// Each thread of the blocks that pull accesses its word of the block they pull from, `pull.times` times; each such
/// block stores its cycles. Then each thread stores the sum of what it read, or what lies in its block at its word.
template <access::Op op>
__global__ void __launch_bounds__(block_threads)
    pull_words(std::uint32_t* sums, std::uint64_t* cycles, ClusterPull pull, std::uint32_t salt) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  extern __shared__ uint4 tile[];
  const unsigned rank = measure::rank_in_cluster();
  auto* content = reinterpret_cast<std::uint32_t*>(tile);
  for (std::uint32_t i = threadIdx.x; i < pull.extent(); i += blockDim.x) content[i] = pull.content(rank, i);
  const std::uint32_t word = pull.word_of(threadIdx.x);
  const std::uint32_t own = static_cast<std::uint32_t>(__cvta_generic_to_shared(tile)) + word * access::bank_bytes;
  const std::uint32_t address = measure::in_block_of_cluster(own, pull.source_of(rank));
  std::uint32_t sum = 0;
  measure::wait_for_cluster();
  if (pull.pulls(rank)) {
    const std::uint32_t written = pull.written(word, salt);
    const std::uint64_t start = clock64();
#pragma unroll 1
    for (std::uint32_t iteration = 0; iteration < pull.iterations; ++iteration) {
      std::uint32_t value[ClusterPull::turns] = {};
#pragma unroll
      for (std::uint32_t& of_turn : value) {
        if constexpr (op == access::Op::load) {
          asm volatile("ld.volatile.shared::cluster.u32 %0, [%1];" : "=r"(of_turn) : "r"(address));
        } else if constexpr (op == access::Op::store) {
          asm volatile("st.volatile.shared::cluster.u32 [%0], %1;" ::"r"(address), "r"(written));
        } else {
          asm volatile("red.relaxed.cluster.shared::cluster.add.u32 [%0], 1;" ::"r"(address) : "memory");
        }
      }
#pragma unroll
      for (const std::uint32_t of_turn : value) sum += of_turn;
    }
    // Behind this fence, all that was written has arrived.
    if constexpr (op != access::Op::load) asm volatile("fence.acq_rel.cluster;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) cycles[blockIdx.x / pull.blocks * pull.pullers + pull.place(rank)] = clock64() - start;
  }
  measure::wait_for_cluster();
  if constexpr (op != access::Op::load) {
    std::uint32_t found[1];
    load(own, found);
    sum = found[0];
  }
  sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
#else
  __trap();
#endif
}

/// Each thread's sum must be what pull_words() leaves.
static __global__ void check_pulled_words(const std::uint32_t* sums, ClusterPull pull, access::Op op,
                                          std::uint32_t salt, unsigned long long* mismatches) {
  const std::uint32_t expected = pull.left_behind(blockIdx.x % pull.blocks, threadIdx.x, op, salt);
  if (sums[blockIdx.x * blockDim.x + threadIdx.x] != expected) atomicAdd(mismatches, 1ULL);
}

}  // namespace gpumem::shared
