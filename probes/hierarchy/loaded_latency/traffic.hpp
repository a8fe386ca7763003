#pragma once
// The traffic beside a chase: every multiprocessor but the chase's own moves chunks of memory at a rate of choice.

#include <cstdint>

#include "engine/access/host_device.hpp"
#include "engine/access/request.hpp"
#include "engine/measure/content.hpp"

namespace gpumem::hierarchy {

constexpr unsigned traffic_threads = 1024;
constexpr unsigned traffic_warps = traffic_threads / access::warp_lanes;
/// A warp moves a chunk at a time: four vectors of 16 bytes a lane, all on their way at once. With all warps that is
/// 64 KiB of a multiprocessor, more than it takes to saturate any memory.
constexpr unsigned traffic_chunk_vectors = 4;
constexpr std::uint64_t traffic_chunk_bytes = std::uint64_t{traffic_chunk_vectors} * access::warp_lanes * 16;

/// The chunks that each warp loads or stores, and the time between them.
struct PacedTraffic {
  std::uint32_t chunks = 0;           ///< of the array that is read, and of the one that is written; more than `warps`
  std::uint32_t warps = 0;            ///< of the launch
  std::uint32_t written_percent = 0;  ///< of the chunks
  std::uint64_t interval_cycles = 0;  ///< from one chunk of a warp to its next; 0: one after another
  std::uint64_t longest_ns = 0;       ///< it ends then, whatever happens

  /// Cycles until the warp's first chunk. They are random: warps that begin one after another all wait in the same few
  /// channels of the memory, and a load beside them takes half as long again.
  [[nodiscard]] GPUMEM_HOST_DEVICE constexpr std::uint64_t begin(std::uint32_t warp) const {
    return (interval_cycles * (measure::random_word(warp) >> 8U)) >> 24U;
  }
};

/// The chunks of one warp, in turn: the same on the device and for the check of what it moved.
struct TrafficWalk {
  std::uint32_t chunk;
  std::uint32_t phase;

  GPUMEM_HOST_DEVICE explicit constexpr TrafficWalk(std::uint32_t warp)
      : chunk(warp), phase(measure::random_word(~std::uint64_t{warp}) % 100) {}

  /// True if the present chunk is stored. Changes `phase`: to be called once per chunk.
  GPUMEM_HOST_DEVICE constexpr bool stores(const PacedTraffic& traffic) {
    phase += traffic.written_percent;
    const bool stored = phase >= 100;
    if (stored) phase -= 100;
    return stored;
  }
  GPUMEM_HOST_DEVICE constexpr void advance(const PacedTraffic& traffic) {
    chunk += traffic.warps;
    if (chunk >= traffic.chunks) chunk -= traffic.chunks;
  }
};

/// Flags in device memory: one ends the traffic, the other tells the host that it timed out.
struct TrafficState {
  std::uint32_t over = 0;       ///< set when the chase has ended
  std::uint32_t timed_out = 0;  ///< set by traffic that nobody ended in time
};

/// The time that a block took, which it leaves for the host.
struct TrafficTime {
  std::uint64_t cycles = 0;
  std::uint64_t nanoseconds = 0;
};

}  // namespace gpumem::hierarchy
