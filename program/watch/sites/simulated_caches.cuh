#pragma once
// L1 and L2 as they would answer the accesses of the launch that is sampled.

#include <cstdint>

#include "program/watch/sites/site_sums.cuh"
#include "program/watch/sites/site_table.hpp"

namespace gpumem::inject {

// The caches simulated here follow simpler rules than those of predictions (engine/model/cache_simulation.hpp), on
// purpose. All warps of the GPU change them at once, without locks: what is known of a line has to fit the word that
// one atomic changes. So sets have four ways, chance says which line makes way, L2 is one part, and nobody follows when
// a written line goes to memory. In return every access is seen, in the order in which the GPU makes them.

/// Returns the way of the set that holds the line. If none does, the line is brought there in place of another one.
__device__ __noinline__ unsigned way_of(CacheTag* set, std::uint64_t line, bool* brought) {
  *brought = false;
  auto* tags = reinterpret_cast<unsigned long long*>(set);
  const auto wanted = static_cast<unsigned long long>(line + 1);
  const unsigned begin = mixed(line) & (cache_ways - 1);
#pragma unroll 1
  for (unsigned round = 0; round < 2 * cache_ways; ++round) {
    unsigned victim = cache_ways;
    unsigned long long old = 0;
#pragma unroll 1
    for (unsigned i = 0; i < cache_ways; ++i) {
      const unsigned way = (begin + i) & (cache_ways - 1);
      const unsigned long long tag = *static_cast<volatile unsigned long long*>(&tags[way]);
      if (tag >> 8 == wanted) return way;
      if (tag == 0 && victim == cache_ways) victim = way;
    }
    if (victim == cache_ways) {
      // The clock stands in for chance: any way may lose its line.
      victim = (static_cast<unsigned>(clock64()) >> 4) & (cache_ways - 1);
      old = *static_cast<volatile unsigned long long*>(&tags[victim]);
    }
    if (atomicCAS(&tags[victim], old, wanted << 8) == old) {
      *brought = true;
      return victim;
    }
  }
  return begin;  // others bring lines here all the time
}

/// Brings sectors (a bit each) of the line into the multiprocessor's L1, and returns the ones that it did not have.
__device__ __noinline__ unsigned missing_in_l1(const SiteTable* table, std::uint64_t line, unsigned sectors) {
  const std::uint64_t first =
      std::uint64_t{multiprocessor_of()} * table->l1_sets + __umulhi(mixed(line), table->l1_sets);
  CacheTag* set = table->l1 + first * cache_ways;
  bool brought = false;
  const unsigned way = way_of(set, line, &brought);
  const auto before = static_cast<unsigned>(
      atomicOr(reinterpret_cast<unsigned long long*>(&set[way]), static_cast<unsigned long long>(sectors)));
  return sectors & ~before;
}

/// The sectors of a request's line that the caches do not have.
struct Missing {
  unsigned in_l1 = 0;   ///< sectors, a bit each
  unsigned in_l2 = 0;   ///< of a store those that nobody had stored
  unsigned loaded = 0;  ///< of these, of a store, those that L2 had from loads
  unsigned place = 0;   ///< of the line in table->l2_words
};

/// The same for L2, and for sectors read or written. Fills in all members but in_l1.
__device__ __noinline__ Missing missing_in_l2(const SiteTable* table, std::uint64_t line, unsigned sectors,
                                              bool written) {
  const std::uint64_t first = std::uint64_t{__umulhi(mixed(line), table->l2_sets)} * cache_ways;
  bool brought = false;
  const unsigned way = way_of(table->l2 + first, line, &brought);
  Missing missing;
  missing.place = static_cast<unsigned>(first) + way;
  if (brought) {
    table->l2_words[2 * missing.place] = 0;
    table->l2_words[2 * missing.place + 1] = 0;
  }
  const unsigned bits = written ? sectors << 4 | sectors : sectors;
  const auto before = static_cast<unsigned>(
      atomicOr(reinterpret_cast<unsigned long long*>(&table->l2[first + way]), static_cast<unsigned long long>(bits)));
  missing.in_l2 = sectors & ~(written ? before >> 4 : before);
  missing.loaded = written ? missing.in_l2 & before : 0;
  return missing;
}

}  // namespace gpumem::inject
