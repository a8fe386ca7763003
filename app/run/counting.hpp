#pragma once
// The third reading: cases that ran, counted by the hardware. They are counted after they were timed, because device
// time is never taken from a counted run. All cases of a table are counted at once, because most of the cost of
// counting is per pass.

#include <span>

#include "engine/measure/counters.hpp"
#include "engine/measure/session.hpp"
#include "engine/model/profile.hpp"
#include "probes/probe.hpp"
#include "report/record/record.hpp"

namespace gpumem::app {

/// Counts the kernels of those cases whose records say that they ran, and adds what was counted. `records` are those of
/// `cases`, in the same order; cases without a kernel are passed over. `gpu` is the session's with the links that cases
/// between GPUs are described by. Throws a probe error when counting fails.
void count_cases(std::span<const Case> cases, std::span<report::Record> records, measure::Counters& counters,
                 measure::Session& session, const Device& gpu, const model::Profile& profile);

/// Adds the counts of one launch: per request beside the predicted ones, in total for all launches that were timed, and
/// the stage that is nearest to its rate. If a site's sectors or wavefronts are not exactly those predicted, the record
/// is flagged "counts_differ".
void add_counts(report::Record& record, const Workload& workload, measure::Counts counts,
                const model::Profile& profile);

}  // namespace gpumem::app
