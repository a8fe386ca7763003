#pragma once
// Device-side checks of the global kernels' output against the functor itself. Nothing here needs the host, so NVRTC
// can compile it with any other pattern.

#include "probes/global/kernels.cuh"

namespace gpumem::global {

/// The result of a check, in device memory.
struct Mismatches {
  unsigned long long count = 0;
  unsigned long long first = ~0ULL;  ///< smallest offending index; all ones without any
  unsigned long long written = 0;    ///< parts that no longer hold the poison
  unsigned long long unseen = 0;     ///< parts that the pattern names, whose right content equals the poison
};

#ifdef __CUDACC__

__device__ inline void report_mismatch(Mismatches* found, std::uint64_t index) {
  atomicAdd(&found->count, 1ULL);
  atomicMin(&found->first, static_cast<unsigned long long>(index));
}

/// Every element the pattern names must hold its random content, with the bits of `also` set in each part. One thread
/// per element, in any order.
template <class Pattern>
__global__ void check_target(const std::uint32_t* target, measure::ContentParts parts, std::uint64_t count,
                             std::uint32_t also, Pattern pattern, Mismatches* found) {
  unsigned long long unseen = 0;
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    if (!pattern.active(i)) continue;
    const std::uint64_t first = pattern(i) * parts.per_element;
    for (std::uint64_t part = first; part < first + parts.per_element; ++part) {
      const std::uint32_t right = parts.random(part) | parts.low(also);
      if (parts.at(target, part) != right) report_mismatch(found, part);
      unseen += right == parts.poison() ? 1 : 0;
    }
  }
  if (unseen != 0) atomicAdd(&found->unseen, unseen);
}

/// Each thread's checksum must be the fold of the elements that the tile and the pattern give it.
template <class Pattern>
__global__ void check_checksums(const std::uint32_t* checksums, measure::ContentParts parts, std::uint64_t count,
                                Tile tile, std::uint64_t threads, Pattern pattern, Mismatches* found) {
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t t = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; t < threads; t += step) {
    std::uint32_t expected = 0;
    for (std::uint32_t turn = 0; turn < tile.elements_per_thread; ++turn) {
      const std::uint64_t i =
          tile.element(t / tile.block_threads, static_cast<std::uint32_t>(t % tile.block_threads), turn);
      if (i >= count || !pattern.active(i)) continue;
      for (std::uint32_t k = 0; k < parts.per_element; ++k) {
        expected ^= parts.random(pattern(i) * parts.per_element + k);
      }
    }
    if (checksums[t] != expected) report_mismatch(found, t);
  }
}

/// Marks the elements that the pattern names, a bit each. For patterns that may name one several times.
template <class Pattern>
__global__ void mark_elements(std::uint32_t* marks, std::uint64_t count, Pattern pattern) {
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    if (!pattern.active(i)) continue;
    const std::uint64_t element = pattern(i);
    atomicOr(&marks[element / 32], 1U << (element % 32));
  }
}

/// Every one of `count` parts that is no longer poison must belong to a marked element.
static __global__ void check_unmarked(const std::uint32_t* target, std::uint64_t count, measure::ContentParts parts,
                                      const std::uint32_t* marks, Mismatches* found) {
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    const std::uint64_t element = i / parts.per_element;
    const bool marked = (marks[element / 32] >> (element % 32) & 1U) != 0;
    if (!marked && parts.at(target, i) != parts.poison()) report_mismatch(found, i);
  }
}

/// Counts which of `count` parts are no longer poison: more than the pattern names means stray stores.
static __global__ void count_written(const std::uint32_t* target, std::uint64_t count, measure::ContentParts parts,
                                     Mismatches* found) {
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  unsigned long long written = 0;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    written += parts.at(target, i) != parts.poison() ? 1 : 0;
  }
  if (written != 0) atomicAdd(&found->written, written);
}

#endif  // __CUDACC__

}  // namespace gpumem::global
