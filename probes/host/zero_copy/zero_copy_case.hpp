#pragma once
// A case of the zero-copy probe in numbers, and from how many passes over host memory it pays to copy it to the device
// first.

#include <cstdint>
#include <span>

#include "engine/access/host_device.hpp"
#include "engine/measure/host_memory.hpp"
#include "probes/global/launch.hpp"
#include "probes/probe.hpp"

namespace gpumem::host {

namespace axis {
inline constexpr Number passes{"passes", &count_phrase};
inline constexpr Choice<bool> mapped{"placement", {{"mapped", true}, {"copied", false}}};
inline constexpr Number offset_elements{"offset_elements"};
inline constexpr Number stride_elements{"stride_elements"};
}  // namespace axis

/// Elements a stride apart, from an offset on. A pattern as probes/global/global_probe.cuh describes it. With `stride`
/// at least 1 it ascends.
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

/// A case in numbers.
struct ZeroCopy {
  bool mapped;
  std::uint64_t passes;
  AffinePattern pattern;
  global::Launch launch;

  explicit ZeroCopy(const Case& decided)
      : mapped(decided[axis::mapped]),
        passes(decided[axis::passes]),
        pattern{decided[axis::offset_elements], decided[axis::stride_elements]},
        launch{.op = decided[global::axis::op],
               .word_bytes = decided[global::axis::word_bytes],
               .count = decided[global::axis::buffer_bytes] / decided[global::axis::word_bytes],
               .tile = {.block_threads = 256, .elements_per_thread = mapped ? mapped_elements : copied_elements}} {}

  /// Bytes of one array that are copied, gaps included, in whole 32-bit words.
  [[nodiscard]] std::uint64_t extent_bytes() const { return extent_words() * sizeof(std::uint32_t); }
  [[nodiscard]] std::uint64_t extent_words() const { return launch.words_of(pattern.extent(launch.count)); }

 private:
  /// The textbook kernel keeps the link busy, and misaligned writes need it: two warps' parts of a sector are combined
  /// only if they come close in time, and each element more per thread puts them further apart. On an H200, writes
  /// shifted by one float reach 48.8 GB/s with 1 element per thread and 39 with 4; copies differ by 2 %, reads not.
  static constexpr std::uint32_t mapped_elements = 1;
  /// Device memory outruns the textbook kernel on large GPUs, whose blocks do not start fast enough: on an H200 it
  /// stops at 1690 GB/s. A fixed number, so that both placements are compared without trials; 4 is what `auto` prefers
  /// in the global probes.
  static constexpr std::uint32_t copied_elements = 4;
};

/// Compares an array with what storing `count` elements of random content must have made of poison: the pattern's
/// elements hold the random content of their parts, and everything else up to its extent is still poison. The
/// difference counts parts.
[[nodiscard]] Difference compare_stored(const std::uint32_t* words, const measure::ContentParts& parts,
                                        std::uint64_t count, const AffinePattern& pattern);

/// For the cases of one op and pattern in the placements `mapped` and `copied`. Either's time is affine in the passes,
/// so between two numbers of passes that ran in both the break-even lies on a line, and beyond them it is extrapolated.
/// All outcomes get copying_pays_from_passes, the smallest whole number of passes from which copying is faster; none
/// does if there is no such number, or if the passes that ran do not tell.
[[nodiscard]] Conclusion conclude_zero_copy(std::span<const Outcome> outcomes);

}  // namespace gpumem::host
