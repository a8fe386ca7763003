#include "engine/model/queueing.hpp"

#include <array>
#include <cmath>
#include <stdexcept>
#include <string>

namespace gpumem::model {

namespace {

/// A queue and its weight in a mix.
struct Weighed {
  QueueRates queue;
  double weight;
};

/// The queues of a level between which a mix lies. Their weights add up to 1; a queue of weight 0 is not used.
std::array<Weighed, 2> queues_of(std::string_view level, double written) {
  if (level == "l2") return {{{l2_queue(), 1}, {l2_queue(), 0}}};
  if (level != "memory") throw std::logic_error("no queue is known of the level " + std::string(level));
  constexpr double half = 0.5;
  const double to_end = std::abs(written - half) / half;
  const QueueRates end = written < half ? memory_queue_of_loads() : memory_queue_of_stores();
  return {{{memory_queue_of_both(), 1 - to_end}, {end, to_end}}};
}

}  // namespace

QueueRates memory_queue_of_loads() { return {&Rates::memory_queue_loads_cycles, &Rates::memory_queue_loads_growth}; }
QueueRates memory_queue_of_both() { return {&Rates::memory_queue_both_cycles, &Rates::memory_queue_both_growth}; }
QueueRates memory_queue_of_stores() { return {&Rates::memory_queue_stores_cycles, &Rates::memory_queue_stores_growth}; }
QueueRates l2_queue() { return {&Rates::l2_queue_cycles, &Rates::l2_queue_growth}; }

std::vector<RateMember> queue_rates(std::string_view level, double written) {
  std::vector<RateMember> rates;
  for (const auto& [queue, weight] : queues_of(level, written)) {
    if (weight > 0) rates.insert(rates.end(), {queue.cycles, queue.growth});
  }
  return rates;
}

double queue_cycles(std::string_view level, const MemoryLoad& load, const Rates& rates) {
  double cycles = 0;
  for (const auto& [queue, weight] : queues_of(level, load.written)) {
    cycles += weight * rates.*queue.cycles * queue_units(load.share, rates.*queue.growth);
  }
  return cycles;
}

}  // namespace gpumem::model
