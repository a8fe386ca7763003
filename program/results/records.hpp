#pragma once
// From the kernels of a program to the results of a report.

#include <optional>
#include <vector>

#include "engine/model/profile.hpp"
#include "program/read/launch_order.hpp"
#include "program/read/merge.hpp"
#include "report/record/record.hpp"

namespace gpumem::program {

/// One for each kernel, grid and block, explained, the one that could save most first. `order` is the run's; `profiles`
/// are one for each of its devices. The processes that were merged have to be there still.
[[nodiscard]] std::vector<report::Record> records_of(const MergedRun& run, const LaunchOrder& order,
                                                     const std::vector<model::Profile>& profiles);

}  // namespace gpumem::program
