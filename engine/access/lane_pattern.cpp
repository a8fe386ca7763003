#include "engine/access/lane_pattern.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <span>

namespace gpumem::access {

namespace {

/// Fewer places than these are in order by chance too often: one in 720 of six is.
constexpr unsigned telling_places = 6;
constexpr unsigned longest_period = 16;

/// The active lanes in their order, and their groups.
struct Places {
  std::uint64_t address[warp_lanes];  ///< of every active lane
  unsigned lane[warp_lanes];
  unsigned lanes = 0;
  std::uint64_t group[warp_lanes];  ///< addresses of groups
  unsigned lanes_of_group[warp_lanes];
  unsigned groups = 0;

  [[nodiscard]] std::int64_t step(unsigned i) const { return static_cast<std::int64_t>(group[i + 1] - group[i]); }
};

Places places_of(const WarpRequest& request) {
  Places places;
  for (std::uint32_t active = request.active; active != 0; active &= active - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(active));
    const std::uint64_t address = request.address[lane];
    if (places.groups == 0 || places.group[places.groups - 1] != address) {
      places.group[places.groups] = address;
      places.lanes_of_group[places.groups++] = 0;
    }
    ++places.lanes_of_group[places.groups - 1];
    places.lane[places.lanes] = lane;
    places.address[places.lanes++] = address;
  }
  return places;
}

struct Lengths {
  unsigned shortest;
  unsigned longest;
};

/// Returns the shortest and the longest length. The first and the last may go on in the neighbouring warps, so that
/// they do not count as short.
Lengths lengths_of(std::span<const unsigned> lengths) {
  const bool inner = lengths.size() > 2;
  const auto [least, most] = std::ranges::minmax(inner ? lengths.subspan(1, lengths.size() - 2) : lengths);
  return {least, std::max(most, std::max(lengths.front(), lengths.back()))};
}

/// Returns true if addresses are linear in the lane's number, with lanes left out.
bool is_linear_by_lane(const Places& places, unsigned word_bytes, LanePattern& pattern) {
  if (places.groups != places.lanes || places.lanes < 2) return false;
  const auto lanes = static_cast<std::int64_t>(places.lane[1] - places.lane[0]);
  if (places.step(0) % lanes != 0) return false;
  const std::int64_t step = places.step(0) / lanes;
  const auto word = static_cast<std::int64_t>(word_bytes);
  if (step > -word && step < word) return false;  // the lanes between could not have words of their own
  for (unsigned i = 1; i < places.lanes; ++i) {
    const auto distance = static_cast<std::uint64_t>(step) * (places.lane[i] - places.lane[0]);
    if (places.address[i] - places.address[0] != distance) return false;
  }
  pattern.by_lane = true;
  pattern.step = step;
  return true;
}

/// Returns true if the step is the same from each active lane to the next, else if addresses are linear in the lane's
/// number. For a few lanes that is tried first, because it says more.
bool is_linear(const Places& places, unsigned word_bytes, LanePattern& pattern) {
  if (places.lanes <= 3 && is_linear_by_lane(places, word_bytes, pattern)) return true;
  bool even = true;
  for (unsigned i = 1; i + 1 < places.groups; ++i) even &= places.step(i) == places.step(0);
  if (!even) return is_linear_by_lane(places, word_bytes, pattern);
  pattern.step = places.step(0);
  return true;
}

bool is_reordered(const Places& places, std::uint64_t lowest, std::uint64_t highest, LanePattern& pattern) {
  const unsigned steps = places.groups - 1;
  if (places.groups < telling_places || (highest - lowest) % steps != 0) return false;
  const std::uint64_t step = (highest - lowest) / steps;
  std::uint64_t met = 0;
  for (unsigned i = 0; i < places.groups; ++i) {
    const std::uint64_t distance = places.group[i] - lowest;
    if (distance % step != 0 || (met >> (distance / step) & 1U) != 0) return false;
    met |= std::uint64_t{1} << (distance / step);
  }
  pattern.step = static_cast<std::int64_t>(step);
  return true;
}

/// Returns the step that more than half of the steps are, if there is one, and its count: by a majority vote (Boyer and
/// Moore 1981).
std::int64_t usual_step(const Places& places, unsigned& count) {
  std::int64_t usual = 0;
  unsigned lead = 0;
  for (unsigned i = 0; i + 1 < places.groups; ++i) {
    if (lead == 0) usual = places.step(i);
    lead = places.step(i) == usual ? lead + 1 : lead - 1;
  }
  count = 0;
  for (unsigned i = 0; i + 1 < places.groups; ++i) count += static_cast<unsigned>(places.step(i) == usual);
  return usual;
}

bool is_runs(const Places& places, unsigned word_bytes, LanePattern& pattern) {
  unsigned steps = 0;
  pattern.step = usual_step(places, steps);
  pattern.runs = places.groups - steps;
  // Neighbours in memory are rarely so by chance; other steps may be.
  const auto word = static_cast<std::int64_t>(word_bytes);
  const unsigned least_length = pattern.step == word || pattern.step == -word ? 2 : 4;
  if (places.groups < least_length * pattern.runs) return false;
  unsigned length[warp_lanes] = {};
  std::uint64_t begin[warp_lanes] = {places.group[0]};
  unsigned run = 0;
  for (unsigned i = 0; i < places.groups; ++i) {
    if (i > 0 && places.step(i - 1) != pattern.step) begin[++run] = places.group[i];
    ++length[run];
  }
  const auto [shortest, longest] = lengths_of({length, pattern.runs});
  pattern.shortest_run = shortest;
  pattern.longest_run = longest;
  // The first run may have begun in the warp before, so its beginning is moved back to where its end tells.
  const auto first = static_cast<std::uint64_t>(pattern.step) * (longest - length[0]);
  begin[0] -= first;
  pattern.distance = static_cast<std::int64_t>(begin[1] - begin[0]);
  pattern.runs_even = true;
  for (unsigned i = 1; i + 1 < pattern.runs; ++i) {
    pattern.runs_even &= static_cast<std::int64_t>(begin[i + 1] - begin[i]) == pattern.distance;
  }
  return true;
}

bool is_repeating(const Places& places, LanePattern& pattern) {
  for (unsigned period = 2; period <= std::min(longest_period, places.lanes / 2); ++period) {
    const std::uint64_t distance = places.address[period] - places.address[0];
    bool repeats = true;
    for (unsigned i = 1; i + period < places.lanes && repeats; ++i) {
      repeats = places.address[i + period] - places.address[i] == distance;
    }
    if (!repeats) continue;
    pattern.period = period;
    pattern.distance = static_cast<std::int64_t>(distance);
    return true;
  }
  return false;
}

bool is_sorted(const Places& places, LanePattern& pattern) {
  pattern.downwards = places.group[1] < places.group[0];
  pattern.smallest_gap = std::numeric_limits<std::uint64_t>::max();
  pattern.largest_gap = 0;
  for (unsigned i = 0; i + 1 < places.groups; ++i) {
    const std::uint64_t low = places.group[pattern.downwards ? i + 1 : i];
    const std::uint64_t high = places.group[pattern.downwards ? i : i + 1];
    if (high < low) return false;
    pattern.smallest_gap = std::min(pattern.smallest_gap, high - low);
    pattern.largest_gap = std::max(pattern.largest_gap, high - low);
  }
  return true;
}

/// Returns the kind of the request. If two kinds fit, it is the one that says more.
LaneKind kind_of(const Places& places, std::uint64_t highest, unsigned word_bytes, LanePattern& pattern) {
  if (places.lanes == 1) return LaneKind::single;
  if (places.groups == 1) return LaneKind::same;
  if (is_linear(places, word_bytes, pattern)) return LaneKind::linear;
  if (is_reordered(places, pattern.lowest, highest, pattern)) return LaneKind::reordered;
  const bool runs = is_runs(places, word_bytes, pattern);
  if (runs && pattern.runs_even && pattern.shortest_run == pattern.longest_run) return LaneKind::runs;
  if (is_repeating(places, pattern)) return LaneKind::repeating;
  if (runs) return LaneKind::runs;
  return is_sorted(places, pattern) ? LaneKind::sorted : LaneKind::scattered;
}

/// Fills in the numbers that follow from the kind.
void settle(const Places& places, LanePattern& pattern) {
  pattern.next = pattern.last + static_cast<std::uint64_t>(pattern.step);
  switch (pattern.kind) {
    case LaneKind::single:
      pattern.weak = true;
      break;
    case LaneKind::linear:
      pattern.runs = 1;
      pattern.shortest_run = pattern.longest_run = places.groups;
      pattern.weak = places.lanes < 3;
      if (pattern.by_lane) {
        pattern.first -= places.lane[0] * static_cast<std::uint64_t>(pattern.step);
        pattern.next = pattern.first + warp_lanes * static_cast<std::uint64_t>(pattern.step);
      }
      break;
    case LaneKind::reordered:
      pattern.first = pattern.lowest;
      pattern.next = pattern.lowest + places.groups * static_cast<std::uint64_t>(pattern.step);
      break;
    case LaneKind::repeating:
      pattern.next = places.address[places.lanes - pattern.period] + static_cast<std::uint64_t>(pattern.distance);
      break;
    case LaneKind::sorted:
    case LaneKind::scattered:
      pattern.weak = places.groups < telling_places;
      break;
    default:
      break;
  }
}

}  // namespace

LanePattern lane_pattern(const WarpRequest& request) {
  const Places places = places_of(request);
  LanePattern pattern;
  if (places.lanes == 0) return pattern;
  const auto [lowest, highest] = std::ranges::minmax(std::span(places.address, places.lanes));
  const auto [shortest, longest] = lengths_of({places.lanes_of_group, places.groups});
  pattern.active = places.lanes;
  pattern.lowest = lowest;
  pattern.span = highest - lowest + request.word_bytes;
  pattern.shortest_group = shortest;
  pattern.longest_group = longest;
  pattern.places = places.groups;
  pattern.first = places.address[0];
  pattern.last = places.address[places.lanes - 1];
  pattern.kind = kind_of(places, highest, request.word_bytes, pattern);
  settle(places, pattern);
  for (unsigned i = 0; i < places.lanes; ++i) {
    pattern.fingerprint = (pattern.fingerprint ^ (places.address[i] - lowest)) * 0x9e37'79b9'7f4a'7c15;
    pattern.fingerprint ^= pattern.fingerprint >> 32U;
  }
  return pattern;
}

}  // namespace gpumem::access
