#pragma once
// Swizzles of shared memory: permutations of a tile's elements that spread rows and columns over the banks.

#include "engine/access/host_device.hpp"

namespace gpumem::access {

/// Swizzle<B, M, S> of CuTe (CUTLASS, include/cute/swizzle.hpp): `bits` bits of an element's index, from bit
/// `base` + `shift` on, are XORed into as many bits from bit `base` on. With a negative shift the bits from `base` -
/// `shift` on receive those from `base` on. 0 bits leave every index as it is.
struct Swizzle {
  unsigned bits = 0;
  unsigned base = 0;
  int shift = 0;

  /// The index of an element's place; its own inverse. Needs bits <= |shift| and base + bits + |shift| <= 32.
  [[nodiscard]] GPUMEM_HOST_DEVICE constexpr std::uint64_t operator()(std::uint64_t element) const {
    const std::uint64_t mask = ((std::uint64_t{1} << bits) - 1) << base;
    if (shift >= 0) return element ^ (element >> static_cast<unsigned>(shift) & mask);
    return element ^ (element & mask) << static_cast<unsigned>(-shift);
  }
  bool operator==(const Swizzle&) const = default;
};

}  // namespace gpumem::access
