#pragma once
// Finds how the lanes of one request lie relative to each other, from their addresses alone.

#include <cstdint>

#include "engine/access/request.hpp"

namespace gpumem::access {

/// Returns the absolute value of a distance, even of the smallest number, which has no opposite.
[[nodiscard]] constexpr std::uint64_t magnitude(std::int64_t bytes) {
  return bytes < 0 ? 0 - static_cast<std::uint64_t>(bytes) : static_cast<std::uint64_t>(bytes);
}

/// The kinds of requests, those that fit more closely first.
enum class LaneKind : std::uint8_t {
  none,       ///< no lane is active
  single,     ///< one is
  same,       ///< several, all at one address
  linear,     ///< the same step from each lane to the next
  reordered,  ///< the addresses of a linear request, each once, in another order
  runs,       ///< linear but for jumps that are not many
  repeating,  ///< every few lanes go to the same places as those before them, or as much further on each time
  sorted,     ///< all upwards or all downwards, by unequal steps
  scattered   ///< none of these
};

/// The pattern of one request. Distances are bytes between beginnings of words, negative downwards, and modulo 2^64 if
/// memory is that large. Successive active lanes at one address are a group, which counts as one place.
struct LanePattern {
  LaneKind kind = LaneKind::none;
  unsigned active = 0;          ///< lanes
  std::uint64_t lowest = 0;     ///< address; not of none
  std::uint64_t span = 0;       ///< bytes from there to the end of the highest word
  unsigned shortest_group = 1;  ///< lanes, of the groups that do not reach beyond the warp
  unsigned longest_group = 1;   ///< lanes
  unsigned places = 0;          ///< groups
  std::uint64_t first =
      0;  ///< address of the first active lane; linear by lane: of the first lane; reordered: the lowest
  std::uint64_t last = 0;  ///< and of the last
  std::uint64_t next = 0;  ///< address of a lane behind the warp's, if it went on: linear, reordered, runs, repeating
  bool weak = false;       ///< so few places that this may be chance
  bool by_lane =
      false;  ///< linear: the step is from lane to lane, active or not, else from one active lane to the next
  std::int64_t step = 0;           ///< linear, reordered and within runs
  unsigned runs = 1;               ///< of linear ones too
  unsigned shortest_run = 0;       ///< places, of the runs that do not reach beyond the warp
  unsigned longest_run = 0;        ///< places
  bool runs_even = false;          ///< all beginnings of runs are `distance` apart
  std::int64_t distance = 0;       ///< repeating: from one period to the next
  unsigned period = 0;             ///< lanes; repeating
  std::uint64_t smallest_gap = 0;  ///< of sorted
  std::uint64_t largest_gap = 0;   ///< of sorted
  bool downwards = false;          ///< of sorted
  std::uint64_t fingerprint = 0;   ///< equal if lanes lie relative to each other in the same way
};

[[nodiscard]] LanePattern lane_pattern(const WarpRequest& request);

}  // namespace gpumem::access
