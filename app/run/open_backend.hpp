#pragma once
// The backend that --backend, --gpu and --device ask for.

#include <memory>
#include <string>
#include <vector>

#include "app/command_line/command_line.hpp"
#include "app/run/backend.hpp"
#include "app/run/environment.hpp"

namespace gpumem::app {

/// Opens a GPU or a profile; `auto` takes the model only when the machine has no usable GPU at all. Says on
/// environment.err, unless --quiet, what was not asked for in so many words. Throws a no-GPU error that names the
/// command which predicts instead; `command` is argv.
[[nodiscard]] std::unique_ptr<Backend> open_backend(const RunOptions& options, const std::vector<std::string>& command,
                                                    const Environment& environment);

/// The command that predicts what `command` would have measured, to be pasted into the same shell.
[[nodiscard]] std::string predicting_command(const std::vector<std::string>& command);

}  // namespace gpumem::app
