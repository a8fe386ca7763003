#pragma once
// The measurements that a profile's rates are fitted to and then checked against: measured now, or read from reports.

#include <string>
#include <vector>

#include "app/run/backend.hpp"
#include "app/run/environment.hpp"
#include "engine/model/fit.hpp"
#include "engine/model/profile.hpp"
#include "report/record/record.hpp"

namespace gpumem::app {

/// Two reports of one kind of GPU. Their device has every attribute that a profile needs.
struct Measured {
  report::Report fitted;
  report::Report held_out;
  std::string held_out_in_words;  ///< which cases those are

  [[nodiscard]] const Device& device() const { return *fitted.device; }
  /// The date of the measurement, as "2026-01-31".
  [[nodiscard]] std::string day() const;
};

/// Runs the calibration plan (calibration.hpp) on the GPU of the backend.
[[nodiscard]] Measured measure_plan(Backend& backend, bool quiet, const Environment& environment);

/// Reads the cases of saved reports and contributions; "-" is standard input. Cases of `check` and cases that
/// contributions hold out are held out; if there are neither, every fourth pattern of `from` is. Both reports get the
/// environment of the report that began last. Throws a usage error for a file that is no measurement, for reports of
/// several kinds of GPU, and for a report that says too little of its GPU.
[[nodiscard]] Measured measured_before(const std::vector<std::string>& from, const std::vector<std::string>& check,
                                       const Environment& environment);

/// The cases that a fit can use.
[[nodiscard]] std::vector<model::FitCase> fit_cases(const std::vector<report::Record>& records,
                                                    const model::Profile& profile, const std::vector<Probe>& registry);

}  // namespace gpumem::app
