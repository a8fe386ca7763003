#pragma once
// The hardware's counts as the stages of the model: the same demands, counted instead of predicted.

#include <vector>

#include "engine/measure/counters.hpp"
#include "engine/model/predict.hpp"

namespace gpumem::model {

/// Returns the stages of one launch of a workload's kernel with the demand that was counted. Stages whose counts are
/// absent are left out; "launch" and "latency" are as predicted.
[[nodiscard]] std::vector<StageTime> counted_stages(const measure::Counts& counts, const Workload& workload,
                                                    const Profile& profile);

}  // namespace gpumem::model
