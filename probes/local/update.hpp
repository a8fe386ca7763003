#pragma once
// The work of the threads of both kernels: they go round an array of their own and update word after word.

#include "engine/access/request.hpp"
#include "probes/requests.hpp"

namespace gpumem::local {

/// Updates of a thread, whatever the size of its array: it goes round a smaller one more often.
inline constexpr std::uint32_t updates_per_thread = 4096;
/// Words loaded before the first of them is stored, so that latencies overlap. Fewer than any array has: if an array
/// were updated all at once, the compiler would keep the words it stored last for the next round.
inline constexpr std::uint32_t words_at_once = 2;

/// An update, in one instruction: a multiplication and an addition (constants of Numerical Recipes' generator, 7.1).
[[nodiscard]] GPUMEM_HOST_DEVICE constexpr std::uint32_t updated(std::uint32_t word) {
  return word * 1664525U + 1013904223U;
}

/// The index of an array's k-th word, known to the compiler, so that each word may have a register.
struct KnownIndex {
  [[nodiscard]] GPUMEM_HOST_DEVICE constexpr std::uint32_t operator()(std::uint32_t k) const { return k; }
};

/// The index of an array's k-th word, known only to the launch, so that the array needs addresses and lies in local
/// memory. It is the same in all lanes of a warp.
struct IndexedByLaunch {
  std::uint32_t flipped;  ///< bits of the index; less than the words of the array, a power of two

  [[nodiscard]] GPUMEM_HOST_DEVICE constexpr std::uint32_t operator()(std::uint32_t k) const { return k ^ flipped; }
};

/// The k-th request of a launch of so many warps, each with an array of so many words: all warps access one word, then
/// all the next.
template <class Index>
[[nodiscard]] constexpr access::WarpRequest request(const Index& index, std::uint32_t words, std::uint64_t warps,
                                                    std::uint64_t k) {
  const auto word = static_cast<std::uint32_t>(k / warps % words);
  const std::uint64_t array = k % warps * words * sizeof(std::uint32_t) * access::warp_lanes;
  return warp_request(sizeof(std::uint32_t), [&](unsigned lane) {
    return array + access::local_address(index(word) * sizeof(std::uint32_t), lane);
  });
}

}  // namespace gpumem::local
