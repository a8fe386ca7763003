#pragma once
// Times and savings inferred from other kernels, for kernels of which no launch was timed, or none was looked at.

#include <vector>

#include "program/read/merge.hpp"
#include "report/record/record.hpp"

namespace gpumem::program {

// `records` are in the order of the run's kernels.

/// The time of kernels of which no launch was timed: as long as with another grid, by the number of warps, or as
/// predicted. Then each one's share of the time of all.
void infer_times(std::vector<report::Record>& records, const MergedRun& run);

/// Infers the savings of kernels for which another grid was looked at (MergedKernel::like): the same share of their
/// time.
void infer_savings(std::vector<report::Record>& records, const MergedRun& run);

}  // namespace gpumem::program
