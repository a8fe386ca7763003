#include "program/watch/known_launches.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace gpumem::inject {

namespace {

constexpr std::size_t places = 4096;  // a power of two

std::array<KnownLaunch, places> known;  // each launch has one place, which a later one may take
std::atomic<bool> outdated = false;

bool are_same(const Shape& left, const Shape& right) {
  return std::ranges::equal(left.grid, right.grid) && std::ranges::equal(left.block, right.block);
}

KnownLaunch& place_of(CUfunction function, const Shape& shape) {
  std::uint64_t mixed = reinterpret_cast<std::uintptr_t>(function);
  for (const std::uint32_t size : {shape.grid[0], shape.grid[1], shape.grid[2], shape.block[0], shape.block[1]}) {
    mixed = (mixed ^ size) * 0x9e37'79b9'7f4a'7c15;  // Fibonacci hashing
  }
  return known[mixed >> 40U & (places - 1)];
}

}  // namespace

KnownLaunch* known_launch(CUcontext context, CUfunction function, const Shape& shape) {
  if (outdated.load(std::memory_order_relaxed) && outdated.exchange(false)) known.fill({});
  KnownLaunch& place = place_of(function, shape);
  const bool found = place.function == function && place.context == context && are_same(place.shape, shape);
  return found && function != nullptr ? &place : nullptr;
}

void remember_launch(const KnownLaunch& launch) { place_of(launch.function, launch.shape) = launch; }

void forget_known_launches() { outdated = true; }

}  // namespace gpumem::inject
