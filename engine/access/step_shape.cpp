#include "engine/access/step_shape.hpp"

#include <algorithm>
#include <cmath>

namespace gpumem::access {

namespace {

constexpr double most = 0.5;  // of the pairs: the others are jumps
constexpr double regular = 0.9;
constexpr double most_alike = 0.8;  // where requests are of several kinds, no step holds for all
constexpr std::uint64_t longest_turn = 16;
constexpr std::size_t window_requests = 16;

using Runs = std::vector<std::vector<LanePattern>>;

struct Usual {
  std::int64_t value = 0;
  double share = 0;
};

/// The most frequent one of values in ascending order.
Usual usual_of(const std::vector<std::int64_t>& values) {
  Usual usual;
  std::size_t most_times = 0;
  for (std::size_t begin = 0; begin < values.size();) {
    std::size_t end = begin;
    while (end < values.size() && values[end] == values[begin]) ++end;
    if (end - begin > most_times) {
      most_times = end - begin;
      usual.value = values[begin];
    }
    begin = end;
  }
  if (!values.empty()) usual.share = static_cast<double>(most_times) / static_cast<double>(values.size());
  return usual;
}

/// From each request to the one so much later, where both have an active lane; in ascending order.
std::vector<std::int64_t> steps_over(const Runs& runs, std::uint64_t distance) {
  std::vector<std::int64_t> steps;
  for (const auto& run : runs) {
    for (std::size_t i = distance; i < run.size(); ++i) {
      if (run[i].active == 0 || run[i - distance].active == 0) continue;
      steps.push_back(static_cast<std::int64_t>(run[i].lowest - run[i - distance].lowest));
    }
  }
  std::ranges::sort(steps);
  return steps;
}

bool goes_on(const LanePattern& previous, const LanePattern& next) {
  switch (previous.kind) {
    case LaneKind::linear:
    case LaneKind::reordered:
    case LaneKind::runs:
    case LaneKind::repeating:
      return next.first == previous.next || next.first == previous.last + static_cast<std::uint64_t>(previous.step) ||
             (previous.longest_group > 1 && next.first == previous.last);
    case LaneKind::sorted:
      return previous.downwards ? next.first <= previous.last && previous.last - next.first <= previous.largest_gap
                                : next.first >= previous.last && next.first - previous.last <= previous.largest_gap;
    default:
      return false;
  }
}

double share_that_goes_on(const Runs& runs) {
  double pairs = 0;
  double going_on = 0;
  for (const auto& run : runs) {
    for (std::size_t i = 1; i < run.size(); ++i) {
      if (run[i].active == 0 || run[i - 1].active == 0) continue;
      if (run[i].kind == LaneKind::single || run[i - 1].kind == LaneKind::single) continue;  // which lane, who knows
      pairs += 1;
      if (goes_on(run[i - 1], run[i])) going_on += 1;
    }
  }
  return pairs == 0 ? 0 : going_on / pairs;
}

std::uint64_t median_magnitude(const std::vector<std::int64_t>& steps) {
  std::vector<std::uint64_t> magnitudes;
  magnitudes.reserve(steps.size());
  for (const std::int64_t step : steps) magnitudes.push_back(magnitude(step));
  std::ranges::nth_element(magnitudes, magnitudes.begin() + static_cast<std::ptrdiff_t>(magnitudes.size() / 2));
  return magnitudes[magnitudes.size() / 2];
}

/// Within which a few neighbouring requests lie, where they lie furthest apart.
std::uint64_t window_of_neighbours(const Runs& runs) {
  std::uint64_t window = 0;
  for (const auto& run : runs) {
    for (std::size_t first = 0; first < run.size(); first += window_requests) {
      std::uint64_t lowest = ~std::uint64_t{0};
      std::uint64_t end = 0;
      for (std::size_t i = first; i < std::min(run.size(), first + window_requests); ++i) {
        if (run[i].active == 0) continue;
        lowest = std::min(lowest, run[i].lowest);
        end = std::max(end, run[i].lowest + run[i].span);
      }
      if (end > lowest) window = std::max(window, end - lowest);
    }
  }
  return window;
}

double mean_of(const std::vector<std::int64_t>& steps) {
  double sum = 0;
  for (const std::int64_t step : steps) sum += static_cast<double>(step);
  return sum / static_cast<double>(steps.size());
}

}  // namespace

Spread spread_of(std::vector<std::int64_t> values) {
  if (values.empty()) return {};
  std::ranges::sort(values);
  const Usual usual = usual_of(values);
  if (20 * usual.share >= 19) return {usual.value, usual.value, static_cast<double>(usual.value)};
  return {values.front(), values.back(), mean_of(values)};
}

StepShape step_shape(const Runs& runs, const LaneShape& lanes, std::uint64_t range_bytes) {
  StepShape shape;
  const std::vector<std::int64_t> steps = steps_over(runs, 1);
  if (steps.empty() || lanes.share < most_alike) return shape;
  const double going_on = share_that_goes_on(runs);
  const Usual usual = usual_of(steps);
  const bool irregular = lanes.kind == LaneKind::scattered && !lanes.alike;
  if (going_on >= most) return {.kind = StepKind::continues, .share = going_on};
  if (usual.share >= most && !(irregular && usual.value == 0)) {
    return {.kind = StepKind::steps,
            .step_bytes = usual.value,
            .share = usual.share,
            .overlaps = lanes.adjacent && lanes.kind != LaneKind::runs && usual.value != 0 &&
                        magnitude(usual.value) < lanes.window_bytes};
  }
  for (std::uint64_t turn = 2; turn <= longest_turn && !irregular; ++turn) {
    const Usual later = usual_of(steps_over(runs, turn));
    if (later.share < regular) continue;
    return {.kind = StepKind::turns, .step_bytes = later.value, .share = later.share, .turn = turn};
  }
  if (lanes.window_bytes >= range_bytes / 3) return shape;
  const auto onwards = std::ranges::count_if(steps, [](std::int64_t step) { return step >= 0; });
  const double upwards = static_cast<double>(onwards) / static_cast<double>(steps.size());
  if (std::max(upwards, 1 - upwards) >= regular && !irregular) {
    return {.kind = StepKind::onwards,
            .step_bytes = static_cast<std::int64_t>(std::llround(mean_of(steps))),
            .share = std::max(upwards, 1 - upwards)};
  }
  const std::uint64_t window = window_of_neighbours(runs);
  if (median_magnitude(steps) < range_bytes / 16 && window < range_bytes / 2) {
    return {.kind = StepKind::nearby, .window_bytes = window};
  }
  return {.kind = StepKind::anywhere};
}

}  // namespace gpumem::access
