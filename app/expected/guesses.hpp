#pragma once
// Predictions that rest on rates that nobody measured. A healthy GPU may be far from these, so no check holds it to
// them.

#include <span>
#include <vector>

#include "probes/probe.hpp"
#include "report/check/expectation.hpp"
#include "report/record/record.hpp"

namespace gpumem::app {

/// Sets the flag `predicted_from_guesses` on cases that an expectation holds against their predictions, if a prediction
/// moves by more than 5 % when the guessed rates move by 20 %. Guessed rates are those that the report's profile
/// assumes or scales from another GPU's. A report whose profile is not a shipped one stays as it is.
void flag_guesses(report::Report& report, std::span<const report::Expectation> expectations,
                  const std::vector<Probe>& registry);

}  // namespace gpumem::app
