#pragma once
// Runs the user's command as if it had been started without us.

#include <string>
#include <utility>
#include <vector>

#include "program/start/signals.hpp"

namespace gpumem::program {

/// Starts the command with these variables set beside the environment's, its streams, terminal and process group being
/// ours, waits until it has ended, and returns its exit code, 128 + n where signal n ended it. Processes that it leaves
/// behind are not waited for. Throws a usage error if it cannot be started.
[[nodiscard]] int run_command(const std::vector<std::string>& command,
                              const std::vector<std::pair<std::string, std::string>>& variables, Signals& signals);

}  // namespace gpumem::program
