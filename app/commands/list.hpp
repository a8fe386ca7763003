#pragma once
// `gpumem list`: what there is to run. Needs neither GPU nor driver.

#include "app/command_line/command_line.hpp"
#include "app/run/environment.hpp"

namespace gpumem::app {

/// Lists all probes or one. Returns the exit code; throws a usage error for an unknown probe.
[[nodiscard]] int run_list_command(const ListArguments& arguments, const Environment& environment);

}  // namespace gpumem::app
