#pragma once
// Elements a stride apart, from an offset on: the accesses of the zero-copy kernels, and what they leave in an array.

#include <cstdint>

#include "engine/access/host_device.hpp"
#include "engine/measure/host_memory.hpp"
#include "probes/global/launch.hpp"

namespace gpumem::host {

/// A pattern as probes/global/global_probe.cuh describes it. With `stride` at least 1 it ascends.
struct AffinePattern {
  std::uint64_t offset;
  std::uint64_t stride;

  GPUMEM_HOST_DEVICE constexpr std::uint64_t operator()(std::uint64_t i) const { return offset + i * stride; }
  GPUMEM_HOST_DEVICE constexpr bool active(std::uint64_t) const { return true; }
  /// Up to the last element and no further: the gap after it would be copied for nothing. `count` at least 1.
  [[nodiscard]] constexpr std::uint64_t extent(std::uint64_t count) const { return (*this)(count - 1) + 1; }
  [[nodiscard]] constexpr std::uint64_t useful(std::uint64_t count) const { return count; }
  [[nodiscard]] constexpr global::PatternPeriod period() const {
    return {.accesses = 1, .growth_elements = static_cast<std::int64_t>(stride)};
  }
};

/// Compares an array of words with what storing `count` elements of random content must have made of poison: the
/// pattern's elements hold random_word(index of the word), and everything else up to its extent is still poison.
[[nodiscard]] Difference compare_stored(const std::uint32_t* words, std::uint32_t words_per_element,
                                        std::uint64_t count, const AffinePattern& pattern);

}  // namespace gpumem::host
