#pragma once
// How to run cases, whichever they are, and the options that say it: every command that measures or predicts has them.

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

/// How to run a case. What is absent is left by the command line to a suite, and by both to the defaults.
struct CaseOptions {
  Effort effort = {};
  std::optional<measure::NumaRequest> numa;
  std::optional<measure::Counting> counting;
};

/// Where the numbers come from and what becomes of them, whatever the cases are.
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
/// --color and --no-color; `place` is where the colours are: "on stdout".
void add_color_options(CommandOptions& options, ResultRequest& target, const std::string& place);
/// `place` is that of the colours.
void add_result_options(CommandOptions& options, ResultRequest& target, const std::string& output_help,
                        const std::string& quiet_help, const std::string& place = "on stdout");

/// Whether what could be the name of something shipped is a path: it has a slash, or ends in .json.
[[nodiscard]] bool looks_like_path(const std::string& text);
/// The file that --gpu names, to be read; none of a profile that is shipped.
[[nodiscard]] std::vector<std::string> profile_files(const std::optional<std::string>& gpu);

/// Throws a usage error for a GPU to measure on that is asked for where nothing is measured, or a list that is none.
void refuse_wrong_gpu(const RunOptions& given);

}  // namespace gpumem::app
