#pragma once
// The checks that a profile has to pass to be shipped. Contributed profiles are checked as those of configs/gpus are.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/fit.hpp"
#include "engine/model/profile.hpp"
#include "probes/probe.hpp"
#include "report/record/record.hpp"

namespace gpumem::app {

struct ProfileCheck {
  std::string name;  ///< "schema", "sources", "ranges", "latencies", "scaling", "predictions"
  bool passed = false;
  std::string said;  ///< in one line: what was found, or everything that is wrong
};

/// Checks the text of a profile's file. If it cannot be read, only the check of the schema is returned. Without reports
/// there is no check of predictions.
///   sources      every rate says how it is known (model::names_source)
///   ranges       rates are within what the device's own clocks, buses and links allow
///   latencies    no level of memory answers before a nearer one
///   scaling      rates are near the H200's, scaled by what the device says of itself
///   predictions  the model predicts from it what was measured: `launches` of the kernels of `reports`
///                (fit_cases() in measured.hpp), and their copies and latencies
[[nodiscard]] std::vector<ProfileCheck> check_profile(std::string_view json, const std::string& source,
                                                      std::span<const model::FitCase> launches,
                                                      std::span<const report::Report> reports,
                                                      const std::vector<Probe>& registry);

// The checks one by one.
[[nodiscard]] ProfileCheck check_sources(const model::Profile& profile);
[[nodiscard]] ProfileCheck check_ranges(const model::Profile& profile);
[[nodiscard]] ProfileCheck check_latencies(const model::Profile& profile);
[[nodiscard]] ProfileCheck check_scaling(const model::Profile& profile);
[[nodiscard]] ProfileCheck check_predictions(const model::Profile& profile, std::span<const model::FitCase> launches,
                                             std::span<const report::Report> reports,
                                             const std::vector<Probe>& registry);

}  // namespace gpumem::app
