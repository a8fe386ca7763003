#include "report/write/reports/trace_lanes.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <queue>
#include <set>
#include <utility>

namespace gpumem::report {

namespace {

constexpr std::int64_t tolerance_ns = 1000;
constexpr std::size_t most_lanes = 32;

/// Indices by begin, the longest first of those that begin together.
std::vector<std::size_t> in_order(std::span<const TimeSpan> spans) {
  std::vector<std::size_t> order(spans.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return std::pair(spans[i].begin_ns, -spans[i].end_ns); });
  return order;
}

/// Ends of the spans on a lane that have not ended yet, the innermost last.
using OpenEnds = std::vector<std::int64_t>;

}  // namespace

TimeSpan time_span(double begin_s, double seconds) {
  static constexpr double most_s = 1e7;  // 115 days, of which a double in microseconds keeps nanoseconds
  const auto ns = [](double value_s) { return std::llround(std::clamp(value_s, -most_s, most_s) * 1e9); };
  const std::int64_t begin_ns = ns(begin_s);
  return {begin_ns, begin_ns + std::max<std::int64_t>(0, ns(seconds))};
}

std::vector<std::size_t> lanes_side_by_side(std::span<TimeSpan> spans) {
  using Busy = std::pair<std::int64_t, std::size_t>;  // until when, and which lane
  std::priority_queue<Busy, std::vector<Busy>, std::greater<>> busy;
  std::set<std::size_t> free;
  std::vector<std::int64_t> ends;  // of all lanes
  std::vector<std::size_t> lanes(spans.size());
  for (const std::size_t i : in_order(spans)) {
    TimeSpan& span = spans[i];
    while (!busy.empty() && busy.top().first <= span.begin_ns + tolerance_ns) {
      free.insert(busy.top().second);
      busy.pop();
    }
    if (free.empty()) {
      free.insert(ends.size());
      ends.push_back(span.begin_ns);
    }
    const std::size_t lane = *free.begin();
    free.erase(free.begin());
    span.begin_ns = std::max(span.begin_ns, ends[lane]);
    span.end_ns = std::max(span.begin_ns, span.end_ns);
    ends[lane] = span.end_ns;
    busy.emplace(span.end_ns, lane);
    lanes[i] = lane;
  }
  return lanes;
}

std::vector<std::size_t> lanes_nested(std::span<TimeSpan> spans) {
  std::vector<OpenEnds> open;
  std::vector<std::size_t> lanes(spans.size());
  for (const std::size_t i : in_order(spans)) {
    TimeSpan& span = spans[i];
    for (OpenEnds& ends : open) {
      while (!ends.empty() && ends.back() <= span.begin_ns) ends.pop_back();
    }
    auto lane =
        std::ranges::find_if(open, [&](const OpenEnds& ends) { return ends.empty() || span.end_ns <= ends.back(); });
    if (lane == open.end() && open.size() < most_lanes) lane = open.insert(lane, OpenEnds());
    if (lane == open.end()) {
      --lane;
      span.end_ns = lane->back();
    }
    lane->push_back(span.end_ns);
    lanes[i] = static_cast<std::size_t>(lane - open.begin());
  }
  return lanes;
}

}  // namespace gpumem::report
