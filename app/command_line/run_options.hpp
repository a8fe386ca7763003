#pragma once
// The options of every command that measures or predicts cases. The target has to outlive the command's parsing.

#include <string>

#include "app/command_line/command_options.hpp"
#include "app/command_line/given.hpp"

namespace gpumem::app {

void add_backend_options(CommandOptions& options, RunOptions& target, const std::string& dry_run_help);
void add_result_options(CommandOptions& options, RunOptions& target, const std::string& output_help,
                        const std::string& quiet_help);
void add_effort_options(CommandOptions& options, RunOptions& target);

/// Throws a usage error for a GPU to predict for that is asked for where nothing is predicted, and the reverse.
void refuse_wrong_gpu(const RunOptions& given);

}  // namespace gpumem::app
