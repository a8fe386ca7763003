#pragma once
// What `gpumem calibrate` measures, and the rates that are read off it rather than fitted.

#include <map>
#include <span>
#include <string>
#include <vector>

#include "app/run/plan.hpp"
#include "probes/model/profile.hpp"
#include "probes/probe.hpp"
#include "report/record/record.hpp"

namespace gpumem::app {

enum class CalibrationUse {
  fitted,   ///< the rates of launches are fitted to it
  held_out  ///< the fitted rates are only held against it: patterns that none of them was fitted to
};

struct CalibrationSweeps {
  CalibrationUse use = CalibrationUse::fitted;
  Plan plan;
};

/// Few cases that between them depend on every rate of a profile, over the probes that `registry` has. Of copies
/// between host and device every case counts as fitted, for their rates are read off.
[[nodiscard]] std::vector<CalibrationSweeps> calibration_plan(const std::vector<Probe>& registry);

/// Sets those rates of copies in the profile that measured cases of the probes `transfer` and `batching` tell (others
/// keep their values), and returns for each of them, by name, what it was read off.
std::map<std::string, std::string> read_copy_rates(std::span<const report::Record> records, model::Profile& profile);

}  // namespace gpumem::app
