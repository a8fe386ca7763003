#pragma once
// The kernel of the roofline: words are read once and put through multiply-adds, as many as are asked for.

#include <cstdint>
#include <type_traits>

#include "engine/measure/content.hpp"

namespace gpumem::kernels {

constexpr unsigned roofline_threads = 256;
/// Loads of 16 bytes that a thread has in flight; their words are chains of multiply-adds that do not wait for each
/// other, 16 of floats and 8 of doubles.
constexpr unsigned roofline_loads = 4;

template <class Real>
using Vector = std::conditional_t<sizeof(Real) == sizeof(float), float4, double2>;

template <class Real>
__device__ inline Real& part(Vector<Real>& vector, unsigned number) {
  return reinterpret_cast<Real*>(&vector)[number];
}

/// x becomes x times + more, so slowly that no word forgets what it began as: 0.999^1024 is a third.
template <class Real>
struct Step {
  Real times;
  Real more;
};

/// A number in [1, 2), by its index.
template <class Real>
__device__ inline Real word_of(std::uint64_t index) {
  if constexpr (sizeof(Real) == sizeof(float)) {
    return __uint_as_float(0x3F800000U | measure::random_word(index) >> 9U);
  } else {
    return __hiloint2double(static_cast<int>(0x3FF00000U | measure::random_word(2 * index) >> 12U),
                            static_cast<int>(measure::random_word(2 * index + 1)));
  }
}

template <class Real>
__global__ void fill_words(Real* words, std::uint64_t count) {
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
    words[i] = word_of<Real>(i);
  }
}

/// Each thread reads its vectors, a block's width apart, takes each word through `rounds` x `fused` steps and stores
/// the sum of them, unless `sums` is null. Words are Vector<Real>, by a name that the compiled kernel has.
template <class Real, class Words, unsigned fused>
__global__ void __launch_bounds__(roofline_threads)
    multiply_add_words(const Words* words, Real* sums, unsigned rounds, Step<Real> step) {
  constexpr unsigned parts = sizeof(Words) / sizeof(Real);
  const std::uint64_t first = std::uint64_t{blockIdx.x} * roofline_loads * roofline_threads + threadIdx.x;
  Words mine[roofline_loads];
#pragma unroll
  for (unsigned load = 0; load < roofline_loads; ++load) mine[load] = __ldcs(words + first + load * roofline_threads);
#pragma unroll 1
  for (unsigned round = 0; round < rounds; ++round) {
#pragma unroll
    for (unsigned k = 0; k < fused; ++k) {
#pragma unroll
      for (Words& vector : mine) {
#pragma unroll
        for (unsigned i = 0; i < parts; ++i) part<Real>(vector, i) = fma(part<Real>(vector, i), step.times, step.more);
      }
    }
  }
  Real sum = 0;
#pragma unroll
  for (Words& vector : mine) {
#pragma unroll
    for (unsigned i = 0; i < parts; ++i) sum += part<Real>(vector, i);
  }
  // Never negative: the store is there for the check alone, and for the assembler not to leave out the rest.
  if (sums != nullptr || sum < 0) sums[std::uint64_t{blockIdx.x} * roofline_threads + threadIdx.x] = sum;
}

/// Launched as the kernel was: the same steps, one word after the other and made anew. Multiply-adds round once, so the
/// sums are the same to the bit.
template <class Real>
__global__ void check_sums(const Real* sums, unsigned steps, Step<Real> step, unsigned long long* mismatches) {
  constexpr unsigned parts = sizeof(Vector<Real>) / sizeof(Real);
  Real sum = 0;
  for (unsigned load = 0; load < roofline_loads; ++load) {
    const std::uint64_t vector = (std::uint64_t{blockIdx.x} * roofline_loads + load) * roofline_threads + threadIdx.x;
    for (unsigned i = 0; i < parts; ++i) {
      Real word = word_of<Real>(vector * parts + i);
      for (unsigned k = 0; k < steps; ++k) word = fma(word, step.times, step.more);
      sum += word;
    }
  }
  if (sums[std::uint64_t{blockIdx.x} * roofline_threads + threadIdx.x] != sum) atomicAdd(mismatches, 1ULL);
}

}  // namespace gpumem::kernels
