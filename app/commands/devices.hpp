#pragma once
// `gpumem devices`: the GPUs of this machine.

#include "app/command_line/command_line.hpp"
#include "app/run/environment.hpp"

namespace gpumem::app {

/// Lists the GPUs with what a report records about them. Throws a no-GPU error when there is none, with --json after
/// writing an empty list.
[[nodiscard]] int run_devices_command(const DevicesArguments& arguments, const Environment& environment);

}  // namespace gpumem::app
