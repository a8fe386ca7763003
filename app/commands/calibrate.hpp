#pragma once
// gpumem calibrate: a profile of the GPU at hand, or of the one that saved reports were measured on.

#include "app/command_line/command_line.hpp"
#include "app/run/environment.hpp"

namespace gpumem::app {

/// Measures the calibration plan (or reads reports), fits the rates, prints them with their uncertainty and the fit's
/// errors, and writes the profile if a file is asked for. Returns the exit code. Throws a usage error for reports that
/// are of several GPUs or hold nothing to fit to, and a no-GPU error that says how to do without one.
int run_calibrate_command(const CalibrateArguments& arguments, const Environment& environment);

}  // namespace gpumem::app
