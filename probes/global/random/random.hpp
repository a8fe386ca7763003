#pragma once
// Elements in random order: the accesses of the probe `random`.

#include <bit>
#include <cstdint>

#include "engine/access/host_device.hpp"
#include "engine/access/request.hpp"

namespace gpumem::global {

/// The fewest bytes that have a sector for each lane of a warp.
inline constexpr std::uint64_t smallest_footprint = std::uint64_t{access::warp_lanes} * access::sector_bytes;

/// A permutation of the elements of a footprint, computed so that there is no traffic for indices: first one element of
/// every sector, the sectors in random order, then another of every sector, and from the start again once all had their
/// turn. So no two lanes of a request share a sector, and each costs 32 of them. Footprint and word are powers of two.
class RandomPattern {
 public:
  RandomPattern(std::uint64_t footprint_bytes, std::uint32_t word_bytes)
      : elements_(footprint_bytes / word_bytes),
        sector_bits_(static_cast<unsigned>(std::countr_zero(footprint_bytes / access::sector_bytes))),
        word_bits_(static_cast<unsigned>(std::countr_zero(access::sector_bytes / word_bytes))) {}

  GPUMEM_HOST_DEVICE constexpr std::uint64_t operator()(std::uint64_t i) const {
    const std::uint64_t sector = permuted(i);
    const std::uint64_t word = (sector + (i >> sector_bits_)) & low_bits(word_bits_);
    return (sector << word_bits_) | word;
  }
  GPUMEM_HOST_DEVICE constexpr bool active(std::uint64_t) const { return true; }
  [[nodiscard]] constexpr std::uint64_t extent(std::uint64_t /*count*/) const { return elements_; }
  [[nodiscard]] constexpr std::uint64_t useful(std::uint64_t count) const { return count; }

 private:
  [[nodiscard]] GPUMEM_HOST_DEVICE static constexpr std::uint64_t low_bits(unsigned bits) {
    return (std::uint64_t{1} << bits) - 1;
  }
  /// A bijection of the low sector bits: each step can be undone, as in the finaliser of SplitMix64 (Steele, Lea and
  /// Flood, Fast splittable pseudorandom number generators, OOPSLA 2014), whose multipliers these are.
  [[nodiscard]] GPUMEM_HOST_DEVICE constexpr std::uint64_t permuted(std::uint64_t i) const {
    const unsigned half = (sector_bits_ + 1) / 2;
    std::uint64_t x = (i * 0xBF58476D1CE4E5B9U) & low_bits(sector_bits_);
    x ^= x >> half;
    x = (x * 0x94D049BB133111EBU) & low_bits(sector_bits_);
    return x ^ (x >> half);
  }

  std::uint64_t elements_;
  unsigned sector_bits_;
  unsigned word_bits_;
};

}  // namespace gpumem::global
