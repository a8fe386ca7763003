#include "report/sweep.hpp"

#include <algorithm>
#include <map>
#include <string>

namespace gpumem::report {

namespace {

const Value* swept_value(const Record& record) {
  const auto found = std::ranges::find(record.parameters, record.swept, &Parameter::name);
  return found == record.parameters.end() ? nullptr : &found->value;
}

/// Equal for records of one sweep and no others. Control characters separate the parts, since names may hold
/// anything printable; the kind of a value keeps the number 4 and the name "4" apart.
std::string sweep_key(const Record& record) {
  std::string key = record.probe + '\x1e' + record.swept;
  for (const auto& [name, value] : record.parameters) {
    if (name == record.swept) continue;
    key += '\x1e' + name + (value.index() == 0 ? '\x1f' : '\x1d') + to_string(value);
  }
  return key;
}

std::optional<double> ratio(std::optional<double> value, std::optional<double> base) {
  if (!value || !base || *base <= 0) return std::nullopt;
  return *value / *base;
}

}  // namespace

std::vector<Sweep> sweeps(std::span<const Record> results) {
  std::vector<Sweep> found;
  std::map<std::string, std::size_t> place;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const auto [entry, added] = place.try_emplace(sweep_key(results[i]), found.size());
    if (added) found.emplace_back();
    Sweep& sweep = found[entry->second];
    sweep.members.push_back(i);
    const Value* value = swept_value(results[i]);
    if (!sweep.baseline && value != nullptr && *value == results[i].baseline) sweep.baseline = i;
  }
  return found;
}

void relate_to_baselines(std::vector<Record>& results) {
  for (const Sweep& sweep : sweeps(results)) {
    // Copied: the baseline is one of the records written below.
    std::optional<double> measured;
    std::optional<double> predicted;
    if (sweep.baseline) {
      measured = results[*sweep.baseline].measured_gb_per_s;
      predicted = results[*sweep.baseline].predicted_gb_per_s;
    }
    for (const std::size_t member : sweep.members) {
      results[member].relative_measured = ratio(results[member].measured_gb_per_s, measured);
      results[member].relative_predicted = ratio(results[member].predicted_gb_per_s, predicted);
    }
  }
}

}  // namespace gpumem::report
