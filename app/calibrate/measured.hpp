#pragma once
// What a profile's rates are fitted to, and what they are then held against: measured now, or read from reports.

#include <string>
#include <vector>

#include "app/run/backend.hpp"
#include "app/run/environment.hpp"
#include "engine/model/fit.hpp"
#include "engine/model/profile.hpp"
#include "report/record/record.hpp"

namespace gpumem::app {

/// Two reports of one kind of GPU, whose device has all that a profile says of one.
struct Measured {
  report::Report fitted;
  report::Report held_out;
  std::string held_out_in_words;  ///< which cases those are

  [[nodiscard]] const Device& device() const { return *fitted.device; }
  /// Of the measurement: 2026-01-31.
  [[nodiscard]] std::string day() const;
};

/// Runs the calibration plan (calibration.hpp) on the GPU of the backend.
[[nodiscard]] Measured measure_plan(Backend& backend, bool quiet, const Environment& environment);

/// The cases of saved reports and contributions, where "-" is standard input. Those of `check` are held out, and what
/// contributions hold out; without either, every fourth pattern of `from` is. Of several reports, the one that began
/// last lends the two its environment. Throws a usage error for what is no measurement, for reports of several kinds of
/// GPU, and for one that says too little of its GPU.
[[nodiscard]] Measured measured_before(const std::vector<std::string>& from, const std::vector<std::string>& check,
                                       const Environment& environment);

/// The cases that a fit can use.
[[nodiscard]] std::vector<model::FitCase> fit_cases(const std::vector<report::Record>& records,
                                                    const model::Profile& profile, const std::vector<Probe>& registry);

}  // namespace gpumem::app
