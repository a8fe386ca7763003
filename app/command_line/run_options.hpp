#pragma once
// The options of every command that measures or predicts cases.

#include <string>

#include "app/command_line/command_options.hpp"

namespace gpumem::app {

class RunOptionGroup {
 public:
  /// Adds the options to the command; `target` and this have to outlive its parsing.
  RunOptionGroup(CLI::App& command, RunOptions& target) : command_(command), target_(target) {}

  void add_backend(const std::string& dry_run_help);
  void add_results(const std::string& output_help, const std::string& quiet_help);
  void add_effort();

  /// Fills in the target from what was given. Throws a usage error.
  void take();

  static constexpr const char* results_group = "Results";

 private:
  CLI::App& command_;
  RunOptions& target_;
  std::string backend_ = "cuda";
  std::string gpu_;
  std::string device_;
  std::string ci_width_;
  std::string time_budget_;
  std::string numa_;
  std::string counters_;
};

}  // namespace gpumem::app
