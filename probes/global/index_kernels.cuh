#pragma once
// The kernels of index arrays: as those of kernels.cuh, but an index is loaded once for all that its access does.

#include "probes/global/verify_kernels.cuh"

namespace gpumem::global {

/// The elements that an array of indices says, as a pattern for `read`, `write` and the checks.
template <class Index>
struct IndexPattern {
  const Index* indices;

  GPUMEM_HOST_DEVICE std::uint64_t operator()(std::uint64_t i) const { return indices[i]; }
  GPUMEM_HOST_DEVICE bool active(std::uint64_t) const { return true; }
};

#ifdef __CUDACC__

/// Copies element from[i] to element to[i], where `from` is null to element to[i]. All loads of elements are issued
/// before the first store waits.
template <class Word, class Index, unsigned elements_per_thread, bool has_from>
__global__ void __launch_bounds__(1024)
    copy_indexed(const Word* source, Word* target, const Index* from, const Index* to, std::uint64_t count) {
  const Tile tile{blockDim.x, elements_per_thread};
  Index index[elements_per_thread];
  Word word[elements_per_thread];
#pragma unroll
  for (unsigned turn = 0; turn < elements_per_thread; ++turn) {
    const std::uint64_t i = tile.element(blockIdx.x, threadIdx.x, turn);
    if (i < count) index[turn] = to[i];
  }
#pragma unroll
  for (unsigned turn = 0; turn < elements_per_thread; ++turn) {
    const std::uint64_t i = tile.element(blockIdx.x, threadIdx.x, turn);
    if (i < count) word[turn] = source[has_from ? from[i] : index[turn]];
  }
#pragma unroll
  for (unsigned turn = 0; turn < elements_per_thread; ++turn) {
    const std::uint64_t i = tile.element(blockIdx.x, threadIdx.x, turn);
    if (i < count) target[index[turn]] = word[turn];
  }
}

/// Marks the elements of the target that hold what one of the accesses that go there brought from its source.
template <class Index>
__global__ void mark_arrived(const std::uint32_t* target, std::uint32_t words_per_element, std::uint64_t count,
                             const Index* from, const Index* to, std::uint32_t* marks) {
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    const std::uint64_t first = to[i] * words_per_element;
    const std::uint64_t source = from[i] * words_per_element;
    bool same = true;
    for (std::uint32_t k = 0; k < words_per_element; ++k) {
      same = same && target[first + k] == measure::random_word(source + k);
    }
    if (same) atomicOr(&marks[to[i] / 32], 1U << (to[i] % 32));
  }
}

/// Every element that an access goes to must be marked.
template <class Index>
__global__ void check_arrived(const std::uint32_t* marks, std::uint64_t count, const Index* to, Mismatches* found) {
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    if ((marks[to[i] / 32] >> (to[i] % 32) & 1U) == 0) report_mismatch(found, to[i]);
  }
}

#endif  // __CUDACC__

}  // namespace gpumem::global
