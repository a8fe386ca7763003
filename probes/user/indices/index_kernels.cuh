#pragma once
// The kernels of index arrays. They are like those of kernels.cuh, but load an index only once per access.

#include "probes/global/verify_kernels.cuh"

namespace gpumem::global {

/// The elements that an array of indices names, as a pattern for `read`, `write` and the checks. No launch writes the
/// array. __ldg tells that to the compiler, which can then load all of a thread's indices before the first store.
template <class Index>
struct IndexPattern {
  const Index* indices;

  __device__ std::uint64_t operator()(std::uint64_t i) const { return __ldg(indices + i); }
  __device__ bool active(std::uint64_t) const { return true; }
};

/// Elements that a thread has on their way at once: 8 with wide words and indices would take more than 64 registers.
template <class Word, class Index, unsigned elements_per_thread, bool has_from>
inline constexpr unsigned copied_at_once = elements_per_thread > 4 &&
                                                   sizeof(Word) + (has_from ? 2 : 1) * sizeof(Index) > 20
                                               ? 4
                                               : elements_per_thread;

/// Copies element from[i] of the source to element to[i] of the target; without `has_from`, element to[i] to element
/// to[i]. Issues the loads of all elements that are copied at once before the first store waits.
template <class Word, class Index, unsigned elements_per_thread, bool has_from>
__global__ void __launch_bounds__(1024)
    copy_indexed(const Word* source, Word* target, const Index* from, const Index* to, std::uint64_t count) {
  if (!has_words<Word>()) return;
  constexpr unsigned at_once = copied_at_once<Word, Index, elements_per_thread, has_from>;
  const Tile tile{blockDim.x, elements_per_thread};
#pragma unroll
  for (unsigned first = 0; first < elements_per_thread; first += at_once) {
    Index read_from[at_once];
    Index written_to[at_once];
    Word word[at_once];
#pragma unroll
    for (unsigned turn = 0; turn < at_once; ++turn) {
      const std::uint64_t i = tile.element(blockIdx.x, threadIdx.x, first + turn);
      if (i >= count) continue;
      written_to[turn] = __ldg(to + i);
      read_from[turn] = has_from ? __ldg(from + i) : written_to[turn];
    }
#pragma unroll
    for (unsigned turn = 0; turn < at_once; ++turn) {
      const std::uint64_t i = tile.element(blockIdx.x, threadIdx.x, first + turn);
      if (i < count) word[turn] = load(source + read_from[turn]);
    }
#pragma unroll
    for (unsigned turn = 0; turn < at_once; ++turn) {
      const std::uint64_t i = tile.element(blockIdx.x, threadIdx.x, first + turn);
      if (i < count) store(target + written_to[turn], word[turn]);
    }
  }
}

/// Marks the elements of the target that hold the source element of one of the accesses that go there.
template <class Index>
__global__ void mark_arrived(const std::uint32_t* target, measure::ContentParts parts, std::uint64_t count,
                             const Index* from, const Index* to, std::uint32_t* marks) {
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    const std::uint64_t element = to[i];
    const std::uint64_t first = element * parts.per_element;
    const std::uint64_t source = std::uint64_t{from[i]} * parts.per_element;
    bool same = true;
    for (std::uint32_t k = 0; k < parts.per_element; ++k) {
      same = same && parts.at(target, first + k) == parts.random(source + k);
    }
    if (same) atomicOr(&marks[element / 32], 1U << (element % 32));
  }
}

/// Every element that an access goes to must be marked.
template <class Index>
__global__ void check_arrived(const std::uint32_t* marks, measure::ContentParts parts, std::uint64_t count,
                              const Index* to, Mismatches* found) {
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    const std::uint64_t element = to[i];
    if ((marks[element / 32] >> (element % 32) & 1U) == 0) report_mismatch(found, element * parts.per_element);
  }
}

}  // namespace gpumem::global
