// The code that is patched into kernels, a call before every access to memory: what a request costs is counted where it
// happens, from its addresses.
//
// Registers are saved around a patch, but predicates P3 to P5 and the higher convergence barriers are not (found on an
// H200 with driver 580: matrix products then fault, hang or are wrong). Functions that are not inlined, and loops that
// are not unrolled, are small enough for the compiler to leave them alone; a test reads the machine code.

#include <sanitizer_patching.h>

#include "inject/sites/patch_flags.hpp"
#include "inject/sites/site_table.hpp"
#include "inject/sites/warp_cost.cuh"

namespace gpumem::inject {
namespace {

struct Access {
  SiteTable* table;
  std::uint64_t pc;
  std::uint64_t address;  ///< of shared and local memory an offset
  unsigned log2_bytes;
  RawSpace space;
  RawOp op;
  unsigned flags;
};

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

/// What a request adds to its site's sums, in their order.
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
};
constexpr unsigned cost_count = sizeof(Costs) / sizeof(unsigned);
static_assert(sizeof(SiteSums) == cost_count * sizeof(std::uint64_t));

/// Each lane adds another one, so that memory gets all of them at once.
__device__ __noinline__ void add(SiteSums& sums, const Costs& costs, unsigned mask, unsigned lane) {
  const auto lanes = static_cast<unsigned>(__popc(mask));
  const auto* values = reinterpret_cast<const unsigned*>(&costs);
  auto* targets = reinterpret_cast<unsigned long long*>(&sums);
#pragma unroll 1
  for (auto i = static_cast<unsigned>(__popc(mask & ((1U << lane) - 1))); i < cost_count; i += lanes) {
    if (values[i] != 0) atomicAdd(&targets[i], static_cast<unsigned long long>(values[i]));
  }
}

// The caches played here follow simpler rules than those of predictions (engine/model/cache_simulation.hpp), on
// purpose. All warps of the GPU change them at once, without locks: what is known of a line has to fit the word that
// one atomic changes. So sets have four ways, chance says which line makes way, L2 is one part, and nobody follows when
// a written line goes to memory. In return every access is seen, in the order in which the GPU makes them.

/// The way of a set that holds the line, which is brought there if need be in place of another one.
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
      // A clock stands in for chance: who is first to go is as good as any.
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

/// Of sectors (a bit each) of the line, those that the multiprocessor's L1 does not have; it has them now.
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

/// What the caches lack of a line that a request touches.
struct Missing {
  unsigned in_l1 = 0;   ///< sectors, a bit each
  unsigned in_l2 = 0;   ///< of a store those that nobody had stored
  unsigned loaded = 0;  ///< of these, of a store, those that L2 had from loads
  unsigned place = 0;   ///< of the line in table->l2_words
};

/// The same of L2, of sectors read or written: all but in_l1.
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

/// Words of the lane, a bit for each of the 32 of its line, that nobody had used.
__device__ __noinline__ unsigned words_not_used(const SiteTable* table, unsigned place, const Access& access) {
  const unsigned words = access.log2_bytes < 2 ? 1U : 1U << (access.log2_bytes - 2);
  const unsigned bits = ((1U << words) - 1) << ((access.address >> 2) & 31U);
  const unsigned before = atomicOr(&table->l2_words[2 * place + (access.op != RawOp::load ? 1 : 0)], bits);
  return static_cast<unsigned>(__popc(bits & ~before));
}

__device__ __noinline__ Missing look_up(const Access& access, unsigned sectors) {
  const std::uint64_t line = access.address >> 7;
  const bool load = access.op == RawOp::load;
  Missing missing = missing_in_l2(access.table, line, sectors, !load);
  missing.in_l1 = load ? missing_in_l1(access.table, line, sectors) : sectors;
  // What L1 has is not asked for, whether L2 still has it or not; but its words are used.
  missing.in_l2 &= missing.in_l1;
  return missing;
}

/// Plays L1 and L2 with the request.
__device__ __noinline__ void simulate(const Access& access, const Line& line, Costs& costs, unsigned mask,
                                      unsigned lane) {
  Missing missing;
  if (leads(line.group, lane)) missing = look_up(access, line.sectors);
  __syncwarp(mask);
  const unsigned place = __shfl_sync(mask, missing.place, __ffs(static_cast<int>(line.group)) - 1);
  costs.used_words = sum_of_few(mask, words_not_used(access.table, place, access));
  costs.l2_sectors = sum_of_few(mask, static_cast<unsigned>(__popc(missing.in_l1)));
  costs.memory_sectors = sum_of_few(mask, static_cast<unsigned>(__popc(missing.in_l2)));
  costs.loaded_sectors = sum_of_few(mask, static_cast<unsigned>(__popc(missing.loaded)));
  costs.l2_requests = sum_of_few(mask, missing.in_l1 != 0 ? 1 : 0);
}

/// Of the request number `before`, counted from 0, whether and where it is shown: of the one after 4^k others.
__device__ __forceinline__ unsigned shown_at(std::uint64_t before) {
  if (before == 0) return 0;
  const auto log2 = static_cast<unsigned>(63 - __clzll(static_cast<long long>(before)));
  const bool power_of_four = (before & (before - 1)) == 0 && log2 % 2 == 0;
  return power_of_four && log2 / 2 + 1 < shown_requests ? log2 / 2 + 1 : shown_requests;
}

/// Shows the request if its turn has come. Only some multiprocessors' are shown, so that most need not wait for a
/// number.
__device__ __noinline__ void show(TableSite& site, const Access& access, unsigned mask, unsigned lane) {
  const bool first = leads(mask, lane);
  unsigned at = shown_requests;
  if (first) at = shown_at(atomicAdd(reinterpret_cast<unsigned long long*>(&site.showable), 1ULL));
  at = __shfl_sync(mask, at, __ffs(static_cast<int>(mask)) - 1);
  if (at >= shown_requests) return;
  site.request[at].address[lane] = access.address;
  if (first) site.request[at].active = mask;
}

__device__ __noinline__ void add_lines(const Access& access, Costs& costs, unsigned mask, unsigned lane) {
  const Line line = line_of(mask, access.address);
  costs.sectors = count_sectors(mask, lane, line);
  costs.lines = count_groups(mask, lane, line.group);
  costs.least_sectors = (costs.useful_bytes + 31) / 32;
  if (access.space == RawSpace::local && access.log2_bytes > 2) {
    // Each 4 bytes of a longer word lie in a row of their own, alike.
    costs.sectors <<= access.log2_bytes - 2;
    costs.lines <<= access.log2_bytes - 2;
  }
  if (access.table->l1_sets != 0 && access.space == RawSpace::global) simulate(access, line, costs, mask, lane);
}

__device__ __noinline__ Costs costs_of(const Access& access, unsigned mask, unsigned lane) {
  const unsigned same = lanes_alike(mask, access.address);
  Costs costs;
  costs.active_lanes = static_cast<unsigned>(__popc(mask));
  costs.useful_bytes = count_groups(mask, lane, same) << access.log2_bytes;
  if (access.space == RawSpace::shared) {
    const Wavefronts cost = wavefronts(mask, lane, access.address, same, access.log2_bytes, access.op == RawOp::load);
    costs.wavefronts = cost.all;
    costs.least_wavefronts = cost.least;
  } else {
    add_lines(access, costs, mask, lane);
  }
  return costs;
}

/// The number of the warp in its launch.
__device__ __noinline__ std::uint64_t warp_of_launch() {
  const std::uint64_t block =
      blockIdx.x + std::uint64_t{gridDim.x} * (blockIdx.y + std::uint64_t{gridDim.y} * blockIdx.z);
  const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
  return block * ((threads + 31) / 32) + thread / 32;
}

__device__ __noinline__ void count_load(const SiteTable* table) {
  const std::uint64_t warp = warp_of_launch();
  if (warp < table->counted_warps) atomicAdd(&table->warp_loads[warp], 1U);
}

__device__ __noinline__ void count(const Access& access) {
  const unsigned mask = __activemask();
  const unsigned lane = lane_of();
  unsigned at = 0;
  if (leads(mask, lane)) {
    at = find_site(access.table, access.pc << 3 | static_cast<std::uint64_t>(access.space),
                   static_cast<unsigned>(access.op) | (1U << access.log2_bytes) << 8 | access.flags << 16);
    if (access.op == RawOp::load && access.space != RawSpace::shared) count_load(access.table);
  }
  at = __shfl_sync(mask, at, __ffs(static_cast<int>(mask)) - 1);
  if (at == table_sites) return;
  TableSite& site = access.table->site[at];
  const unsigned copy = multiprocessor_of() % sum_copies;
  if (copy == 0) show(site, access, mask, lane);
  add(site.sums[copy], costs_of(access, mask, lane), mask, lane);
}

__device__ __forceinline__ RawOp op_of(unsigned flags) {
  constexpr unsigned both = SANITIZER_MEMORY_DEVICE_FLAG_READ | SANITIZER_MEMORY_DEVICE_FLAG_WRITE;
  if ((flags & both) == both || (flags & atomic_write_only) != 0) {
    return RawOp::atomic;
  }
  return (flags & SANITIZER_MEMORY_DEVICE_FLAG_WRITE) != 0 ? RawOp::store : RawOp::load;
}

__device__ __noinline__ void note(void* table, std::uint64_t pc, std::uint64_t address, unsigned bytes, RawSpace space,
                                  RawOp op, unsigned flags) {
  const auto log2_bytes = static_cast<unsigned>(31 - __clz(static_cast<int>(bytes)));
  count({static_cast<SiteTable*>(table), pc, address, log2_bytes, space, op, flags});
}

__device__ __noinline__ void note_local(void* table, std::uint64_t pc, std::uint64_t byte, unsigned bytes, RawOp op) {
  // Neighbouring lanes have neighbouring 32-bit words (CUDA C++ Programming Guide, "Local Memory").
  const std::uint64_t at = (byte / 4 * 32 + lane_of()) * 4 + byte % 4;
  note(table, pc, at, bytes, RawSpace::local, op, 0);
}

}  // namespace
}  // namespace gpumem::inject

using gpumem::inject::RawOp;
using gpumem::inject::RawSpace;

// Launches that nobody samples have no table: another thread's, of a module that is patched for one.

extern "C" __device__ __noinline__ SanitizerPatchResult gpumem_global(void* table, std::uint64_t pc, void* address,
                                                                      std::uint32_t bytes, std::uint32_t flags,
                                                                      const void*) {
  if (table == nullptr || (flags & SANITIZER_MEMORY_DEVICE_FLAG_PREFETCH) != 0) return SANITIZER_PATCH_SUCCESS;
  // An instruction that names no space comes here too, whichever the address is in.
  if (__isShared(address)) {
    const auto offset = static_cast<std::uint64_t>(__cvta_generic_to_shared(address));
    gpumem::inject::note(table, pc, offset, bytes, RawSpace::shared, gpumem::inject::op_of(flags), 0);
  } else if (__isLocal(address)) {
    gpumem::inject::note_local(table, pc, __cvta_generic_to_local(address), bytes, gpumem::inject::op_of(flags));
  } else {
    const auto at = reinterpret_cast<std::uint64_t>(address);
    gpumem::inject::note(table, pc, at, bytes, RawSpace::global, gpumem::inject::op_of(flags), 0);
  }
  return SANITIZER_PATCH_SUCCESS;
}

extern "C" __device__ __noinline__ SanitizerPatchResult gpumem_shared(void* table, std::uint64_t pc, void* address,
                                                                      std::uint32_t bytes, std::uint32_t flags,
                                                                      const void*) {
  if (table == nullptr) return SANITIZER_PATCH_SUCCESS;
  const auto at = reinterpret_cast<std::uint64_t>(address);
  gpumem::inject::note(table, pc, at, bytes, RawSpace::shared, gpumem::inject::op_of(flags), 0);
  return SANITIZER_PATCH_SUCCESS;
}

extern "C" __device__ __noinline__ SanitizerPatchResult gpumem_local(void* table, std::uint64_t pc, void* address,
                                                                     std::uint32_t bytes, std::uint32_t flags,
                                                                     const void*) {
  if (table == nullptr) return SANITIZER_PATCH_SUCCESS;
  gpumem::inject::note_local(table, pc, reinterpret_cast<std::uint64_t>(address), bytes, gpumem::inject::op_of(flags));
  return SANITIZER_PATCH_SUCCESS;
}

extern "C" __device__ __noinline__ SanitizerPatchResult gpumem_async_copy(void* table, std::uint64_t pc, void* source,
                                                                          std::uint32_t, std::uint32_t bytes,
                                                                          std::uint32_t) {
  if (table == nullptr) return SANITIZER_PATCH_SUCCESS;
  const auto at = reinterpret_cast<std::uint64_t>(source);
  gpumem::inject::note(table, pc, at, bytes, RawSpace::global, RawOp::load, gpumem::inject::raw_async_copy);
  return SANITIZER_PATCH_SUCCESS;
}
