#pragma once
// What one request costs, worked out by the lanes of its warp together: the same numbers as probes/access/request.hpp.
// Every function is called by all lanes of `mask` and by no other. Words are aligned to their size, as instructions
// ask.

#include <cstdint>

namespace gpumem::inject {

inline constexpr unsigned lane_bits_of_count = 3;

/// Sum over the lanes of values up to 7. (Instructions that reduce are refused in code that is patched in.)
__device__ __noinline__ unsigned sum_of_few(unsigned mask, unsigned value) {
  unsigned sum = 0;
#pragma unroll 1
  for (unsigned bit = 0; bit < lane_bits_of_count; ++bit) {
    sum += static_cast<unsigned>(__popc(__ballot_sync(mask, (value >> bit) & 1U))) << bit;
  }
  return sum;
}

/// Lanes whose number is the lane's own.
__device__ __noinline__ unsigned lanes_alike(unsigned mask, std::uint64_t number) {
  return __match_any_sync(mask, number);
}

__device__ __forceinline__ bool leads(unsigned group, unsigned lane) { return (group & ((1U << lane) - 1)) == 0; }

/// How many different numbers the lanes have.
__device__ __noinline__ unsigned count_different(unsigned mask, unsigned lane, std::uint64_t number) {
  return static_cast<unsigned>(__popc(__ballot_sync(mask, leads(lanes_alike(mask, number), lane))));
}

/// Whether all lanes agree with lane ^ distance, as far as that one is active.
__device__ __noinline__ bool partners_agree(unsigned mask, unsigned lane, std::uint64_t address, unsigned distance) {
  const unsigned group = lanes_alike(mask, address);
  const unsigned partner = lane ^ distance;
  const bool agree = ((mask >> partner) & 1U) == 0 || ((group >> partner) & 1U) != 0;
  return __ballot_sync(mask, agree) == mask;
}

/// Passes through the banks of shared memory.
struct Wavefronts {
  unsigned all;
  unsigned least;  ///< without any conflict: one for each group of lanes that is served at a time
};

/// Different words in the busiest bank, of the lanes of each `width` neighbours, summed over these.
__device__ __noinline__ Wavefronts sum_of_busiest(unsigned mask, unsigned lane, std::uint64_t address,
                                                  unsigned log2_bytes, unsigned width) {
  // Words of one size that are aligned to it lie in the same banks or in none alike: what is counted for banks of 4
  // bytes may be counted for as many fewer that are as wide as the word.
  const unsigned log2_bank = log2_bytes < 2 ? 2 : log2_bytes;
  const std::uint64_t word = address >> log2_bank;
  const unsigned in_group = width == 32 ? mask : mask & (((1U << width) - 1) << (lane & ~(width - 1)));
  const bool first = leads(lanes_alike(mask, word) & in_group, lane);
  const unsigned firsts = __ballot_sync(mask, first);
  const unsigned banks = 32U >> (log2_bank - 2);
  const unsigned at_bank = lanes_alike(mask, word & (banks - 1)) & in_group;
  const auto depth = static_cast<unsigned>(__popc(at_bank & firsts));  // of the lane's bank
  // The largest depth of each group, a bit at a time from the highest.
  unsigned candidates = in_group;
  unsigned busiest = 0;
#pragma unroll 1
  for (int bit = 5; bit >= 0; --bit) {
    const unsigned set = __ballot_sync(mask, (depth >> bit) & 1U) & candidates;
    if (set != 0) {
      candidates = set;
      busiest |= 1U << bit;
    }
  }
  // Each group's number once, at its first lane.
  const bool adds = leads(in_group, lane);
  const unsigned mine = adds ? busiest : 0;
  return {sum_of_few(mask, mine & 7U) + (sum_of_few(mask, mine >> 3) << 3),
          static_cast<unsigned>(__popc(__ballot_sync(mask, adds)))};
}

/// access::shared_wavefronts.
__device__ __noinline__ Wavefronts wavefronts(unsigned mask, unsigned lane, std::uint64_t address, unsigned log2_bytes,
                                              bool load) {
  unsigned width = 32;
  if (log2_bytes > 2) {
    width = 32U >> (log2_bytes - 2);
    if (load && (partners_agree(mask, lane, address, 1) || partners_agree(mask, lane, address, 2))) width *= 2;
  }
  return sum_of_busiest(mask, lane, address, log2_bytes, width);
}

}  // namespace gpumem::inject
