#pragma once
// The table that a patched kernel fills while it runs, shared by host and device code.

#include <cstdint>

#include "program/watch/raw_format.hpp"
#include "program/watch/sites/launch_part.hpp"

namespace gpumem::inject {

inline constexpr std::uint32_t table_sites = 1024;  ///< a power of two
/// Multiprocessors add to copies of a site's sums, so that they wait less for each other.
inline constexpr std::uint32_t sum_copies = 16;
inline constexpr std::uint32_t cache_ways = 4;
/// Requests of a site in each copy of its sums that are looked at even when the launch's budget is spent.
inline constexpr std::uint64_t least_looked_at = 32;
/// The loads of each warp are not counted in launches with more warps.
inline constexpr std::uint64_t most_counted_warps = std::uint64_t{1} << 20U;

/// The sums of a site, as they are in raw_format.hpp.
struct SiteSums {
  std::uint64_t requests;
  std::uint64_t active_lanes;
  std::uint64_t useful_bytes;
  std::uint64_t sectors;
  std::uint64_t least_sectors;
  std::uint64_t lines;
  std::uint64_t wavefronts;
  std::uint64_t least_wavefronts;
  std::uint64_t l2_sectors;
  std::uint64_t memory_sectors;
  std::uint64_t loaded_sectors;
  std::uint64_t used_words;
  std::uint64_t l2_requests;
  std::uint64_t only_counted;
};

/// The bytes from the lowest to the highest that a site's requests to global memory access. Zeros: none were seen.
struct SiteRange {
  std::uint64_t inverse_begin;  ///< ~ of the lowest address, so that it only rises, as `end` does
  std::uint64_t end;            ///< behind the highest byte
};

struct TableSite {
  std::uint32_t op_and_word;  ///< RawOp | bytes of a word << 8 | RawFlags << 16
  std::uint32_t reserved;
  std::uint64_t showable;  ///< requests of those that may be shown
  SiteRange range;
  SiteSums sums[sum_copies];
  ShownRequest request[shown_requests];
};

/// A line that a cache holds: its number + 1, then 4 bits of sectors it has and 4 of sectors written. 0: none.
using CacheTag = std::uint64_t;

/// A sample's table in device memory. Zeros are the empty table, but for the members that the host fills in.
struct SiteTable {
  std::uint32_t l1_sets;  ///< of each multiprocessor; 0: caches are not simulated
  std::uint32_t l2_sets;
  std::uint32_t lost_sites;     ///< requests that found no room, 1 or more
  std::uint32_t counted_warps;  ///< of the launch, those that have a place in warp_loads: all or none
  std::uint32_t keeps_ranges;   ///< 1: the range of each site is of use
  std::uint32_t reserved;
  CacheTag* l1;               ///< [multiprocessor][set][way]
  CacheTag* l2;               ///< [set][way]
  std::uint32_t* l2_words;    ///< [set][way][read, written]: words of the line that were used
  std::uint32_t* warp_loads;  ///< [block][warp]: loads from beyond its multiprocessor
  LaunchPart part;
  std::uint64_t key[table_sites];  ///< of each site pc << 3 | RawSpace; 0: free
  TableSite site[table_sites];
};

}  // namespace gpumem::inject
