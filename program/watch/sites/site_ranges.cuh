#pragma once
// The ranges of memory that sites access.

#include <cstdint>

#include "program/watch/sites/site_table.hpp"

namespace gpumem::inject {

/// Raises the number to the highest value of the lanes in `mask`, all of which call this and no other lane. Nearly all
/// requests lie within what is known and only read. L1 may answer with an older and lower number: then a lane raises it
/// in vain.
__device__ __noinline__ void raise(std::uint64_t* number, std::uint64_t value, unsigned mask, unsigned lane) {
  auto* place = reinterpret_cast<unsigned long long*>(number);
  unsigned higher = __ballot_sync(mask, value > __ldca(place));
#pragma unroll 1
  while (higher != 0) {
    // The last lane most often has the highest address, so that few lanes are left after it.
    const auto raising = static_cast<unsigned>(31 - __clz(static_cast<int>(higher)));
    if (lane == raising) atomicMax(place, static_cast<unsigned long long>(value));
    higher = __ballot_sync(mask, value > __shfl_sync(mask, value, static_cast<int>(raising)));
  }
}

/// Widens the range by each lane's bytes from `begin` to before `end`.
__device__ __noinline__ void widen(SiteRange& range, std::uint64_t begin, std::uint64_t end, unsigned mask,
                                   unsigned lane) {
  raise(&range.end, end, mask, lane);
  raise(&range.inverse_begin, ~begin, mask, lane);
}

}  // namespace gpumem::inject
