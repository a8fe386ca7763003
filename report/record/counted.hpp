#pragma once
// Adds the hardware's counts of a launch to its record, beside the costs that follow from the addresses.

#include <cstdint>
#include <span>

#include "engine/measure/counters.hpp"
#include "engine/model/stages.hpp"
#include "report/record/record.hpp"

namespace gpumem::report {

/// Fills the counted cost per request of each site that is the only one of its space and op. The hardware counts each
/// space and op as a whole, so the costs of several sites are only compared as a sum. `requests` are the requests of a
/// launch at each site. Returns the largest deviation of a predicted cost from the counted one, as a share of the
/// counted one; 0 if all are the same whole numbers.
double add_counted_costs(Record& record, const measure::Counts& counts, std::span<const std::uint64_t> requests);

/// Adds the stages' times that follow from the counts of a launch, times the number of launches that were timed
/// together. Sets the counted bottleneck to the slowest stage. A stage that the counters cannot see, like a copy beside
/// the kernel, takes its predicted time.
void add_counted_stages(Record& record, std::span<const model::StageTime> stages, double launches);

}  // namespace gpumem::report
