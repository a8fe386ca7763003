#pragma once
// The cost of one request, computed by the lanes of its warp together. The numbers are those of
// engine/access/request.hpp. Every function is called by all lanes of `mask` and by no other. Words are aligned to
// their size, as instructions require.

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
__device__ __noinline__ unsigned lanes_alike(unsigned mask, unsigned number) { return __match_any_sync(mask, number); }

__device__ __forceinline__ bool leads(unsigned group, unsigned lane) { return (group & ((1U << lane) - 1)) == 0; }

/// The number of groups that the lanes form; `group` is the lane's own.
__device__ __noinline__ unsigned count_groups(unsigned mask, unsigned lane, unsigned group) {
  return static_cast<unsigned>(__popc(__ballot_sync(mask, leads(group, lane))));
}

/// The line that the lane touches, possibly together with others.
struct SharedLine {
  unsigned group;    ///< its lanes
  unsigned sectors;  ///< those of the 4 that they touch, a bit each
};

__device__ __noinline__ SharedLine line_of(unsigned mask, std::uint64_t address) {
  SharedLine line{lanes_alike(mask, address >> 7), 0};
#pragma unroll 1
  for (unsigned sector = 0; sector < 4; ++sector) {
    if ((__ballot_sync(mask, ((address >> 5) & 3U) == sector) & line.group) != 0) line.sectors |= 1U << sector;
  }
  return line;
}

/// Sectors of all lines.
__device__ __noinline__ unsigned count_sectors(unsigned mask, unsigned lane, const SharedLine& line) {
  return sum_of_few(mask, leads(line.group, lane) ? static_cast<unsigned>(__popc(line.sectors)) : 0);
}

/// Returns true if each lane is in the same group as lane ^ distance, or that one is not active.
__device__ __noinline__ bool partners_agree(unsigned mask, unsigned lane, unsigned group, unsigned distance) {
  const unsigned partner = lane ^ distance;
  const bool agree = ((mask >> partner) & 1U) == 0 || ((group >> partner) & 1U) != 0;
  return __ballot_sync(mask, agree) == mask;
}

/// Passes through the banks of shared memory.
struct Wavefronts {
  unsigned all;
  unsigned least;  ///< without any conflict: one for each group of lanes that is served at a time
};

/// The largest depth of each group, up to 63, summed over `leaders`, a lane of each.
__device__ __noinline__ unsigned sum_of_largest(unsigned mask, unsigned lane, unsigned depth, unsigned group,
                                                unsigned leaders) {
  unsigned candidates = group;
  unsigned largest = 0;
#pragma unroll 1
  for (int bit = 5; bit >= 0; --bit) {
    const unsigned set = __ballot_sync(mask, (depth >> bit) & 1U) & candidates;
    if (set != 0) {
      candidates = set;
      largest |= 1U << bit;
    }
  }
  const unsigned mine = ((leaders >> lane) & 1U) != 0 ? largest : 0;
  return sum_of_few(mask, mine & 7U) + (sum_of_few(mask, mine >> 3) << 3);
}

/// The number of different words in the busiest bank for each `width` neighbouring lanes, summed over these groups.
/// `same`: the lanes at the lane's address.
__device__ __noinline__ Wavefronts sum_of_busiest(unsigned mask, unsigned lane, unsigned address, unsigned same,
                                                  unsigned log2_bytes, unsigned width) {
  // Aligned words of one size lie in the same banks of 4 bytes, or in no common one. So banks may be counted as if each
  // were as wide as the word, and there were fewer of them.
  const unsigned log2_bank = log2_bytes < 2 ? 2 : log2_bytes;
  const unsigned word = address >> log2_bank;
  const unsigned in_group = width == 32 ? mask : mask & (((1U << width) - 1) << (lane & ~(width - 1)));
  const unsigned at_word = log2_bytes < 2 ? lanes_alike(mask, word) : same;
  const bool first = leads(at_word & in_group, lane);
  const unsigned firsts = __ballot_sync(mask, first);
  const unsigned banks = 32U >> (log2_bank - 2);
  const unsigned at_bank = lanes_alike(mask, word & (banks - 1)) & in_group;
  const auto depth = static_cast<unsigned>(__popc(at_bank & firsts));  // of the lane's bank
  const unsigned leaders = __ballot_sync(mask, leads(in_group, lane));
  const auto groups = static_cast<unsigned>(__popc(leaders));
  if (__ballot_sync(mask, depth > 1) == 0) return {groups, groups};
  return {sum_of_largest(mask, lane, depth, in_group, leaders), groups};
}

/// access::shared_wavefronts. `same`: the lanes at the lane's address.
__device__ __noinline__ Wavefronts wavefronts(unsigned mask, unsigned lane, unsigned address, unsigned same,
                                              unsigned log2_bytes, bool load) {
  unsigned width = 32;
  if (log2_bytes > 2) {
    width = 32U >> (log2_bytes - 2);
    if (load && (partners_agree(mask, lane, same, 1) || partners_agree(mask, lane, same, 2))) width *= 2;
  }
  return sum_of_busiest(mask, lane, address, same, log2_bytes, width);
}

}  // namespace gpumem::inject
