#pragma once
// Values as a user writes them: those of an axis (`0..32`, `0..32:4`, `1..1024*2`, `1,2,5,8..10`, `4KiB..1GiB*4`,
// names), shares (`0.5%`) and times (`500ms`).

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/ranges.hpp"
#include "engine/statistics/statistics.hpp"
#include "probes/probe.hpp"

namespace gpumem::app {

using gpumem::maximum_points;  // that one axis takes

/// The values of `texts`, the uses of one axis' flag in their order; duplicates keep their first place. Ranges are
/// inclusive; numbers are those of read_range(). A share of a device's memory stays one: the name "90%".
/// Throws a usage error of one line that begins with "--flag: ", quotes the text and says what would be right: for what
/// is not in the syntax, never ends, has more than `maximum_points` values, or is not a value of the axis.
[[nodiscard]] std::vector<Value> parse_axis_values(const Axis& axis, std::span<const std::string> texts);

/// "0.5%" or "0.005" -> 0.005. Throws a usage error that begins with "--option: " for anything but a share of more than
/// 0 and less than `below`, and for a bare number so large that a percent sign was probably forgotten.
[[nodiscard]] double parse_fraction(std::string_view option, std::string_view text, double below = 1);

/// "2s", "500ms", "100us", "1.5min" or "0" -> a duration. Throws a usage error that begins with "--option: ".
[[nodiscard]] measure::Seconds parse_duration(std::string_view option, std::string_view text);

/// "3" -> 3: a whole number of things, such as "launches". Throws a usage error that begins with "--option: ".
[[nodiscard]] std::uint64_t parse_count(std::string_view option, std::string_view things, std::string_view text);

}  // namespace gpumem::app
