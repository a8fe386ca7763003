#pragma once
// What a launch would take if its accesses came in the order of their addresses.

#include <optional>

#include "engine/model/predict.hpp"

namespace gpumem::model {

/// How many times as fast it would be by the model, each site touching what it does now, neighbours in memory by
/// neighbouring lanes; 1 if all come in that order already. Absent where that is not known of a site.
[[nodiscard]] std::optional<double> sorted_gain(const Workload& workload, const Prediction& prediction,
                                                const Profile& profile);

}  // namespace gpumem::model
