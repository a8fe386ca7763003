#pragma once
// A case of the overlap probe in numbers, and the conclusions from several cases.

#include <cstdint>
#include <span>

#include "probes/host/whole_words.hpp"
#include "probes/probe.hpp"

namespace gpumem::host {

enum class Overlap { staged, pageable, host_work };

namespace axis {
inline constexpr Number streams{"streams", &count_phrase};
inline constexpr Choice<Overlap> overlap{"overlap", {"staged", "pageable", "host-work"}};
inline constexpr Number<double> kernel_percent{"kernel_percent"};
inline constexpr Number chunks{"chunks", &count_phrase};
}  // namespace axis

/// A case in numbers.
struct Plan {
  std::uint64_t streams;
  std::uint64_t chunks;  ///< pieces of the data; 1 in a single stream
  std::uint64_t bytes;
  double kernel_share;  ///< of the time of copying in
  bool pageable;
  bool host_works;

  explicit Plan(const Case& decided)
      : streams(decided[axis::streams]),
        chunks(streams == 1 ? 1 : decided[axis::chunks]),
        bytes(decided[axis::size_bytes]),
        kernel_share(decided[axis::kernel_percent] / 100),
        pageable(decided[axis::overlap] == Overlap::pageable),
        host_works(decided[axis::overlap] == Overlap::host_work) {}

  [[nodiscard]] std::uint64_t words() const { return bytes / sizeof(std::uint32_t); }
  [[nodiscard]] unsigned stream_of(std::uint64_t chunk) const { return static_cast<unsigned>(chunk % streams); }
  /// The host works beside the streams, except where nothing overlaps: there it follows the only one.
  [[nodiscard]] unsigned host_stream() const { return static_cast<unsigned>(streams == 1 ? 0 : streams); }
};

/// Concludes how much of copying and computing a run can do at once, and in how many streams, for the cases of one
/// size, chunking and kernel. Cases without the metric `speedup` are compared with the same alternative in one stream,
/// if that ran.
[[nodiscard]] Conclusion conclude_overlap(std::span<const Outcome> outcomes);

}  // namespace gpumem::host
