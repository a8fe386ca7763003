#pragma once
// Which predictions rest on what nobody measured: a healthy GPU may be far from these, so that no check holds it to
// them.

#include <span>
#include <vector>

#include "probes/probe.hpp"
#include "report/check/expectation.hpp"
#include "report/record/record.hpp"

namespace gpumem::app {

/// Gives the flag `predicted_from_guesses` to the cases that an expectation holds against their predictions, and whose
/// prediction moves by more than 5 % if the rates move by 20 % that the report's profile assumes or scales from another
/// GPU's. Leaves reports alone whose profile is not there to ask.
void flag_guesses(report::Report& report, std::span<const report::Expectation> expectations,
                  const std::vector<Probe>& registry);

}  // namespace gpumem::app
