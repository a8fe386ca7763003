#pragma once
// Counts the cost of a pattern's requests on the GPU. Nothing here needs the host, so NVRTC can compile it with any
// pattern.

#include "engine/access/request.hpp"
#include "probes/global/kernels.cuh"

namespace gpumem::global {

/// The counts of one warp, in device memory.
struct CountedRequests {
  unsigned long long requests = 0;        ///< with an active lane
  unsigned long long sectors = 0;         ///< over the requests, each one's distinct sectors
  unsigned long long lines = 0;           ///< the same of lines
  unsigned long long addresses = 0;       ///< the same of elements
  unsigned long long accesses = 0;        ///< of active lanes
  unsigned long long extent = 0;          ///< one more than the highest element
  unsigned long long highest_access = 0;  ///< one that goes there, if there is any
  unsigned long long negative = 0;        ///< requests with an element below 0, which are not counted
};

#ifdef __CUDACC__

/// Returns to every lane the number of distinct values among the lanes that take part.
__device__ inline unsigned distinct(bool takes_part, unsigned active, unsigned lane, std::uint64_t value) {
  bool first = false;
  if (takes_part) first = __ffs(static_cast<int>(__match_any_sync(active, value))) - 1 == static_cast<int>(lane);
  return static_cast<unsigned>(__popc(static_cast<int>(__ballot_sync(~0U, first))));
}

/// Counts the `requests` of a launch of `count` accesses. Each warp takes one request after another until all are
/// counted. Sets the bit of every touched element in `marks`, unless that is null. `found` has one entry per warp.
/// Blocks must consist of whole warps.
template <class Pattern>
__global__ void __launch_bounds__(1024)
    count_requests(Tile tile, std::uint64_t count, std::uint64_t requests, std::uint32_t word_bytes,
                   std::uint32_t* marks, CountedRequests* found, Pattern pattern) {
  const unsigned lane = threadIdx.x % access::warp_lanes;
  const std::uint64_t warp = (std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x) / access::warp_lanes;
  const std::uint64_t all_warps = std::uint64_t{gridDim.x} * blockDim.x / access::warp_lanes;
  const std::uint64_t warps = (tile.block_threads + access::warp_lanes - 1) / access::warp_lanes;
  CountedRequests sum;  // the same in all lanes, but for the highest
  for (std::uint64_t k = warp; k < requests; k += all_warps) {
    const auto thread = static_cast<std::uint32_t>(k % warps * access::warp_lanes + lane);
    const auto turn = static_cast<std::uint32_t>(k / warps % tile.elements_per_thread);
    const std::uint64_t i = tile.element(k / (warps * tile.elements_per_thread), thread, turn);
    const bool takes_part = thread < tile.block_threads && i < count && pattern.active(i);
    const unsigned active = __ballot_sync(~0U, takes_part);
    if (active == 0) continue;
    const std::uint64_t element = takes_part ? pattern(i) : 0;
    if (__any_sync(~0U, static_cast<long long>(element) < 0)) {
      ++sum.negative;
      continue;
    }
    const std::uint64_t byte = element * word_bytes;  // words cross no sector: they begin at multiples of their size
    ++sum.requests;
    sum.sectors += distinct(takes_part, active, lane, byte / access::sector_bytes);
    sum.lines += distinct(takes_part, active, lane, byte / access::line_bytes);
    sum.addresses += distinct(takes_part, active, lane, element);
    sum.accesses += static_cast<unsigned>(__popc(static_cast<int>(active)));
    if (!takes_part) continue;
    if (element >= sum.extent) {
      sum.extent = element + 1;
      sum.highest_access = i;
    }
    if (marks != nullptr) atomicOr(&marks[element / 32], 1U << (element % 32));
  }
  for (unsigned distance = access::warp_lanes / 2; distance > 0; distance /= 2) {
    const unsigned long long extent = __shfl_down_sync(~0U, sum.extent, distance);
    const unsigned long long highest_access = __shfl_down_sync(~0U, sum.highest_access, distance);
    if (extent <= sum.extent) continue;
    sum.extent = extent;
    sum.highest_access = highest_access;
  }
  if (lane == 0) found[warp] = sum;
}

#endif  // __CUDACC__

}  // namespace gpumem::global
