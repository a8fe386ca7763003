#pragma once
// What the hardware counted of a launch, beside what its sites cost by their addresses.

#include <cstdint>
#include <span>

#include "engine/measure/counters.hpp"
#include "engine/model/stages.hpp"
#include "report/record/record.hpp"

namespace gpumem::report {

/// Fills what was counted per request where a site is the only one of its space and op: the hardware does not tell
/// others apart, and only their sum is compared. `requests` are those of the launch for each site. Returns the largest
/// deviation of what is predicted from what was counted, over the latter; 0 where all are the same whole numbers.
double add_counted_costs(Record& record, const measure::Counts& counts, std::span<const std::uint64_t> requests);

/// Adds the times of stages by what was counted of a launch, of which there were so many in what was timed, and which
/// stage is the slowest by them. What the counters cannot see, such as copies beside the kernel, counts as predicted.
void add_counted_stages(Record& record, std::span<const model::StageTime> stages, double launches);

}  // namespace gpumem::report
