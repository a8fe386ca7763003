#pragma once

#include "app/commands/commands.hpp"
#include "app/output/result_outputs.hpp"
#include "app/run/environment.hpp"

namespace gpumem::app {

/// Reads the reports of many GPUs, one file each, and writes which GPUs and cases are off by more than `tolerance`, a
/// share of their kind's median. A file that is no report is named on stderr, and the others are compared all the same.
/// Returns the exit code: 0; 1 where it shall fail on regressions and there are some, or nothing could be judged; 2 if
/// a file could not be used. Throws a usage error where there is no report at all.
[[nodiscard]] int run_fleet_command(const CompareArguments& arguments, double tolerance, const ResultOutputs& outputs,
                                    const Environment& environment);

}  // namespace gpumem::app
