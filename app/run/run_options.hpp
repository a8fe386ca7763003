#pragma once
// The options of every command that measures or predicts cases.

#include <optional>
#include <string>
#include <vector>

#include "app/command_line/command_options.hpp"
#include "app/output/result_outputs.hpp"
#include "app/run/plan.hpp"
#include "engine/machine/numa.hpp"
#include "engine/measure/counters.hpp"

namespace gpumem::app {

enum class BackendChoice { cuda, model, automatic };

/// Options of a case. The command line leaves absent ones to a suite, and both leave them to the defaults.
struct CaseOptions {
  Effort effort = {};
  std::optional<measure::NumaRequest> numa;
  std::optional<measure::Counting> counting;
};

/// Options of a run: the source of its numbers and the output, for any cases.
struct RunOptions : CaseOptions, ResultRequest {
  BackendChoice backend = BackendChoice::cuda;
  std::optional<std::string> gpu;     ///< to predict for: a name or file, as model::find_profile() takes it
  std::optional<std::string> device;  ///< to measure on: index, UUID or PCI bus id; a list of them, or "all"
  bool dry_run = false;
  bool host_in_turns = false;  ///< as in MeasureOptions
};

// The target has to outlive the command's parsing.
void add_backend_options(CommandOptions& options, RunOptions& target, const std::string& dry_run_help);
void add_effort_options(CommandOptions& options, CaseOptions& target);
/// --all-columns.
void add_columns_option(CommandOptions& options, ResultRequest& target);
/// --color and --no-color.
void add_color_options(CommandOptions& options, ResultRequest& target);
void add_result_options(CommandOptions& options, ResultRequest& target, const std::string& output_help,
                        const std::string& quiet_help);

/// True if the text is a path and not the name of something shipped: "-", or it has a slash or ends as a JSON file
/// does.
[[nodiscard]] bool looks_like_path(const std::string& text);
/// Returns the file that --gpu names; empty if it names a shipped profile.
[[nodiscard]] std::vector<std::string> profile_files(const std::optional<std::string>& gpu);

/// Throws a usage error if --gpu names a GPU of this machine, or --device a profile, a malformed list, or a GPU to
/// measure on although nothing is measured.
void refuse_wrong_gpu(const RunOptions& given);

}  // namespace gpumem::app
