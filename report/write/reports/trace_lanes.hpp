#pragma once
// Lanes for spans of time on the tracks of a trace. A track cannot hold two spans that overlap unless one is within the
// other.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gpumem::report {

struct TimeSpan {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
};

/// Converts seconds to a span. Any number is accepted: those beyond the time that any program runs are clamped.
[[nodiscard]] TimeSpan time_span(double begin_s, double seconds);

/// The lane of each span, from 0, so that on a lane one follows another. Clocks are not exact: what overlaps by up to a
/// microsecond begins where the one before it ends.
[[nodiscard]] std::vector<std::size_t> lanes_side_by_side(std::span<TimeSpan> spans);

/// The same for spans of which one may be within another on a lane, like the ranges that a program marks. There are at
/// most 32 lanes: a span that fits on none ends with the span that it begins in.
[[nodiscard]] std::vector<std::size_t> lanes_nested(std::span<TimeSpan> spans);

}  // namespace gpumem::report
