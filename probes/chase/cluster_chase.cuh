#pragma once
// A chase through the shared memory of another block of the cluster.

#include <type_traits>

#include "engine/access/request.hpp"
#include "engine/measure/clusters.cuh"
#include "probes/chase/chase_order.hpp"
#include "probes/chase/timed_chase.cuh"

namespace gpumem::chase {

constexpr unsigned cluster_chase_bytes = 32U << 10U;  ///< of shared memory, a node to a line

/// The first block of a cluster chases through the shared memory of the block of that rank, not its own: by loads from
/// generic addresses, or by atomics that change nothing, at addresses of shared::cluster.
template <unsigned in_a_row, access::Op op>
__global__ void chase_cluster(ChaseOrder order, std::uint32_t steps, unsigned rank, std::uint64_t* result) {
  using Place = std::conditional_t<op == access::Op::load, std::uint64_t, std::uint32_t>;
  __shared__ Place nodes[cluster_chase_bytes / sizeof(Place)];
  constexpr unsigned step_words = access::line_bytes / sizeof(Place);
  const auto here = [&]() -> Place {
    if constexpr (op == access::Op::load) return reinterpret_cast<std::uint64_t>(nodes);
    return static_cast<Place>(__cvta_generic_to_shared(nodes));
  };
  const Place base = measure::in_block_of_cluster(here(), rank);
  const unsigned own = measure::rank_in_cluster();
  if (own == rank) {
    for (std::uint64_t k = threadIdx.x; k < order.nodes(); k += blockDim.x) {
      nodes[order(k) * step_words] = base + static_cast<Place>(order.next(k)) * access::line_bytes;
    }
  }
  measure::wait_for_cluster();
  if (own == 0 && threadIdx.x == 0) {
    const Place first = base + static_cast<Place>(order(0)) * access::line_bytes;
    time_chase<in_a_row>(first, base, steps, result, [](Place& at) {
      if constexpr (op == access::Op::load) {
        asm volatile("ld.u64 %0, [%0];" : "+l"(at));
      } else {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900  // never launched on others
        asm volatile("atom.relaxed.cluster.shared::cluster.max.u32 %0, [%0], 0;" : "+r"(at));
#endif
      }
    });
  }
  measure::wait_for_cluster();  // a block's shared memory is gone when it ends
}

}  // namespace gpumem::chase
