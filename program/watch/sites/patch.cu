// The code that is patched into kernels. A call before every access to memory counts the cost of the request where it
// happens, from its addresses.
//
// Registers are saved around a patch, but predicates P3 to P5 and the higher convergence barriers are not (found on an
// H200 with driver 580: matrix products then fault, hang or are wrong). Functions that are not inlined, and loops that
// are not unrolled, are small enough for the compiler to leave them alone; a test reads the machine code.

#include <sanitizer_patching.h>

#include "program/watch/sites/bulk_copies.cuh"
#include "program/watch/sites/patch_flags.hpp"
#include "program/watch/sites/simulated_caches.cuh"
#include "program/watch/sites/site_ranges.cuh"
#include "program/watch/sites/site_sums.cuh"
#include "program/watch/sites/site_table.hpp"
#include "program/watch/sites/warp_cost.cuh"

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

/// Marks the lane's words as used in its line of L2. Returns how many of them nobody had used before.
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
  // L2 is not asked for sectors that L1 has, whether L2 still has them or not. But their words are used.
  missing.in_l2 &= missing.in_l1;
  return missing;
}

/// Simulates L1 and L2 with the request.
__device__ __noinline__ void simulate(const Access& access, const SharedLine& line, Costs& costs, unsigned mask,
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
  const SharedLine line = line_of(mask, access.address);
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
  if (access.space == RawSpace::shared || access.space == RawSpace::cluster) {
    const Wavefronts cost = wavefronts(mask, lane, access.address, same, access.log2_bytes, access.op == RawOp::load);
    costs.wavefronts = cost.all;
    costs.least_wavefronts = cost.least;
  } else {
    add_lines(access, costs, mask, lane);
  }
  return costs;
}

__device__ __forceinline__ std::uint64_t block_of_launch() {
  return blockIdx.x + std::uint64_t{gridDim.x} * (blockIdx.y + std::uint64_t{gridDim.y} * blockIdx.z);
}

/// Returns true if the block, which is looked at, is let in. All warps of a block get the same answer.
__device__ __noinline__ bool is_let_in(LaunchPart& part, std::uint64_t block) {
  auto* let_in = reinterpret_cast<unsigned long long*>(&part.let_in);
  if (part_ns(part) >= part.budget_ns / 2) atomicOr(let_in, static_cast<unsigned long long>(turned_away));
  const std::uint64_t before = atomicMax(let_in, static_cast<unsigned long long>(block + 1));
  return (before & turned_away) == 0 || block < (before & ~turned_away);
}

/// Returns true if the block is of this part of the launch and, where the part is looked at, let in.
__device__ __noinline__ bool runs(LaunchPart& part) {
  const std::uint64_t block = block_of_launch();
  if (block < part.begin_block || block >= part.end_block) return false;
  if (part.looks == 0) return true;
  const unsigned mask = __activemask();
  bool in = false;
  if (leads(mask, lane_of())) in = is_let_in(part, block);
  return __ballot_sync(mask, in) != 0;
}

/// The number of the warp in its launch.
__device__ __noinline__ std::uint64_t warp_of_launch() {
  const std::uint64_t block = block_of_launch();
  const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
  return block * ((threads + 31) / 32) + thread / 32;
}

__device__ __noinline__ void count_load(const SiteTable* table) {
  const std::uint64_t warp = warp_of_launch();
  if (warp < table->counted_warps) atomicAdd(&table->warp_loads[warp], 1U);
}

/// The site to which the request is to be added; table_sites if there is no room, or if it only had to be counted.
__device__ __noinline__ unsigned place_of(const Access& access) {
  if (access.op == RawOp::load && access.space != RawSpace::shared && access.space != RawSpace::cluster) {
    count_load(access.table);
  }
  const unsigned at = find_site(access.table, access.pc << 3 | static_cast<std::uint64_t>(access.space),
                                static_cast<unsigned>(access.op) | (1U << access.log2_bytes) << 8 | access.flags << 16);
  if (at == table_sites) return at;
  SiteSums& sums = access.table->site[at].sums[multiprocessor_of() % sum_copies];
  if (!only_counts(access.table->part, sums)) return at;
  count_only(sums);
  return table_sites;
}

__device__ __noinline__ void count(const Access& access) {
  const unsigned mask = __activemask();
  const unsigned lane = lane_of();
  unsigned at = 0;
  if (leads(mask, lane)) at = place_of(access);
  at = __shfl_sync(mask, at, __ffs(static_cast<int>(mask)) - 1);
  if (at == table_sites) return;
  TableSite& site = access.table->site[at];
  const unsigned copy = multiprocessor_of() % sum_copies;
  if (copy == 0) show(site, access, mask, lane);
  if (access.space == RawSpace::global && access.table->keeps_ranges != 0) {
    widen(site.range, access.address, access.address + (1ULL << access.log2_bytes), mask, lane);
  }
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

// The table is null for launches that are not sampled: another thread's, of a module that is patched for a sample.

/// Called at the begin of a block. An error ends the warp, before it has done anything.
extern "C" __device__ __noinline__ SanitizerPatchResult gpumem_enter(void* table, std::uint64_t) {
  if (table == nullptr) return SANITIZER_PATCH_SUCCESS;
  const bool runs = gpumem::inject::runs(static_cast<gpumem::inject::SiteTable*>(table)->part);
  return runs ? SANITIZER_PATCH_SUCCESS : SANITIZER_PATCH_ERROR;
}

extern "C" __device__ __noinline__ SanitizerPatchResult gpumem_global(void* table, std::uint64_t pc, void* address,
                                                                      std::uint32_t bytes, std::uint32_t flags,
                                                                      const void*) {
  if (table == nullptr || (flags & SANITIZER_MEMORY_DEVICE_FLAG_PREFETCH) != 0) return SANITIZER_PATCH_SUCCESS;
  // An instruction that names no space comes here too, whichever the address is in.
  if (__isShared(address)) {
    const auto offset = static_cast<std::uint64_t>(__cvta_generic_to_shared(address));
    gpumem::inject::note(table, pc, offset, bytes, RawSpace::shared, gpumem::inject::op_of(flags), 0);
#if __CUDA_ARCH__ >= 900
  } else if (__isClusterShared(address)) {
    const auto offset = static_cast<std::uint64_t>(__cvta_generic_to_shared(address));
    gpumem::inject::note(table, pc, offset, bytes, RawSpace::cluster, gpumem::inject::op_of(flags), 0);
#endif
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

// Instructions of compute capability 9.0 and later. Not every toolkit's headers have their names and the types of their
// callbacks (patch_flags.hpp).

extern "C" __device__ __noinline__ SanitizerPatchResult gpumem_remote(void* table, std::uint64_t pc, void* address,
                                                                      std::uint32_t bytes, std::uint32_t flags,
                                                                      const void*) {
  if (table == nullptr) return SANITIZER_PATCH_SUCCESS;
  const auto at = reinterpret_cast<std::uint64_t>(address);
  gpumem::inject::note(table, pc, at, bytes, RawSpace::cluster, gpumem::inject::op_of(flags), 0);
  return SANITIZER_PATCH_SUCCESS;
}

extern "C" __device__ __noinline__ SanitizerPatchResult gpumem_async_store(void* table, std::uint64_t pc,
                                                                           std::uint32_t address, std::uint32_t, void*,
                                                                           std::uint32_t bytes) {
  if (table == nullptr) return SANITIZER_PATCH_SUCCESS;
  gpumem::inject::note(table, pc, address, bytes, RawSpace::cluster, RawOp::store, 0);
  return SANITIZER_PATCH_SUCCESS;
}

extern "C" __device__ __noinline__ SanitizerPatchResult gpumem_async_reduction(void* table, std::uint64_t pc,
                                                                               std::uint32_t address, std::uint32_t,
                                                                               std::uint32_t bytes) {
  if (table == nullptr) return SANITIZER_PATCH_SUCCESS;
  gpumem::inject::note(table, pc, address, bytes, RawSpace::cluster, RawOp::atomic, 0);
  return SANITIZER_PATCH_SUCCESS;
}

/// Eight lanes for each matrix have the addresses of its rows.
extern "C" __device__ __noinline__ SanitizerPatchResult gpumem_matrix(void* table, std::uint64_t pc,
                                                                      std::uint32_t address, std::uint32_t bytes,
                                                                      std::uint32_t flags, std::uint32_t matrices,
                                                                      const void*) {
  if (table == nullptr || gpumem::inject::lane_of() >= 8 * matrices) return SANITIZER_PATCH_SUCCESS;
  gpumem::inject::note(table, pc, address, bytes, RawSpace::shared, gpumem::inject::op_of(flags),
                       gpumem::inject::raw_matrix);
  return SANITIZER_PATCH_SUCCESS;
}

/// Four warps read the operands together, so each is taken to read a quarter. The active lanes that are counted are the
/// columns of the result, in eights: B has 32 bytes for each column.
extern "C" __device__ __noinline__ SanitizerPatchResult gpumem_matrix_product(void* table, std::uint64_t pc,
                                                                              std::uint32_t, std::uint32_t bytes_a,
                                                                              std::uint32_t, std::uint32_t bytes_b,
                                                                              std::uint32_t, std::uint32_t lanes) {
  if (table == nullptr || lanes == 0) return SANITIZER_PATCH_SUCCESS;
  gpumem::inject::count_shared_block(static_cast<gpumem::inject::SiteTable*>(table), pc, (bytes_a + bytes_b) / 4,
                                     bytes_b / 256, RawSpace::shared, RawOp::load);
  return SANITIZER_PATCH_SUCCESS;
}

extern "C" __device__ __noinline__ SanitizerPatchResult gpumem_bulk_load(void* table, std::uint64_t pc,
                                                                         std::uint64_t source, std::uint32_t,
                                                                         std::uint32_t, std::uint32_t mask_and_size,
                                                                         std::uint32_t) {
  if (table == nullptr) return SANITIZER_PATCH_SUCCESS;
  gpumem::inject::count_bulk(static_cast<gpumem::inject::SiteTable*>(table), pc, source, (mask_and_size & 0xffffU) * 16,
                             RawOp::load);
  return SANITIZER_PATCH_SUCCESS;
}

extern "C" __device__ __noinline__ SanitizerPatchResult gpumem_bulk_store(void* table, std::uint64_t pc,
                                                                          std::uint64_t target, std::uint32_t,
                                                                          std::uint32_t mask_and_size, std::uint32_t) {
  if (table == nullptr) return SANITIZER_PATCH_SUCCESS;
  gpumem::inject::count_bulk(static_cast<gpumem::inject::SiteTable*>(table), pc, target, (mask_and_size & 0xffffU) * 16,
                             RawOp::store);
  return SANITIZER_PATCH_SUCCESS;
}

extern "C" __device__ __noinline__ SanitizerPatchResult gpumem_bulk_reduction(void* table, std::uint64_t pc,
                                                                              std::uint64_t target, std::uint32_t,
                                                                              std::uint32_t blocks_of_16) {
  if (table == nullptr) return SANITIZER_PATCH_SUCCESS;
  gpumem::inject::count_bulk(static_cast<gpumem::inject::SiteTable*>(table), pc, target, blocks_of_16 * 16,
                             RawOp::atomic);
  return SANITIZER_PATCH_SUCCESS;
}

extern "C" __device__ __noinline__ SanitizerPatchResult gpumem_bulk_to_block(void* table, std::uint64_t pc,
                                                                             std::uint32_t, std::uint32_t,
                                                                             std::uint32_t,
                                                                             std::uint32_t blocks_of_16) {
  if (table == nullptr) return SANITIZER_PATCH_SUCCESS;
  gpumem::inject::count_shared_block(static_cast<gpumem::inject::SiteTable*>(table), pc, blocks_of_16 * 16, 1,
                                     RawSpace::cluster, RawOp::store);
  return SANITIZER_PATCH_SUCCESS;
}

extern "C" __device__ __noinline__ SanitizerPatchResult gpumem_reduction_to_block(void* table, std::uint64_t pc,
                                                                                  std::uint32_t, std::uint32_t,
                                                                                  std::uint32_t,
                                                                                  std::uint32_t blocks_of_16) {
  if (table == nullptr) return SANITIZER_PATCH_SUCCESS;
  gpumem::inject::count_shared_block(static_cast<gpumem::inject::SiteTable*>(table), pc, blocks_of_16 * 16, 1,
                                     RawSpace::cluster, RawOp::atomic);
  return SANITIZER_PATCH_SUCCESS;
}

extern "C" __device__ __noinline__ SanitizerPatchResult
gpumem_tensor_load(void* table, std::uint64_t pc, std::uint64_t map, std::uint32_t, std::uint32_t, std::int32_t at0,
                   std::int32_t at1, std::int32_t at2, std::int32_t at3, std::int32_t at4, std::uint32_t, std::uint32_t,
                   std::uint32_t, std::uint32_t mode) {
  if (table == nullptr) return SANITIZER_PATCH_SUCCESS;
  const gpumem::inject::TensorCopy copy{{reinterpret_cast<const std::uint32_t*>(map)}, {at0, at1, at2, at3, at4}, mode};
  gpumem::inject::count_tensor_load(static_cast<gpumem::inject::SiteTable*>(table), pc, copy);
  return SANITIZER_PATCH_SUCCESS;
}
