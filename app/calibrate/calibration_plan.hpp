#pragma once
// What `gpumem calibrate` measures: few cases that between them depend on every rate of a profile.

#include <vector>

#include "app/run/plan.hpp"
#include "probes/probe.hpp"

namespace gpumem::app {

enum class CalibrationUse {
  fitted,   ///< the rates of launches are fitted to it
  held_out  ///< the fitted rates are only held against it: patterns that none of them was fitted to
};

struct CalibrationSweeps {
  CalibrationUse use = CalibrationUse::fitted;
  Plan plan;
};

/// The plan over the probes that `registry` has; of copies between host and device every case counts as fitted, for
/// their rates are read off.
[[nodiscard]] std::vector<CalibrationSweeps> calibration_plan(const std::vector<Probe>& registry);

}  // namespace gpumem::app
