#pragma once
// `gpumem probe`: plan, run, report.

#include <string>
#include <vector>

#include "app/command_line/command_line.hpp"
#include "app/run/environment.hpp"
#include "report/record/record.hpp"

namespace gpumem::app {

/// Runs the cases and writes their report; `command` is argv. Returns the exit code: 0 all ran and verified, 1 data was
/// wrong, 4 a case failed, 3 one was skipped because a capability is missing. Throws a usage error before anything is
/// measured, a no-GPU error, and Interrupted after the report of what was done has been written.
[[nodiscard]] int run_probe_command(const ProbeArguments& arguments, const std::vector<std::string>& command,
                                    const Environment& environment);

}  // namespace gpumem::app
