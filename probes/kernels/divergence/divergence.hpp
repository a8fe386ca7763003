#pragma once
// The arithmetic of the divergence probe's lanes, shared by its kernels, their check and the description for the model.

#include <cstdint>

#include "engine/access/request.hpp"

namespace gpumem::kernels {

inline constexpr unsigned divergence_rounds = 32;  ///< a lane takes another path in each, so in all of them every one
inline constexpr unsigned trips = 32;              ///< of a path's loop, a round
inline constexpr unsigned steps_at_once = 8;       ///< in the loop's body
inline constexpr unsigned steps_per_round = trips * steps_at_once;
inline constexpr unsigned divergence_steps = divergence_rounds * steps_per_round;

/// Constants of a path's steps. Both differ between paths, so that no two paths are the same code: the numbers of
/// Numerical Recipes' generator (7.1) and further odd ones, below 2^31.
[[nodiscard]] GPUMEM_HOST_DEVICE constexpr std::uint32_t multiplier(unsigned path) { return 1664525U + path * 177570U; }
[[nodiscard]] GPUMEM_HOST_DEVICE constexpr std::uint32_t increment(unsigned path) {
  return 1013904223U + path * 3960562U;
}

/// The path of a lane, or of a warp, in a round; `paths` is a power of two.
[[nodiscard]] GPUMEM_HOST_DEVICE constexpr unsigned path_of(unsigned number, unsigned round, unsigned paths) {
  return (number + round) % paths;
}

/// Trips of loops of unequal length: their mean is `trips`, the longest is almost twice that. Whole numbers, for
/// `trips` is a multiple of any number of paths.
[[nodiscard]] GPUMEM_HOST_DEVICE constexpr unsigned unequal_trips(unsigned path, unsigned paths) {
  return (2 * path + 1) * (trips / paths);
}

/// Words that predicated loads go through, in L1. A lane loads in every step whose number is the lane's modulo paths.
inline constexpr unsigned table_words = 1024;
[[nodiscard]] GPUMEM_HOST_DEVICE constexpr bool loads(unsigned lane, unsigned step, unsigned paths) {
  return (lane ^ step) % paths == 0;  // alike in the low bits
}
[[nodiscard]] GPUMEM_HOST_DEVICE constexpr unsigned table_word(unsigned lane, unsigned step) {
  return (step * access::warp_lanes + lane) % table_words;
}

}  // namespace gpumem::kernels
