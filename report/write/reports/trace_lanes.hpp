#pragma once
// Where spans of time go on the tracks of a trace. A track cannot hold two that overlap unless one is within the other.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gpumem::report {

struct TimeSpan {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
};

/// From seconds, of which any number is taken: what no program runs for is the most that stays in range.
[[nodiscard]] TimeSpan time_span(double begin_s, double seconds);

/// The lane of each span, from 0, so that on a lane one follows another. Clocks are not exact: what overlaps by up to a
/// microsecond begins where the one before it ends.
[[nodiscard]] std::vector<std::size_t> lanes_side_by_side(std::span<TimeSpan> spans);

/// The same where one may be within another on a lane, as ranges are that a program marks. There are at most 32 lanes:
/// what fits on none ends with the one that it begins in.
[[nodiscard]] std::vector<std::size_t> lanes_nested(std::span<TimeSpan> spans);

}  // namespace gpumem::report
