#pragma once
// A case of the overlap probe in numbers, and what its cases show together.

#include <cstdint>
#include <span>

#include "probes/probe.hpp"

namespace gpumem::host {

/// What a case decides.
struct Plan {
  std::uint64_t streams;
  std::uint64_t chunks;  ///< pieces that the data goes through the device in: one in a single stream
  std::uint64_t bytes;
  double kernel_share;  ///< of the time of copying in
  bool pageable;
  bool host_works;

  explicit Plan(const Case& decided)
      : streams(decided.number("streams")),
        chunks(streams == 1 ? 1 : decided.number("chunks")),
        bytes(decided.number("size_bytes")),
        kernel_share(static_cast<double>(decided.number("kernel_percent")) / 100),
        pageable(decided.name("overlap") == "pageable"),
        host_works(decided.name("overlap") == "host-work") {}

  [[nodiscard]] std::uint64_t words() const { return bytes / sizeof(std::uint32_t); }
  [[nodiscard]] unsigned stream_of(std::uint64_t chunk) const { return static_cast<unsigned>(chunk % streams); }
  /// The host works beside the streams, except where nothing overlaps: there it follows the only one.
  [[nodiscard]] unsigned host_stream() const { return static_cast<unsigned>(streams == 1 ? 0 : streams); }
};

/// How much of copying and computing a run can do at once, and in how many streams: for the cases of one size, chunking
/// and kernel. Cases without the metric `speedup`, which measuring gives, get it against the same alternative in one
/// stream, if that ran.
[[nodiscard]] Conclusion conclude_overlap(std::span<const Outcome> outcomes);

}  // namespace gpumem::host
