#pragma once
// Option values with a unit.

#include <string_view>

#include "probes/measure/statistics.hpp"

namespace gpumem::app {

/// "0.5%" or "0.005" -> 0.005. Throws a usage error that begins with "--option: " for anything but a share of more than
/// 0 and less than 1, and for a bare number so large that a percent sign was probably forgotten.
[[nodiscard]] double parse_fraction(std::string_view option, std::string_view text);

/// "2s", "500ms", "100us", "1.5min" or "0" -> a duration. Throws a usage error that begins with "--option: ".
[[nodiscard]] measure::Seconds parse_duration(std::string_view option, std::string_view text);

}  // namespace gpumem::app
