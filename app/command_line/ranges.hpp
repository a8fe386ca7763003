#pragma once
// The values of an axis as a user writes them: `0..32`, `0..32:4`, `1..1024*2`, `1,2,5,8..10`, `4KiB..1GiB*4`, names.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "probes/probe.hpp"

namespace gpumem::app {

/// The most values one axis takes: more is a slip of the finger, not a sweep.
inline constexpr std::uint64_t maximum_points = 10'000;

/// The values of `texts`, the uses of one axis' flag in their order; duplicates keep their first place. Ranges are
/// inclusive; numbers take KiB, MiB, GiB (powers of two) and KB, MB, GB (powers of ten).
/// Throws a usage error of one line that begins with "--flag: ", quotes the text and says what would be right: for what
/// is not in the syntax, never ends, has more than `maximum_points` values, or is not a value of the axis.
[[nodiscard]] std::vector<Value> parse_axis_values(const Axis& axis, std::span<const std::string> texts);

}  // namespace gpumem::app
