#pragma once
// `gpumem show`: saved reports again, in any format. Needs neither GPU nor driver.

#include <string>
#include <vector>

#include "app/command_line/command_line.hpp"
#include "app/run/environment.hpp"

namespace gpumem::app {

/// Renders the reports, one after another; CSV as one table. What a report of an older version lacks and follows from
/// its readings (findings, explanations) is made; the readings stay as they are. Returns the exit code; throws a usage
/// error for a file that cannot be read or holds no report.
[[nodiscard]] int run_show_command(const ShowArguments& arguments, const Environment& environment);

}  // namespace gpumem::app
