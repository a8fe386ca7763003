#include "engine/model/subjects/queueing.hpp"

#include <array>
#include <cmath>
#include <stdexcept>
#include <string>

namespace gpumem::model {

namespace {

/// A queue and its weight in a mix.
struct Weighed {
  PerRate<RateId>::Queue::Of queue;
  double weight;
};

/// The queues of a level between which a mix lies. Their weights add up to 1; a queue of weight 0 is not used.
std::array<Weighed, 2> queues_of(std::string_view level, double written) {
  constexpr auto& queues = rate_ids.queue;
  if (level == "l2") return {{{queues.l2, 1}, {queues.l2, 0}}};
  if (level != "memory") throw std::logic_error("no queue is known of the level " + std::string(level));
  constexpr double half = 0.5;
  const double to_end = std::abs(written - half) / half;
  const auto& end = written < half ? queues.memory_loads : queues.memory_stores;
  return {{{queues.memory_both, 1 - to_end}, {end, to_end}}};
}

}  // namespace

std::vector<RateId> queue_rates(std::string_view level, double written) {
  std::vector<RateId> rates;
  for (const auto& [queue, weight] : queues_of(level, written)) {
    if (weight > 0) rates.insert(rates.end(), {queue.cycles, queue.growth});
  }
  return rates;
}

double queue_cycles(std::string_view level, const MemoryLoad& load, const Rates& rates) {
  double cycles = 0;
  for (const auto& [queue, weight] : queues_of(level, load.written)) {
    cycles += weight * rates[queue.cycles] * queue_units(load.share, rates[queue.growth]);
  }
  return cycles;
}

}  // namespace gpumem::model
