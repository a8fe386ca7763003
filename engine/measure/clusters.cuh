#pragma once
// Clusters of blocks: how a kernel with them is launched, and what its blocks ask of each other. Only devices of
// compute capability 9.0 on have them (require_clusters). Elsewhere a kernel compiles to __trap(), or to something that
// is never launched.

#include <cuda_runtime.h>

#include <cstdint>
#include <string>
#include <utility>

#include "engine/base/error.hpp"
#include "engine/measure/cuda.hpp"

namespace gpumem::measure {

struct ClusterShape {
  std::uint64_t clusters = 1;
  unsigned blocks = 1;  ///< of a cluster
  unsigned block_threads = 1;
  unsigned shared_bytes = 0;  ///< dynamic, of a block
};

namespace detail {
/// Calls visit(configuration), which points to the shape as an attribute.
template <class Visitor>
void with_configuration(const ClusterShape& shape, cudaStream_t stream, Visitor&& visit) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {shape.blocks, 1, 1};
  cudaLaunchConfig_t configuration{};
  configuration.gridDim = dim3(static_cast<unsigned>(shape.clusters * shape.blocks));
  configuration.blockDim = dim3(shape.block_threads);
  configuration.dynamicSmemBytes = shape.shared_bytes;
  configuration.stream = stream;
  configuration.attrs = &attribute;
  configuration.numAttrs = 1;
  visit(configuration);
}
}  // namespace detail

/// Lets a kernel be launched in that shape, also in clusters of more than eight blocks, which not every GPU has room
/// for. Throws a missing-capability error if this one has none.
template <class... Parameters>
void ready_for_clusters(void (*kernel)(Parameters...), const ClusterShape& shape) {
  const auto* const entry = reinterpret_cast<const void*>(kernel);
  cudaFuncAttributes attributes{};
  check(cudaFuncGetAttributes(&attributes, entry), "look at the kernel");
  constexpr int first_with_clusters = 90;
  if (attributes.ptxVersion < first_with_clusters) {
    throw missing_capability_error("this program was not built for GPUs with clusters: build it for sm_90 or later");
  }
  allow_all_shared_memory(entry);
  check(cudaFuncSetAttribute(entry, cudaFuncAttributeNonPortableClusterSizeAllowed, 1), "allow large clusters");
  int most = 0;
  detail::with_configuration(shape, nullptr, [&](const cudaLaunchConfig_t& configuration) {
    check(cudaOccupancyMaxActiveClusters(&most, entry, &configuration), "ask how many clusters fit");
  });
  if (most >= 1) return;
  throw missing_capability_error("this GPU has no room for clusters of " + std::to_string(shape.blocks) +
                                 " blocks, one to a multiprocessor");
}

/// Queues a launch of that shape.
template <class... Parameters, class... Arguments>
void launch_clusters(void (*kernel)(Parameters...), const ClusterShape& shape, cudaStream_t stream,
                     Arguments&&... arguments) {
  detail::with_configuration(shape, stream, [&](const cudaLaunchConfig_t& configuration) {
    check(cudaLaunchKernelEx(&configuration, kernel, std::forward<Arguments>(arguments)...), "launch clusters");
  });
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
__device__ inline unsigned rank_in_cluster() {
  unsigned rank = 0;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
/// Maps the address of a variable in this block's shared memory to that of the same variable in another block of the
/// cluster: a generic address, or one of shared::cluster.
__device__ inline std::uint64_t in_block_of_cluster(std::uint64_t address, unsigned rank) {
  asm volatile("mapa.u64 %0, %0, %1;" : "+l"(address) : "r"(rank));
  return address;
}
__device__ inline std::uint32_t in_block_of_cluster(std::uint32_t address, unsigned rank) {
  asm volatile("mapa.shared::cluster.u32 %0, %0, %1;" : "+r"(address) : "r"(rank));
  return address;
}
__device__ inline void wait_for_cluster() {
  asm volatile("barrier.cluster.arrive.release;\n\tbarrier.cluster.wait.acquire;" ::: "memory");
}
#else  // never launched
__device__ inline unsigned rank_in_cluster() { return blockIdx.x; }
__device__ inline std::uint64_t in_block_of_cluster(std::uint64_t address, unsigned) { return address; }
__device__ inline std::uint32_t in_block_of_cluster(std::uint32_t address, unsigned) { return address; }
__device__ inline void wait_for_cluster() {}
#endif

}  // namespace gpumem::measure
