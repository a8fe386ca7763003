#pragma once
// The content of buffers before and after a launch, as formulas that host and device share.

#include "engine/access/host_device.hpp"

namespace gpumem::measure {

/// Pseudo-random content of the 32-bit word at an index: a Weyl sequence (Knuth's multiplicative hash, TAOCP 6.4) with
/// its high bits folded into the low ones. Random, because memories and links compress runs of equal values; cheap,
/// because store kernels compute it; odd, so that it never equals the (even) poison.
[[nodiscard]] GPUMEM_HOST_DEVICE constexpr std::uint32_t random_word(std::uint64_t index) {
  const std::uint32_t x = 0x9E3779B1U * static_cast<std::uint32_t>(index) ^ static_cast<std::uint32_t>(index >> 32U);
  return (x ^ (x >> 15U)) | 1U;
}

/// The content of targets before a launch; even, see random_word.
inline constexpr std::uint32_t poison_byte = 0xA2;
inline constexpr std::uint32_t poison_word = poison_byte * 0x01010101U;

}  // namespace gpumem::measure
