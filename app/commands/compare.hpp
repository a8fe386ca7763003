#pragma once
// `gpumem compare`: what changed from one saved report to others. Needs neither GPU nor driver.

#include "app/command_line/command_line.hpp"
#include "app/run/environment.hpp"

namespace gpumem::app {

/// Compares reports, or with `fleet` machines. Returns the exit code: 1 for what --fail-on-regression asks for, with
/// the reason on stderr. Throws a usage error for a file that cannot be read or holds no report.
[[nodiscard]] int run_compare_command(const CompareArguments& arguments, const Environment& environment);

}  // namespace gpumem::app
