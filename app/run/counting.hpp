#pragma once
// The third reading: cases that ran, counted by the hardware. After they were timed, for device time is never taken
// from a counted run, and all cases of a table at once, for most of the cost of counting is per pass.

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

/// Adds the counts of one launch, times the launches in what was timed: per request beside what was predicted, and the
/// stage nearest to its rate by them. Where a site's sectors or wavefronts are not exactly those predicted, the record
/// is flagged "counts_differ".
void add_counts(report::Record& record, const Workload& workload, measure::Counts counts,
                const model::Profile& profile);

}  // namespace gpumem::app
