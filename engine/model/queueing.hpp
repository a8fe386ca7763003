#pragma once
// How long loads wait in the queues of a busy memory.

#include <string_view>
#include <vector>

#include "engine/model/profile.hpp"

namespace gpumem::model {

/// What is asked of a memory while somebody waits for a load of it.
struct MemoryLoad {
  double share = 0;    ///< of what such traffic reaches, below 1
  double written = 0;  ///< of the traffic's bytes, 0 to 1
};

/// The two rates of a queue: cycles that a load waits are cycles u / (1 - growth u) beside traffic of the share u. It
/// is the form of the mean wait for a server that is busy for the share u of the time (Pollaczek and Khinchine), with
/// factors that are measured, because a memory is many servers, and traffic no Poisson process.
struct QueueRates {
  RateMember cycles;
  RateMember growth;
};

/// u / (1 - growth u): what a load waits beside traffic of the share u, in the cycles of the queue.
[[nodiscard]] constexpr double queue_units(double share, double growth) { return share / (1 - growth * share); }

/// Of device memory beside loads alone, beside as many stores as loads, and beside stores alone.
[[nodiscard]] QueueRates memory_queue_of_loads();
[[nodiscard]] QueueRates memory_queue_of_both();
[[nodiscard]] QueueRates memory_queue_of_stores();
/// Of L2, whatever the mix.
[[nodiscard]] QueueRates l2_queue();

/// Rates (RateField::measured_only) that queue_cycles() needs for a level of latency_levels() and a mix.
[[nodiscard]] std::vector<RateMember> queue_rates(std::string_view level, double written);

/// Cycles that a load of that level ("memory" or "l2") waits longer than in an idle one. Between the three mixes of
/// device memory on the line from one to the next. Throws std::logic_error for another level.
[[nodiscard]] double queue_cycles(std::string_view level, const MemoryLoad& load, const Rates& rates);

}  // namespace gpumem::model
