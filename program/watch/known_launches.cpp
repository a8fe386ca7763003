#include "program/watch/known_launches.hpp"

#include <algorithm>
#include <cstdint>

namespace gpumem::inject {

namespace {

bool are_same(const Shape& left, const Shape& right) {
  return std::ranges::equal(left.grid, right.grid) && std::ranges::equal(left.block, right.block);
}

}  // namespace

KnownLaunch& KnownLaunches::place_of(CUfunction function, const Shape& shape) {
  std::uint64_t mixed = reinterpret_cast<std::uintptr_t>(function);
  for (const std::uint32_t size : {shape.grid[0], shape.grid[1], shape.grid[2], shape.block[0], shape.block[1]}) {
    mixed = (mixed ^ size) * 0x9e37'79b9'7f4a'7c15;  // Fibonacci hashing
  }
  return known_[mixed >> 40U & (places - 1)];
}

KnownLaunch* KnownLaunches::find(CUcontext context, CUfunction function, const Shape& shape) {
  if (outdated_.load(std::memory_order_relaxed) && outdated_.exchange(false)) known_.fill({});
  KnownLaunch& place = place_of(function, shape);
  const bool found = place.function == function && place.context == context && are_same(place.shape, shape);
  return found && function != nullptr ? &place : nullptr;
}

}  // namespace gpumem::inject
