#pragma once
// Describes the requests of a launch in numbers: the lanes of a request, the step from one request to the next, and
// accesses that come again later. Needs only the addresses, whatever computed them.

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/access/exact.hpp"
#include "engine/access/lane_pattern.hpp"
#include "engine/access/sharing.hpp"

namespace gpumem::access {

/// Values of a number all over the launch. If 19 of 20 are one value, the others are left out.
struct Spread {
  std::int64_t low = 0;
  std::int64_t high = 0;
  double mean = 0;

  [[nodiscard]] bool constant() const { return low == high; }
};

/// The position of one kind's requests relative to the boundaries of sectors and lines.
struct Shift {
  double sector_share = 0;   ///< of these requests, those that touch a sector more than they have to
  double line_share = 0;     ///< the same of lines
  Spread sector_bytes = {};  ///< of those, how far behind a boundary they begin
  Spread line_bytes = {};
};

/// Requests of one kind. The numbers are those of LanePattern.
struct LaneShape {
  LaneKind kind = LaneKind::none;
  double share = 0;  ///< of the requests that say what kind they are
  Spread group_lanes = {};
  Spread step_bytes = {};
  bool adjacent = false;  ///< linear, reordered and within runs: lanes are next to each other, up or down
  Spread runs = {};
  Spread run_places = {};
  double jump_share = 0;                            ///< linear: requests that jump between lanes
  std::optional<std::int64_t> distance_bytes = {};  ///< runs and repeating, if it is always the same
  Spread period_lanes = {};
  Spread gap_bytes = {};
  bool downwards = false;          ///< sorted
  bool alike = false;              ///< in all of them lanes lie relative to each other in the same way
  std::uint64_t window_bytes = 0;  ///< the largest span
  Shift shift = {};                ///< of lanes next to each other, in whichever order
};

enum class StepKind : std::uint8_t {
  unknown,    ///< of one request, or if the lanes already say all
  continues,  ///< the next request goes on where this one ended
  steps,      ///< it lies `step_bytes` further on; 0 is the same place
  turns,      ///< the one `turn` requests later lies `step_bytes` further on, those between elsewhere
  onwards,    ///< further on, by varying steps
  nearby,     ///< anywhere within `window_bytes` that move along
  anywhere    ///< anywhere within the launch's range
};

/// One request to the next.
struct StepShape {
  StepKind kind = StepKind::unknown;
  std::int64_t step_bytes = 0;  ///< onwards: in the mean
  double share = 1;             ///< of pairs of neighbours; the others jump
  std::uint64_t turn = 0;
  bool overlaps = false;  ///< steps of less than a request with lanes next to each other has bytes
  std::uint64_t window_bytes = 0;
};

struct PatternShape {
  std::uint64_t requests = 0;  ///< of the launch
  std::uint64_t sampled = 0;   ///< of those, looked at for all but `sharing`
  unsigned word_bytes = 4;
  bool in_sectors = true;                  ///< the space exchanges sectors: not so on chip, nor of constants
  std::uint64_t extent_bytes = 0;          ///< as Requests has it
  Spread active_lanes = {};                ///< of all requests
  std::optional<std::uint32_t> mask = {};  ///< of 19 of 20 requests with an active lane
  double idle_share = 0;                   ///< requests without
  std::vector<LaneShape> lanes = {};       ///< the most frequent kind first; empty if no lane is active
  StepShape step = {};
  std::uint64_t range_bytes = 0;  ///< from the lowest to the highest word seen
  Sharing sharing = {};           ///< only in_sectors
  double reuse = 1;               ///< accesses for each element, in the mean; of a large launch at least that many
};

/// Looks at every request of a small launch. In a large one it looks at some thousands, the same ones every time: short
/// runs of neighbours all over the launch, with the first and the last request. Throws what `fill` throws.
[[nodiscard]] PatternShape pattern_shape(const Requests& launch);

}  // namespace gpumem::access
