#pragma once
// `gpumem explain`: what limits the cases of a saved report, and what would change it. Needs neither GPU nor driver.

#include "app/command_line/command_line.hpp"
#include "app/run/environment.hpp"

namespace gpumem::app {

/// Explains the chosen cases of a report, all of them unless some are named. Returns the exit code; throws a usage
/// error for a file that cannot be read or holds no report, and for cases that it does not have.
[[nodiscard]] int run_explain_command(const ExplainArguments& arguments, const Environment& environment);

}  // namespace gpumem::app
