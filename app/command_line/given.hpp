#pragma once
// What a user, or a suite, says of the cases to run and of how to run them, as plain data.

#include <optional>
#include <string>
#include <vector>

#include "probes/measure/counters.hpp"
#include "probes/measure/numa.hpp"
#include "probes/measure/statistics.hpp"

namespace gpumem::app {

/// An axis flag as the user gave it: without dashes, with the text of each of its uses. An empty text is a use without
/// a value, which means the axis' defaults.
struct GivenAxis {
  std::string flag;
  std::vector<std::string> texts;
};

/// How long to repeat a case, as far as somebody has asked for it.
struct Effort {
  std::optional<double> ci_width;  ///< a share, see StoppingRule
  std::optional<measure::Seconds> time_budget;
};

enum class BackendChoice { cuda, model, automatic };

/// Where the numbers come from and what becomes of them, whatever the cases are. What is absent is left to a suite,
/// else to the defaults.
struct RunOptions {
  BackendChoice backend = BackendChoice::cuda;
  std::optional<std::string> gpu;     ///< to predict for: a profile's name or file
  std::optional<std::string> device;  ///< to measure on: index, UUID or PCI bus id
  std::vector<std::string> outputs;   ///< files for the report, or "-" for stdout
  bool dry_run = false;
  bool quiet = false;
  bool no_color = false;
  Effort effort = {};
  std::optional<measure::NumaRequest> numa;
  std::optional<measure::Counting> counting;
};

}  // namespace gpumem::app
