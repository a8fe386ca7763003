#pragma once
// What a user, or a suite, says of the cases to run.

#include <optional>
#include <string>
#include <vector>

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

}  // namespace gpumem::app
