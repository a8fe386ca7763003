#include "app/calibrate/calibration.hpp"
#include "engine/model/subjects/chase.hpp"

namespace gpumem::app {

CasesOfRates read_latencies(std::span<const report::Record> records, model::Profile& profile) {
  constexpr double least = 1;  // nothing answers in less than a cycle
  constexpr double most = 1e9;
  CasesOfRates how;
  for (const report::Record& record : records) {
    if (record.probe != "latency" || record.headline.quantity != "latency_cycles" || !is_sound(record)) continue;
    const double cycles = record.headline.measured.value_or(0);
    if (!has_value(record, "order", std::string("random")) || !(cycles >= least && cycles <= most)) continue;
    for (const model::LatencyLevel& level : model::latency_levels()) {
      if (!has_value(record, "level", std::string(level.name))) continue;
      set_rate(level.cycles, cycles, std::string("a chase of dependent loads through ") + level.name, profile, how);
    }
  }
  return how;
}

}  // namespace gpumem::app
