#pragma once
// A kernel that does next to nothing, and what proves that it ran.

#include <cstdint>

#include "engine/measure/content.hpp"

namespace gpumem::kernels {

/// Stores a word of its own. A kernel without any effect would cost the same, but nothing could tell whether it ran.
template <class Word>
__global__ void __launch_bounds__(32) store_word(Word* words, std::uint32_t k) {
  words[k] = measure::random_word(k);
}

/// Every kernel's word must be there, and nothing after them.
template <class Word>
__global__ void check_stored_words(const Word* words, std::uint32_t kernels, std::uint32_t count,
                                   unsigned long long* mismatches) {
  for (std::uint32_t k = blockIdx.x * blockDim.x + threadIdx.x; k < count; k += gridDim.x * blockDim.x) {
    const Word expected = k < kernels ? measure::random_word(k) : measure::poison_word;
    if (words[k] != expected) atomicAdd(mismatches, 1ULL);
  }
}

}  // namespace gpumem::kernels
