#pragma once
// Finds capacities by least squares: the footprints at which a curve leaves one plateau for the next.

#include <optional>
#include <span>
#include <vector>

namespace gpumem::hierarchy {

/// The cost of a step through a footprint, in any unit in which more is slower.
struct FootprintCost {
  double bytes = 0;
  double cost = 0;
};

/// A level that holds `capacity_bytes` of a footprint. Capacities between `low_bytes` and `high_bytes` explain the
/// readings about as well (95 %), be it for their noise or for the distance between them.
struct Knee {
  double capacity_bytes = 0;
  double low_bytes = 0;
  double high_bytes = 0;
  double before = 0;  ///< cost while everything fits
  double after = 0;   ///< cost once nothing is found there any more
};

/// Fits cost(F) = p_0 + the sum over levels of (p_i - p_i-1) miss_i(F), where miss_i is 0 up to the level's capacity C
/// and 1 - (C / F)^s beyond it. With s = 1 that is the share of a footprint that does not fit, which uniformly random
/// accesses miss; a chase comes back to a node only after all others, so it misses more: all at once (a large s) where
/// the oldest is replaced, in between where any is. Relative errors are squared, for the cost rises many times over.
///
/// Knees are added one at a time, each with the capacity and s that leave the least error, and all are then fitted
/// again, for as long as the Bayesian information criterion approves of three parameters more (Schwarz 1978). Readings
/// may come in any order; the knees come by capacity. There are none if the readings are fewer than twelve or show no
/// knee.
[[nodiscard]] std::vector<Knee> fit_knees(std::span<const FootprintCost> readings);

/// The first footprint with this cost, in bytes, on a line through the readings around it over the logarithm of the
/// footprint. nullopt if the smallest footprint already costs as much, or none does. Readings may come in any order.
[[nodiscard]] std::optional<double> footprint_of_cost(std::span<const FootprintCost> readings, double cost);

}  // namespace gpumem::hierarchy
