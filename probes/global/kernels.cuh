#pragma once
// The kernels of the global-memory probes. The pattern decides which elements are accessed, the tile how threads share
// out the work. Nothing here needs the host, so NVRTC can compile it with any other pattern.

#include "engine/access/host_device.hpp"
#include "engine/measure/content.hpp"

namespace gpumem::global {

/// Shares out the elements of a launch. Block b takes a run of block_threads x elements_per_thread of them. Its threads
/// take neighbouring elements, a block's width apart from turn to turn, so that every turn coalesces.
struct Tile {
  std::uint32_t block_threads;
  std::uint32_t elements_per_thread;

  [[nodiscard]] GPUMEM_HOST_DEVICE constexpr std::uint64_t elements() const {
    return std::uint64_t{block_threads} * elements_per_thread;
  }
  [[nodiscard]] GPUMEM_HOST_DEVICE constexpr std::uint64_t element(std::uint64_t block, std::uint32_t thread,
                                                                   std::uint32_t turn) const {
    return block * elements() + turn * block_threads + thread;
  }
};

#ifdef __CUDACC__

/// The words of 4, 8 and 16 bytes that one instruction loads or stores: random content, and folding to 32 bits.
template <class Word>
struct WordTraits;

template <>
struct WordTraits<std::uint32_t> {
  static __device__ std::uint32_t random(std::uint64_t element) { return measure::random_word(element); }
  static __device__ std::uint32_t fold(std::uint32_t word) { return word; }
};
template <>
struct WordTraits<uint2> {
  static __device__ uint2 random(std::uint64_t element) {
    return {measure::random_word(2 * element), measure::random_word(2 * element + 1)};
  }
  static __device__ std::uint32_t fold(uint2 word) { return word.x ^ word.y; }
};
template <>
struct WordTraits<uint4> {
  static __device__ uint4 random(std::uint64_t element) {
    return {measure::random_word(4 * element), measure::random_word(4 * element + 1),
            measure::random_word(4 * element + 2), measure::random_word(4 * element + 3)};
  }
  static __device__ std::uint32_t fold(uint4 word) { return word.x ^ word.y ^ word.z ^ word.w; }
};

/// Stores an element on a turn. With NVRTC the pattern is known only when the program runs, and several turns may store
/// to one element. All of them do: the compiler may leave none out because the next one overwrites it.
template <class Word>
__device__ void store(Word* target, Word word) {
#ifdef __CUDACC_RTC__
  if constexpr (sizeof(Word) == 4) {
    asm volatile("st.global.u32 [%0], %1;" ::"l"(target), "r"(word));
  } else if constexpr (sizeof(Word) == 8) {
    asm volatile("st.global.v2.u32 [%0], {%1, %2};" ::"l"(target), "r"(word.x), "r"(word.y));
  } else {
    asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(target), "r"(word.x), "r"(word.y), "r"(word.z),
                 "r"(word.w));
  }
#else
  *target = word;
#endif
}

/// Loads `count` elements. If `checksums` is given, each thread stores its loads there, folded, so that they can be
/// verified. Timed launches pass null, but the compiler cannot remove the loads.
template <class Word, class Pattern, unsigned elements_per_thread>
__global__ void __launch_bounds__(1024)
    read(const Word* source, std::uint32_t* checksums, std::uint64_t count, Pattern pattern) {
  const Tile tile{blockDim.x, elements_per_thread};
  Word word[elements_per_thread];
#pragma unroll
  for (unsigned turn = 0; turn < elements_per_thread; ++turn) {
    const std::uint64_t i = tile.element(blockIdx.x, threadIdx.x, turn);
    word[turn] = i < count && pattern.active(i) ? source[pattern(i)] : Word{};
  }
  std::uint32_t checksum = 0;
#pragma unroll
  for (unsigned turn = 0; turn < elements_per_thread; ++turn) checksum ^= WordTraits<Word>::fold(word[turn]);
  if (checksums != nullptr) checksums[std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x] = checksum;
}

/// Stores `count` elements of random content.
template <class Word, class Pattern, unsigned elements_per_thread>
__global__ void __launch_bounds__(1024) write(Word* target, std::uint64_t count, Pattern pattern) {
  const Tile tile{blockDim.x, elements_per_thread};
#pragma unroll
  for (unsigned turn = 0; turn < elements_per_thread; ++turn) {
    const std::uint64_t i = tile.element(blockIdx.x, threadIdx.x, turn);
    if (i >= count || !pattern.active(i)) continue;
    const std::uint64_t element = pattern(i);
    store(&target[element], WordTraits<Word>::random(element));
  }
}

/// Copies `count` elements, each to the index it came from. All loads are issued before the first store waits.
template <class Word, class Pattern, unsigned elements_per_thread>
__global__ void __launch_bounds__(1024) copy(const Word* source, Word* target, std::uint64_t count, Pattern pattern) {
  const Tile tile{blockDim.x, elements_per_thread};
  Word word[elements_per_thread];
#pragma unroll
  for (unsigned turn = 0; turn < elements_per_thread; ++turn) {
    const std::uint64_t i = tile.element(blockIdx.x, threadIdx.x, turn);
    if (i < count && pattern.active(i)) word[turn] = source[pattern(i)];
  }
#pragma unroll
  for (unsigned turn = 0; turn < elements_per_thread; ++turn) {
    const std::uint64_t i = tile.element(blockIdx.x, threadIdx.x, turn);
    if (i < count && pattern.active(i)) store(&target[pattern(i)], word[turn]);
  }
}

#endif  // __CUDACC__

}  // namespace gpumem::global
