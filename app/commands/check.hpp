#pragma once
// `gpumem check`: hold a suite's expectations against a run or a saved report.

#include <string>
#include <vector>

#include "app/command_line/command_line.hpp"
#include "app/run/environment.hpp"

namespace gpumem::app {

/// Runs the suites, or reads the reports, and prints a line per expectation; `command` is argv. Returns the exit code:
/// 0 nothing failed, 1 something did or nothing was checked, 3 nothing failed but a required expectation was skipped.
/// Throws a usage error before anything is measured, a no-GPU error, and Interrupted after what was done has been
/// written.
[[nodiscard]] int run_check_command(const CheckArguments& arguments, const std::vector<std::string>& command,
                                    const Environment& environment);

}  // namespace gpumem::app
