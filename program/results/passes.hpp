#pragma once
// Finds kernels that pass an array on through memory, of which one would do: each loads what the one before stored, or
// one only copies for the next.

#include <vector>

#include "engine/model/profile.hpp"
#include "program/read/callers.hpp"
#include "program/read/launch_order.hpp"
#include "program/read/merge.hpp"
#include "report/record/record.hpp"

namespace gpumem::program {

/// Adds RepeatedTraffic to the records of kernels that pass an array on, and sets their savings, where these are more
/// than what the accesses of the kernel could save alone. `records` are in the order of the run's kernels, with their
/// times; `profiles` are one for each of the run's devices. `callers` are the run's. docs/method/programs.md ("Kernels
/// that pass an array on") has the rules and the formula.
void add_passes(std::vector<report::Record>& records, const MergedRun& run, const LaunchOrder& order,
                const std::vector<model::Profile>& profiles, Callers& callers);

}  // namespace gpumem::program
