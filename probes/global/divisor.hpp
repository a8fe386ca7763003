#pragma once
// Division by a number that stays the same for a launch, cheap enough for a kernel that only moves data.

#include <bit>
#include <cstdint>

#include "engine/access/host_device.hpp"

namespace gpumem::global {

/// Quotients of numbers below 2^31 by `divisor`, at least 1 and below 2^31: one multiplication and a shift, where the
/// hardware's division takes a dozen instructions or two. Exact: T. Granlund and P. Montgomery, Division by Invariant
/// Integers using Multiplication, PLDI 1994, theorem 4.2.
class Divisor {
 public:
  explicit constexpr Divisor(std::uint32_t divisor)
      : divisor_(divisor),
        shift_(std::bit_width(divisor - 1)),
        multiplier_(static_cast<std::uint32_t>(((std::uint64_t{1} << (31U + shift_)) + divisor - 1) / divisor)) {}

  [[nodiscard]] GPUMEM_HOST_DEVICE constexpr std::uint32_t divisor() const { return divisor_; }
  [[nodiscard]] GPUMEM_HOST_DEVICE constexpr std::uint32_t quotient(std::uint32_t number) const {
    // Twice the number, so that the high half of the product is what is left to shift.
    return static_cast<std::uint32_t>((std::uint64_t{2 * number} * multiplier_) >> 32U) >> shift_;
  }

 private:
  std::uint32_t divisor_;
  std::uint32_t shift_;
  std::uint32_t multiplier_;
};

}  // namespace gpumem::global
