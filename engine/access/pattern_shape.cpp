#include "engine/access/pattern_shape.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <utility>

#include "engine/access/sampled.hpp"
#include "engine/access/space.hpp"
#include "engine/access/step_shape.hpp"

namespace gpumem::access {

namespace {

constexpr std::uint64_t small_launch_requests = 4096;
constexpr std::uint64_t run_requests = 64;
constexpr std::uint64_t run_count = 32;
constexpr double few = 0.1;  // a share of requests that others may speak for
constexpr double jumps_few = 2.0 / 3;

// ---- looking

struct Seen {
  std::vector<std::vector<LanePattern>> runs;  ///< of neighbours
  std::vector<std::uint32_t> masks;
  std::vector<std::uint64_t> addresses;
};

Seen look_at(const Requests& launch) {
  const bool whole = launch.count <= small_launch_requests;
  const std::uint64_t length = whole ? launch.count : run_requests;
  const std::uint64_t runs = whole ? 1 : run_count;
  Seen seen;
  for (std::uint64_t i = 0; i < runs; ++i) {
    std::uint64_t first = i == 0 ? 0 : place_in_part(launch.count - length, runs, i);
    if (i > 0 && i + 1 == runs) first = launch.count - length;
    seen.runs.emplace_back();
    for_each_request(launch, first, length, [&](std::uint64_t, const WarpRequest& request) {
      seen.runs.back().push_back(lane_pattern(request));
      seen.masks.push_back(request.active);
      for (unsigned lane = 0; lane < warp_lanes; ++lane) {
        if (request.lane_active(lane)) seen.addresses.push_back(request.address[lane]);
      }
    });
  }
  return seen;
}

// ---- the lanes

/// Requests of one kind. Requests whose lanes are next to each other have a group of their own.
using Group = std::vector<const LanePattern*>;
using Groups = std::map<std::pair<LaneKind, bool>, Group>;

bool adjacent(const LanePattern& lanes, unsigned word_bytes) {
  return lanes.step == static_cast<std::int64_t>(word_bytes) || lanes.step == -static_cast<std::int64_t>(word_bytes);
}

bool has_step(LaneKind kind) {
  return kind == LaneKind::linear || kind == LaneKind::reordered || kind == LaneKind::runs;
}

template <class Value>
Spread spread_over(const Group& group, Value value) {
  std::vector<std::int64_t> values;
  values.reserve(group.size());
  for (const LanePattern* lanes : group) values.push_back(static_cast<std::int64_t>(value(*lanes)));
  return spread_of(std::move(values));
}

Spread joined(const Spread& low, const Spread& high) { return {low.low, high.high, (low.mean + high.mean) / 2}; }

/// Returns the lowest address of the lanes; if the request is linear by lane, inactive lanes count, too.
std::uint64_t beginning(const LanePattern& lanes) {
  if (!lanes.by_lane) return lanes.lowest;
  return lanes.step > 0 ? lanes.first : lanes.first + (warp_lanes - 1) * static_cast<std::uint64_t>(lanes.step);
}

/// Finds the requests that touch a block more than their bytes have to: their share, and the bytes that they begin
/// behind a boundary. Lanes of the requests are next to each other.
void count_shifted(const Group& group, std::uint64_t block_bytes, double& share, Spread& bytes) {
  Group shifted;
  for (const LanePattern* lanes : group) {
    const std::uint64_t span = lanes->lowest - beginning(*lanes) + lanes->span;
    const std::uint64_t begin = beginning(*lanes) % block_bytes;
    if ((begin + span - 1) / block_bytes > (span - 1) / block_bytes) shifted.push_back(lanes);
  }
  share = static_cast<double>(shifted.size()) / static_cast<double>(group.size());
  bytes = spread_over(shifted, [&](const LanePattern& lanes) { return beginning(lanes) % block_bytes; });
}

LaneShape lane_shape(LaneKind kind, const Group& group, unsigned word_bytes) {
  LaneShape shape{.kind = kind};
  shape.group_lanes = joined(spread_over(group, [](const LanePattern& lanes) { return lanes.shortest_group; }),
                             spread_over(group, [](const LanePattern& lanes) { return lanes.longest_group; }));
  shape.step_bytes = spread_over(group, [](const LanePattern& lanes) { return lanes.step; });
  shape.runs = spread_over(group, [](const LanePattern& lanes) { return lanes.runs; });
  shape.run_places = joined(spread_over(group, [](const LanePattern& lanes) { return lanes.shortest_run; }),
                            spread_over(group, [](const LanePattern& lanes) { return lanes.longest_run; }));
  const Spread places = spread_over(group, [](const LanePattern& lanes) { return lanes.places; });
  if (shape.runs.mean > 0) shape.run_places.mean = places.mean / shape.runs.mean;
  shape.period_lanes = spread_over(group, [](const LanePattern& lanes) { return lanes.period; });
  const Spread distance = spread_over(group, [](const LanePattern& lanes) { return lanes.distance; });
  const auto even = std::ranges::count_if(group, [](const LanePattern* lanes) { return lanes->runs_even; });
  const bool known = kind == LaneKind::repeating || 20 * static_cast<std::size_t>(even) >= 19 * group.size();
  if (known && distance.constant()) shape.distance_bytes = distance.low;
  shape.gap_bytes = joined(spread_over(group, [](const LanePattern& lanes) { return lanes.smallest_gap; }),
                           spread_over(group, [](const LanePattern& lanes) { return lanes.largest_gap; }));
  const Spread span = spread_over(group, [](const LanePattern& lanes) { return lanes.span; });
  if (places.mean > 1) shape.gap_bytes.mean = (span.mean - word_bytes) / (places.mean - 1);
  const auto downwards = std::ranges::count_if(group, [](const LanePattern* lanes) { return lanes->downwards; });
  shape.downwards = 2 * static_cast<std::size_t>(downwards) > group.size();
  shape.alike = std::ranges::all_of(
      group, [&](const LanePattern* lanes) { return lanes->fingerprint == group.front()->fingerprint; });
  for (const LanePattern* lanes : group) shape.window_bytes = std::max(shape.window_bytes, lanes->span);
  shape.adjacent = has_step(kind) && adjacent(*group.front(), word_bytes);
  if (shape.adjacent && kind != LaneKind::runs) {
    count_shifted(group, sector_bytes, shape.shift.sector_share, shape.shift.sector_bytes);
    count_shifted(group, line_bytes, shape.shift.line_share, shape.shift.line_bytes);
  }
  return shape;
}

Groups grouped(const Seen& seen, unsigned word_bytes) {
  Groups strong;
  Groups all;
  std::size_t strong_requests = 0;
  std::size_t requests = 0;
  for (const auto& run : seen.runs) {
    for (const LanePattern& lanes : run) {
      if (lanes.kind == LaneKind::none) continue;
      const std::pair key(lanes.kind, has_step(lanes.kind) && adjacent(lanes, word_bytes));
      ++requests;
      all[key].push_back(&lanes);
      if (lanes.weak) continue;
      ++strong_requests;
      strong[key].push_back(&lanes);
    }
  }
  if (static_cast<double>(strong_requests) > few * static_cast<double>(requests)) return strong;
  // A single lane is of any kind.
  const auto single = all.find({LaneKind::single, false});
  if (single == all.end()) return all;
  if (static_cast<double>(single->second.size()) < (1 - few) * static_cast<double>(requests)) all.erase(single);
  return all;
}

/// Makes one kind of linear requests and those that are linear but for jumps: runs if more than a third has jumps, else
/// linear. Returns the share with jumps if it is linear, else 0.
double merge_jumps(Groups& groups, bool are_adjacent) {
  const auto linear = groups.find({LaneKind::linear, are_adjacent});
  const auto runs = groups.find({LaneKind::runs, are_adjacent});
  if (linear == groups.end() || runs == groups.end()) return 0;
  const auto step = [](const LanePattern& lanes) { return lanes.step; };
  const Spread linear_step = spread_over(linear->second, step);
  const Spread runs_step = spread_over(runs->second, step);
  if (!linear_step.constant() || !runs_step.constant() || linear_step.low != runs_step.low) return 0;
  const auto both = static_cast<double>(linear->second.size() + runs->second.size());
  const double jumps = static_cast<double>(runs->second.size()) / both;
  if (jumps > 1 - jumps_few) {
    runs->second.insert(runs->second.end(), linear->second.begin(), linear->second.end());
    groups.erase(linear);
    return 0;
  }
  // Requests with jumps are left out, because the two sides of a jump tell nothing of spans and shifts.
  groups.erase(runs);
  return jumps;
}

std::vector<LaneShape> lane_shapes(const Seen& seen, unsigned word_bytes) {
  Groups groups = grouped(seen, word_bytes);
  const double jumps[] = {merge_jumps(groups, false), merge_jumps(groups, true)};
  std::vector<LaneShape> shapes;
  double requests = 0;
  for (const auto& [key, group] : groups) {
    shapes.push_back(lane_shape(key.first, group, word_bytes));
    if (key.first == LaneKind::linear) shapes.back().jump_share = jumps[key.second ? 1 : 0];
    shapes.back().share = static_cast<double>(group.size()) / (1 - shapes.back().jump_share);
    requests += shapes.back().share;
  }
  for (LaneShape& shape : shapes) shape.share /= requests;
  std::ranges::stable_sort(shapes, std::ranges::greater{}, &LaneShape::share);
  return shapes;
}

// ---- all together

void count_active(const Seen& seen, PatternShape& shape) {
  std::map<std::uint32_t, std::size_t> times;
  std::vector<std::int64_t> active;
  for (const std::uint32_t mask : seen.masks) {
    ++times[mask];
    active.push_back(std::popcount(mask));
  }
  const std::size_t idle = times.contains(0) ? times[0] : 0;
  shape.active_lanes = spread_of(std::move(active));
  shape.idle_share = static_cast<double>(idle) / static_cast<double>(seen.masks.size());
  for (const auto& [mask, count] : times) {
    if (mask != 0 && 20 * count >= 19 * (seen.masks.size() - idle)) shape.mask = mask;
  }
}

/// Returns the accesses per element if the range has as many elements as it can have.
double least_reuse(const std::vector<std::uint64_t>& addresses, const PatternShape& shape) {
  const std::uint64_t lowest = std::ranges::min(addresses);
  std::uint64_t lattice = 0;  // bytes that divide all distances
  for (const std::uint64_t address : addresses) {
    const std::uint64_t distance = address - lowest;
    if (lattice == 0 || distance % lattice != 0) lattice = std::gcd(lattice, distance);
  }
  const double accesses = static_cast<double>(shape.requests) * shape.active_lanes.mean;
  const std::uint64_t steps = lattice == 0 ? 0 : (shape.range_bytes - shape.word_bytes) / lattice;
  return std::max(1.0, accesses / (static_cast<double>(steps) + 1));
}

double exact_reuse(std::vector<std::uint64_t> addresses) {
  const auto accesses = static_cast<double>(addresses.size());
  std::ranges::sort(addresses);
  const auto repeated = std::ranges::unique(addresses);
  return accesses / static_cast<double>(addresses.size() - repeated.size());
}

}  // namespace

PatternShape pattern_shape(const Requests& launch) {
  PatternShape shape{.requests = launch.count, .word_bytes = launch.word_bytes, .extent_bytes = launch.extent_bytes};
  shape.in_sectors = row_of(launch.space).home != Home::on_chip && launch.space != Space::constant;
  if (launch.count == 0) return shape;
  Seen seen = look_at(launch);
  shape.sampled = seen.masks.size();
  count_active(seen, shape);
  if (seen.addresses.empty()) return shape;
  const auto [lowest, highest] = std::ranges::minmax(seen.addresses);
  shape.range_bytes = highest - lowest + launch.word_bytes;
  shape.lanes = lane_shapes(seen, launch.word_bytes);
  shape.step = step_shape(seen.runs, shape.lanes.front(), shape.range_bytes);
  if (shape.in_sectors) shape.sharing = find_sharing(launch);
  const bool whole = shape.sampled == shape.requests;
  shape.reuse = whole ? exact_reuse(std::move(seen.addresses)) : least_reuse(seen.addresses, shape);
  return shape;
}

}  // namespace gpumem::access
