#pragma once
// The sums of a site on the GPU: where they are, and how a request's costs are added to them.

#include <cstdint>

#include "program/watch/sites/site_table.hpp"

namespace gpumem::inject {

__device__ __forceinline__ unsigned lane_of() {
  unsigned lane;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}

__device__ __forceinline__ unsigned multiprocessor_of() {
  unsigned sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  return sm;
}

/// Nanoseconds, the same on all multiprocessors.
__device__ __forceinline__ std::uint64_t clock_of_gpu() {
  std::uint64_t now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

/// Nanoseconds since the part's first block began.
__device__ __noinline__ std::uint64_t part_ns(LaunchPart& part) {
  const std::uint64_t now = clock_of_gpu();
  auto* place = reinterpret_cast<unsigned long long*>(&part.began_ns);
  unsigned long long began = *static_cast<volatile unsigned long long*>(place);
  if (began == 0) began = atomicCAS(place, 0ULL, static_cast<unsigned long long>(now));
  return began == 0 || now < began ? 0 : now - began;
}

/// Returns true if the budget is spent and enough is known of the site: only the number of its requests is still
/// counted.
__device__ __noinline__ bool only_counts(LaunchPart& part, const SiteSums& sums) {
  auto* spent = static_cast<volatile std::uint32_t*>(&part.spent);
  if (*spent == 0) {
    if (part_ns(part) < part.budget_ns) return false;
    *spent = 1;
  }
  return *static_cast<const volatile std::uint64_t*>(&sums.requests) >= least_looked_at;
}

__device__ __forceinline__ void count_only(SiteSums& sums) {
  atomicAdd(reinterpret_cast<unsigned long long*>(&sums.only_counted), 1ULL);
}

__device__ __forceinline__ unsigned mixed(std::uint64_t number) {
  return static_cast<unsigned>((number * 0x9e37'79b9'7f4a'7c15) >> 32);  // Fibonacci hashing
}

/// The place of a site in the table, a new one if need be; table_sites where there is no room.
__device__ __noinline__ unsigned find_site(SiteTable* table, std::uint64_t key, unsigned op_and_word) {
  unsigned at = mixed(key) / (~0U / table_sites + 1);
#pragma unroll 1
  for (unsigned tries = 0; tries < table_sites; ++tries) {
    auto* place = reinterpret_cast<unsigned long long*>(&table->key[at]);
    unsigned long long there = __ldca(place);  // a key stays once it is there, so that L1 may know it
    if (there == 0) there = atomicCAS(place, 0ULL, static_cast<unsigned long long>(key));
    if (there == 0) table->site[at].op_and_word = op_and_word;
    if (there == 0 || there == key) return at;
    at = (at + 1) & (table_sites - 1);
  }
  table->lost_sites = 1;
  return table_sites;
}

/// The costs that are added to a site's sums, in their order.
struct Costs {
  unsigned requests = 1;
  unsigned active_lanes = 0;
  unsigned useful_bytes = 0;
  unsigned sectors = 0;
  unsigned least_sectors = 0;
  unsigned lines = 0;
  unsigned wavefronts = 0;
  unsigned least_wavefronts = 0;
  unsigned l2_sectors = 0;
  unsigned memory_sectors = 0;
  unsigned loaded_sectors = 0;
  unsigned used_words = 0;
  unsigned l2_requests = 0;
  unsigned only_counted = 0;
};
constexpr unsigned cost_count = sizeof(Costs) / sizeof(unsigned);
static_assert(sizeof(SiteSums) == cost_count * sizeof(std::uint64_t));

/// Adds the costs to the sums. Each lane adds different ones, so that memory gets all of them at once.
__device__ __noinline__ void add(SiteSums& sums, const Costs& costs, unsigned mask, unsigned lane) {
  const auto lanes = static_cast<unsigned>(__popc(mask));
  const auto* values = reinterpret_cast<const unsigned*>(&costs);
  auto* targets = reinterpret_cast<unsigned long long*>(&sums);
#pragma unroll 1
  for (auto i = static_cast<unsigned>(__popc(mask & ((1U << lane) - 1))); i < cost_count; i += lanes) {
    if (values[i] != 0) atomicAdd(&targets[i], static_cast<unsigned long long>(values[i]));
  }
}

/// Returns the place at which the request after `before` others is shown; shown_requests if it is not shown. The first
/// request is shown, and each one after 4^k others.
__device__ __forceinline__ unsigned shown_at(std::uint64_t before) {
  if (before == 0) return 0;
  const auto log2 = static_cast<unsigned>(63 - __clzll(static_cast<long long>(before)));
  const bool power_of_four = (before & (before - 1)) == 0 && log2 % 2 == 0;
  return power_of_four && log2 / 2 + 1 < shown_requests ? log2 / 2 + 1 : shown_requests;
}

}  // namespace gpumem::inject
