#pragma once
// Learns the criteria of a fleet: for every case the bound that a healthy GPU keeps, from the reports of many GPUs of a
// kind (engine/statistics/criteria.hpp).

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/statistics/criteria.hpp"
#include "report/fleet/fleet.hpp"

namespace gpumem::report {

/// The rate at which checks of a healthy GPU fail over all cases together, unless somebody chooses another.
inline constexpr double usual_false_alarms = 0.001;

/// A case, and the bound on its headline (the time where a case has none).
struct LearnedCase {
  std::size_t name = 0;       ///< of the case, in the fleet's names
  std::string label = {};     ///< in words, by what tells it from others of its probe: "offset: offset 3, write"
  measure::Criterion bounds;  ///< in the unit of the quantity
};

struct LearnedFleet {
  std::string gpu;                          ///< the kind
  std::size_t gpus = 0;                     ///< that were learned from, one report each
  std::size_t older = 0;                    ///< reports that were left out because their GPU has a later one
  std::size_t nodes = 0;                    ///< left out: pairs of GPUs of a node
  double false_alarms = 0;                  ///< of a check of a healthy GPU, over all cases together
  std::optional<std::string> suite;         ///< if all reports are of one
  std::shared_ptr<const FleetNames> names;  ///< of cases and shapes, by number
  std::vector<LearnedCase> cases;           ///< in the order of the reports
  std::size_t unusable = 0;  ///< cases left out, which fewer than half of the GPUs, or too few, have a value of
};

/// Learns from the latest report of each GPU. A case needs values of measure::fewest_to_learn GPUs and of more than
/// half of all. Repetitions of a case are left out, and so are cases of which neither more nor less is better.
/// `false_alarms` is in (0, 0.5). Throws a usage error if the machines are fewer than measure::fewest_to_learn, are of
/// two kinds of GPU or are predicted, or if no case has enough values.
[[nodiscard]] LearnedFleet learn_fleet(std::vector<FleetMachine> machines, std::shared_ptr<const FleetNames> names,
                                       double false_alarms);

}  // namespace gpumem::report
