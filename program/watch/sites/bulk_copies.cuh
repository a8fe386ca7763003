#pragma once
// Copies of whole blocks of memory by one instruction: bulk copies, and tensor copies of a box of elements. L1 takes no
// part in them. One lane does all the work here, for an instruction has all lanes active or one.

#include <cstdint>

#include "program/watch/sites/simulated_caches.cuh"
#include "program/watch/sites/site_ranges.cuh"
#include "program/watch/sites/site_sums.cuh"
#include "program/watch/sites/tensor_box.cuh"
#include "program/watch/sites/warp_cost.cuh"

namespace gpumem::inject {

/// A copy as far as it was looked at.
struct BulkCopy {
  SiteTable* table;
  ShownRequest* shown;  ///< that gets the first words of 16 bytes; null: none
  unsigned shown_words;
  bool written;  ///< in global memory
  Costs costs;
  std::uint64_t begin = ~0ULL;  ///< the lowest byte in global memory
  std::uint64_t end = 0;        ///< behind the highest one; 0: there is none
};

__device__ __noinline__ void show_word(BulkCopy& copy, std::uint64_t address) {
  copy.shown->address[copy.shown_words] = address;
  copy.shown->active |= 1U << copy.shown_words;
  if (++copy.shown_words == 32) copy.shown = nullptr;
}

/// The line's words of 4 bytes from byte `begin` to before byte `end`, a bit each.
__device__ __forceinline__ unsigned words_between(unsigned begin, unsigned end) {
  return (~0U >> (32 - (end - begin) / 4)) << (begin / 4);
}

__device__ __noinline__ void simulate_line(BulkCopy& copy, std::uint64_t line, unsigned sectors, unsigned words) {
  if (copy.table->l2_sets == 0) return;
  const Missing missing = missing_in_l2(copy.table, line, sectors, copy.written);
  const unsigned before = atomicOr(&copy.table->l2_words[2 * missing.place + (copy.written ? 1 : 0)], words);
  copy.costs.used_words += static_cast<unsigned>(__popc(words & ~before));
  copy.costs.l2_sectors += static_cast<unsigned>(__popc(sectors));
  copy.costs.memory_sectors += static_cast<unsigned>(__popc(missing.in_l2));
  copy.costs.loaded_sectors += static_cast<unsigned>(__popc(missing.loaded));
  copy.costs.l2_requests += 1;
}

// Few branches are nested in each of the following functions, for only some convergence barriers may be used.

/// Adds bytes of one line.
__device__ __noinline__ void add_line(BulkCopy& copy, std::uint64_t begin, unsigned bytes) {
  const auto first = static_cast<unsigned>(begin & 127U);
  const unsigned sectors = (2U << ((first + bytes - 1) / 32)) - (1U << (first / 32));
  copy.costs.useful_bytes += bytes;
  copy.costs.sectors += static_cast<unsigned>(__popc(sectors));
  copy.costs.lines += 1;
  simulate_line(copy, begin >> 7, sectors, words_between(first, first + bytes));
}

/// Adds bytes side by side, at least 16.
__device__ __noinline__ void add_row(BulkCopy& copy, std::uint64_t begin, std::uint64_t end) {
  if (begin < copy.begin) copy.begin = begin;
  if (end > copy.end) copy.end = end;
#pragma unroll 1
  do {
    const std::uint64_t line_end = (begin | 127U) + 1;
    const std::uint64_t to = line_end < end ? line_end : end;
    add_line(copy, begin, static_cast<unsigned>(to - begin));
    begin = to;
  } while (begin < end);
}

__device__ __noinline__ void show_row(BulkCopy& copy, std::uint64_t begin, std::uint64_t end) {
#pragma unroll 1
  for (; begin < end && copy.shown != nullptr; begin += 16) show_word(copy, begin);
}

__device__ __noinline__ void add_row_of_box(BulkCopy& copy, const TensorBox& box, unsigned row) {
  const std::uint64_t begin = row_begin(box, row);
  if (begin == 0) return;
  show_row(copy, begin, begin + box.row_bytes);
  add_row(copy, begin, begin + box.row_bytes);
}

/// Adds the rows of a box that lie in the tensor.
__device__ __noinline__ void add_box(BulkCopy& copy, const TensorBox& box) {
  if (box.rows == 0) return;
  unsigned row = 0;
#pragma unroll 1
  do {
    add_row_of_box(copy, box, row);
  } while (++row < box.rows);
}

/// Returns the copy's site; null if the table has no place for it, or if only the number of its requests is still
/// counted.
__device__ __noinline__ TableSite* bulk_site(SiteTable* table, std::uint64_t pc, RawSpace space, RawOp op,
                                             unsigned flags) {
  const unsigned at = find_site(table, pc << 3 | static_cast<std::uint64_t>(space),
                                static_cast<unsigned>(op) | 16U << 8 | (flags | raw_bulk_copy) << 16);
  if (at == table_sites) return nullptr;
  SiteSums& sums = table->site[at].sums[multiprocessor_of() % sum_copies];
  if (!only_counts(table->part, sums)) return &table->site[at];
  count_only(sums);
  return nullptr;
}

__device__ __noinline__ BulkCopy begin_copy(SiteTable* table, TableSite& site, RawOp op) {
  BulkCopy copy{table, nullptr, 0, op != RawOp::load, {}};
  copy.costs.active_lanes = 1;
  const unsigned at = shown_at(atomicAdd(reinterpret_cast<unsigned long long*>(&site.showable), 1ULL));
  if (at < shown_requests) copy.shown = &site.request[at];
  return copy;
}

__device__ __noinline__ void end_copy(TableSite& site, BulkCopy& copy) {
  const unsigned lane = lane_of();
  copy.costs.least_sectors = (copy.costs.useful_bytes + 31) / 32;
  if (copy.end != 0 && copy.table->keeps_ranges != 0) widen(site.range, copy.begin, copy.end, 1U << lane, lane);
  add(site.sums[multiprocessor_of() % sum_copies], copy.costs, 1U << lane, lane);
}

/// Counts a copy of bytes side by side to or from global memory.
__device__ __noinline__ void count_bulk(SiteTable* table, std::uint64_t pc, std::uint64_t address, unsigned bytes,
                                        RawOp op) {
  if (bytes == 0 || !leads(__activemask(), lane_of())) return;
  TableSite* site = bulk_site(table, pc, RawSpace::global, op, 0);
  if (site == nullptr) return;
  BulkCopy copy = begin_copy(table, *site, op);
  show_row(copy, address, address + bytes);
  add_row(copy, address, address + bytes);
  end_copy(*site, copy);
}

/// Counts a tensor copy from global memory. The bytes that it moves are not counted if its map cannot be read.
__device__ __noinline__ void count_tensor_load(SiteTable* table, std::uint64_t pc, const TensorCopy& load) {
  if (!leads(__activemask(), lane_of())) return;
  TensorBox box;
  const bool is_known = read_box(load, box);
  TableSite* site = bulk_site(table, pc, RawSpace::global, RawOp::load, is_known ? 0 : raw_not_counted);
  if (site == nullptr) return;
  BulkCopy copy = begin_copy(table, *site, RawOp::load);
  if (is_known) add_box(copy, box);
  end_copy(*site, copy);
}

/// Counts reads or writes of shared memory without conflicts: operands of matrix products, copies to another block.
__device__ __noinline__ void count_shared_block(SiteTable* table, std::uint64_t pc, unsigned bytes, unsigned lanes,
                                                RawSpace space, RawOp op) {
  if (!leads(__activemask(), lane_of())) return;
  TableSite* site = bulk_site(table, pc, space, op, 0);
  if (site == nullptr) return;
  BulkCopy copy{table, nullptr, 0, false, {}};
  copy.costs.active_lanes = lanes;
  copy.costs.useful_bytes = bytes;
  copy.costs.wavefronts = (bytes + 127) / 128;
  copy.costs.least_wavefronts = copy.costs.wavefronts;
  end_copy(*site, copy);
}

}  // namespace gpumem::inject
