#pragma once
// Predicts the time of a launch if its accesses came in the order of their addresses.

#include <optional>

#include "engine/model/predict.hpp"

namespace gpumem::model {

/// The predicted speed-up if the accesses of each site were sorted: the site touches the same memory as now, and
/// neighbouring lanes access neighbours in memory. 1 if all sites are in order already; nullopt if the useful bytes of
/// a site are not known.
[[nodiscard]] std::optional<double> sorted_gain(const Workload& workload, const Prediction& prediction,
                                                const Profile& profile);

}  // namespace gpumem::model
