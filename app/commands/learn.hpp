#pragma once
// `check --learn`: a suite from the reports of a fleet.

#include <optional>
#include <string>
#include <vector>

#include "app/commands/commands.hpp"

namespace gpumem::app {

struct LearnArguments {
  std::vector<std::string> reports;   ///< one per GPU, or directories of them; one may be "-"
  std::optional<std::string> output;  ///< the suite's file
  double false_alarms = 0;            ///< the rate at which checks of a healthy GPU fail
  CheckFormat shown = CheckFormat::table;
  bool quiet = false;
  Color color = Color::automatic;
};

/// Returns the arguments of `check` as those of `--learn`. `false_alarms` is the text of --false-alarms, a share.
/// Throws a usage error for options that are about a check.
[[nodiscard]] LearnArguments learn_arguments(const CheckArguments& arguments,
                                             const std::optional<std::string>& false_alarms);

/// Reads the reports, shows the bounds and writes the suite. Returns 0, or 2 if a file could not be used. Throws a
/// usage error for what cannot be learned from (report/fleet/learn.hpp), and before that for a file that cannot be
/// written.
[[nodiscard]] int run_learn_command(const LearnArguments& arguments, const Environment& environment);

}  // namespace gpumem::app
