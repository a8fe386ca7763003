#pragma once
// The bulk copy engine and its barriers in shared memory, of compute capability 9.0 on: PTX ISA, "cp.async.bulk" and
// "mbarrier".

#include <cstdint>

namespace gpumem::shared {

__device__ inline std::uint32_t shared_address(const void* pointer) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

#if __CUDA_ARCH__ >= 900
/// Starts a barrier whose phase completes after this many arrivals, when all expected bytes have arrived too.
__device__ inline void start_barrier(std::uint64_t& barrier, unsigned arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(&barrier)), "r"(arrivals) : "memory");
}
/// Makes barriers visible to the bulk copy engine, after they were started.
__device__ inline void show_barriers_to_engine() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

/// Waits a while for the phase of this parity. True if it has completed.
__device__ inline bool has_arrived(const std::uint64_t& barrier, std::uint32_t parity) {
  std::uint32_t arrived = 0;
  asm volatile(
      "{\n\t.reg .pred done;\n\t"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%1], %2;\n\t"
      "selp.u32 %0, 1, 0, done;\n\t}"
      : "=r"(arrived)
      : "r"(shared_address(&barrier)), "r"(parity)
      : "memory");
  return arrived != 0;
}

/// Arrives, and has the phase wait for so many bytes.
__device__ inline void expect_bytes(std::uint64_t& barrier, std::uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&barrier)), "r"(bytes)
               : "memory");
}

/// Asks the engine for a stage, whose bytes the barrier counts.
__device__ inline void request_bulk_copy(uint4* stage, const uint4* tile, std::uint32_t bytes, std::uint64_t& barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   shared_address(stage)),
               "l"(tile), "r"(bytes), "r"(shared_address(&barrier))
               : "memory");
}

/// Asks for a copy to the same place in each block of the cluster. Each block's barrier at the place of `barrier`
/// counts the bytes.
__device__ inline void request_multicast(uint4* stage, const uint4* tile, std::uint32_t bytes, std::uint64_t& barrier,
                                         unsigned blocks) {
  const auto all = static_cast<std::uint16_t>((1U << blocks) - 1);
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], "
      "%4;" ::"r"(shared_address(stage)),
      "l"(tile), "r"(bytes), "r"(shared_address(&barrier)), "h"(all)
      : "memory");
}

/// Arrives at a barrier of another block of the cluster, by its shared::cluster address. All reads of this block have
/// ended by then. Its writes need not be visible there: that takes .release.cluster, which waits for all of the GPU's
/// memory (MEMBAR.ALL.GPU).
__device__ inline void arrive_in_cluster(std::uint32_t barrier) {
  asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(barrier) : "memory");
}
#endif

}  // namespace gpumem::shared
