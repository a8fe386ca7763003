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

/// A word of 32 bytes, which GPUs of compute capability 10.0 load and store with one instruction (PTX ISA 8.8,
/// ld.global.v8.b32, which nvcc has since CUDA 12.9).
struct alignas(32) WideWord {
  std::uint32_t of[8];
};

#ifdef __CUDACC_RTC__
#define GPUMEM_HAS_WIDE_WORDS true
#else
#define GPUMEM_HAS_WIDE_WORDS (__CUDACC_VER_MAJOR__ > 12 || (__CUDACC_VER_MAJOR__ == 12 && __CUDACC_VER_MINOR__ >= 9))
#endif

/// Ends a kernel at its beginning if the architecture that it is compiled for has no such words. Returns false then.
template <class Word>
__device__ bool has_words() {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ < 1000 || !GPUMEM_HAS_WIDE_WORDS
  if constexpr (sizeof(Word) > sizeof(uint4)) {
    __trap();
    return false;
  }
#endif
  return true;
}

template <class Word>
__device__ Word load(const Word* source) {
  return *source;
}
template <>
__device__ inline WideWord load(const WideWord* source) {
  WideWord word{};
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1000 && GPUMEM_HAS_WIDE_WORDS
  asm volatile("ld.global.v8.b32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8];"
               : "=r"(word.of[0]), "=r"(word.of[1]), "=r"(word.of[2]), "=r"(word.of[3]), "=r"(word.of[4]),
                 "=r"(word.of[5]), "=r"(word.of[6]), "=r"(word.of[7])
               : "l"(source));
#endif
  return word;
}

/// The words of 1 to 32 bytes that one instruction loads or stores: random content, and folding to 32 bits.
template <class Word>
struct WordTraits;

template <>
struct WordTraits<unsigned char> {
  static __device__ unsigned char random(std::uint64_t element) {
    return static_cast<unsigned char>(measure::ContentParts::of(1).random(element));
  }
  static __device__ std::uint32_t fold(unsigned char word) { return word; }
};
template <>
struct WordTraits<unsigned short> {
  static __device__ unsigned short random(std::uint64_t element) {
    return static_cast<unsigned short>(measure::ContentParts::of(2).random(element));
  }
  static __device__ std::uint32_t fold(unsigned short word) { return word; }
};

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
template <>
struct WordTraits<WideWord> {
  static __device__ WideWord random(std::uint64_t element) {
    WideWord word;
#pragma unroll
    for (unsigned k = 0; k < 8; ++k) word.of[k] = measure::random_word(8 * element + k);
    return word;
  }
  static __device__ std::uint32_t fold(const WideWord& word) {
    std::uint32_t folded = 0;
#pragma unroll
    for (const std::uint32_t each : word.of) folded ^= each;
    return folded;
  }
};

/// Stores an element on a turn. With NVRTC the pattern is known only when the program runs, and several turns may store
/// to one element. All of them do: the compiler may leave none out because the next one overwrites it.
template <class Word>
__device__ void store(Word* target, Word word) {
  if constexpr (sizeof(Word) == sizeof(WideWord)) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1000 && GPUMEM_HAS_WIDE_WORDS
    asm volatile("st.global.v8.b32 [%0], {%1, %2, %3, %4, %5, %6, %7, %8};" ::"l"(target), "r"(word.of[0]),
                 "r"(word.of[1]), "r"(word.of[2]), "r"(word.of[3]), "r"(word.of[4]), "r"(word.of[5]), "r"(word.of[6]),
                 "r"(word.of[7]));
#endif
    return;
  }
#ifdef __CUDACC_RTC__
  if constexpr (sizeof(Word) == 1) {
    asm volatile("st.global.u8 [%0], %1;" ::"l"(target), "r"(static_cast<std::uint32_t>(word)));
  } else if constexpr (sizeof(Word) == 2) {
    asm volatile("st.global.u16 [%0], %1;" ::"l"(target), "h"(word));
  } else if constexpr (sizeof(Word) == 4) {
    asm volatile("st.global.u32 [%0], %1;" ::"l"(target), "r"(word));
  } else if constexpr (sizeof(Word) == 8) {
    asm volatile("st.global.v2.u32 [%0], {%1, %2};" ::"l"(target), "r"(word.x), "r"(word.y));
  } else if constexpr (sizeof(Word) == 16) {
    asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(target), "r"(word.x), "r"(word.y), "r"(word.z),
                 "r"(word.w));
  }
#else
  if constexpr (sizeof(Word) <= sizeof(uint4)) *target = word;
#endif
}

/// Loads `count` elements. If `checksums` is given, each thread stores its loads there, folded, so that they can be
/// verified. Timed launches pass null, but the compiler cannot remove the loads.
template <class Word, class Pattern, unsigned elements_per_thread>
__global__ void __launch_bounds__(1024)
    read(const Word* source, std::uint32_t* checksums, std::uint64_t count, Pattern pattern) {
  if (!has_words<Word>()) return;
  const Tile tile{blockDim.x, elements_per_thread};
  Word word[elements_per_thread];
#pragma unroll
  for (unsigned turn = 0; turn < elements_per_thread; ++turn) {
    const std::uint64_t i = tile.element(blockIdx.x, threadIdx.x, turn);
    word[turn] = i < count && pattern.active(i) ? load(source + pattern(i)) : Word{};
  }
  std::uint32_t checksum = 0;
#pragma unroll
  for (unsigned turn = 0; turn < elements_per_thread; ++turn) checksum ^= WordTraits<Word>::fold(word[turn]);
  if (checksums != nullptr) checksums[std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x] = checksum;
}

/// Stores `count` elements of random content.
template <class Word, class Pattern, unsigned elements_per_thread>
__global__ void __launch_bounds__(1024) write(Word* target, std::uint64_t count, Pattern pattern) {
  if (!has_words<Word>()) return;
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
  if (!has_words<Word>()) return;
  const Tile tile{blockDim.x, elements_per_thread};
  Word word[elements_per_thread];
#pragma unroll
  for (unsigned turn = 0; turn < elements_per_thread; ++turn) {
    const std::uint64_t i = tile.element(blockIdx.x, threadIdx.x, turn);
    if (i < count && pattern.active(i)) word[turn] = load(source + pattern(i));
  }
#pragma unroll
  for (unsigned turn = 0; turn < elements_per_thread; ++turn) {
    const std::uint64_t i = tile.element(blockIdx.x, threadIdx.x, turn);
    if (i < count && pattern.active(i)) store(&target[pattern(i)], word[turn]);
  }
}

#endif  // __CUDACC__

}  // namespace gpumem::global
