#pragma once
// The time that loads wait in the queues of a busy memory. Beside traffic of the share u, a load waits for cycles u /
// (1
// - growth u) cycles, with the two rates of its queue (Rates::Queue). The form is that of the mean wait for a server
// that is busy for the share u of the time (Pollaczek and Khinchine). The factors are measured, because a memory is
// many servers and its traffic is no Poisson process.

#include <string_view>
#include <vector>

#include "engine/model/rates.hpp"

namespace gpumem::model {

/// The traffic of a memory while a load of it waits.
struct MemoryLoad {
  double share = 0;    ///< of the rate that such traffic can reach, below 1
  double written = 0;  ///< of the traffic's bytes, 0 to 1
};

/// u / (1 - growth u): the wait of a load beside traffic of the share u, in multiples of the queue's `cycles`.
[[nodiscard]] constexpr double queue_units(double share, double growth) { return share / (1 - growth * share); }

/// Returns the rates (RateField::measured_only) that queue_cycles() needs for a level of latency_levels() and a mix.
[[nodiscard]] std::vector<RateId> queue_rates(std::string_view level, double written);

/// Cycles that a load of that level ("memory" or "l2") waits longer than in an idle one. For device memory they are
/// interpolated linearly between the three mixes. Throws std::logic_error for another level.
[[nodiscard]] double queue_cycles(std::string_view level, const MemoryLoad& load, const Rates& rates);

}  // namespace gpumem::model
