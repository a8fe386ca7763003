#pragma once
// What is said of kernels of which no launch was timed, or none looked at, by what is known of others.

#include <vector>

#include "app/program/merge.hpp"
#include "report/record/record.hpp"

namespace gpumem::app {

// `records` are in the order of the run's kernels.

/// The time of kernels of which no launch was timed: as long as with another grid, by the number of warps, or as
/// predicted. Then each one's share of the time of all.
void infer_times(std::vector<report::Record>& records, const MergedRun& run);

/// What kernels could save that another grid was looked at for (MergedKernel::like): as large a share of their time.
void infer_savings(std::vector<report::Record>& records, const MergedRun& run);

}  // namespace gpumem::app
