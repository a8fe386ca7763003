#include <algorithm>

#include "app/calibrate/calibration.hpp"
#include "engine/model/chase.hpp"
#include "report/record/cases.hpp"

namespace gpumem::app {

namespace {

bool has(const report::Record& record, const std::string& parameter, const std::string& value) {
  const Parameter* found = report::find_parameter(record, parameter);
  return found != nullptr && found->value == Value(value);
}

}  // namespace

std::map<std::string, std::string> read_latencies(std::span<const report::Record> records, model::Profile& profile) {
  constexpr double least = 1;  // nothing answers in less than a cycle
  constexpr double most = 1e9;
  std::map<std::string, std::string> how;
  for (const report::Record& record : records) {
    if (record.probe != "latency" || record.headline.quantity != "latency_cycles" || !is_sound(record)) continue;
    const double cycles = record.headline.measured.value_or(0);
    if (!has(record, "order", "random") || !(cycles >= least && cycles <= most)) continue;
    for (const model::LatencyLevel& level : model::latency_levels()) {
      if (!has(record, "level", level.name)) continue;
      profile.rates.*level.cycles = cycles;
      const auto field = std::ranges::find(model::rate_fields(), level.cycles, &model::RateField::value);
      how[field->name] = std::string("a chase of dependent loads through ") + level.name;
    }
  }
  return how;
}

}  // namespace gpumem::app
