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

/// The parts in which arrays of elements are filled and checked: 32-bit words, or the elements if they are smaller. A
/// part of 1 or 2 bytes holds its bytes of the random word that it lies in, so it may equal the poison by chance.
struct ContentParts {
  std::uint32_t bytes;        ///< of a part: 1, 2 or 4
  std::uint32_t per_element;  ///< parts

  /// `element_bytes` is a power of two.
  [[nodiscard]] GPUMEM_HOST_DEVICE static constexpr ContentParts of(std::uint32_t element_bytes) {
    constexpr std::uint32_t word = sizeof(std::uint32_t);
    return element_bytes < word ? ContentParts{element_bytes, 1} : ContentParts{word, element_bytes / word};
  }
  /// Returns the low bits of a word that a part has.
  [[nodiscard]] GPUMEM_HOST_DEVICE constexpr std::uint32_t low(std::uint32_t word) const {
    return bytes == sizeof(word) ? word : word & ((std::uint32_t{1} << 8U * bytes) - 1);
  }
  /// Returns the random content of the part at an index of the array.
  [[nodiscard]] GPUMEM_HOST_DEVICE constexpr std::uint32_t random(std::uint64_t index) const {
    const std::uint64_t byte = index * bytes;
    return low(random_word(byte / sizeof(std::uint32_t)) >> (byte % sizeof(std::uint32_t) * 8U));
  }
  [[nodiscard]] GPUMEM_HOST_DEVICE constexpr std::uint32_t poison() const { return low(poison_word); }
  /// Returns the part at an index of `array`.
  [[nodiscard]] GPUMEM_HOST_DEVICE std::uint32_t at(const std::uint32_t* array, std::uint64_t index) const {
    if (bytes == sizeof(std::uint32_t)) return array[index];
    const auto* const own = reinterpret_cast<const unsigned char*>(array) + index * bytes;
    return bytes == 1 ? *own : *reinterpret_cast<const unsigned short*>(own);
  }
};

}  // namespace gpumem::measure
