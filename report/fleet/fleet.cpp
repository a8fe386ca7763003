#include "report/fleet/fleet.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "report/record/cases.hpp"
#include "report/record/grouped.hpp"
#include "report/text/names.hpp"
#include "report/text/text.hpp"

namespace gpumem::report {

namespace {

/// Flags of a case that say something about the machine, not about the case.
constexpr std::array<std::string_view, 4> machine_flags = {"throttled", "ecc_errors", "link_degraded", "contended"};

/// All readings of one case on the machines of a kind.
using Readings = std::vector<const FleetReading*>;

void count_shapes(const Readings& readings, FleetCase& fleet_case) {
  std::unordered_map<std::size_t, std::size_t> counts;
  for (const FleetReading* reading : readings) ++counts[reading->shape];
  fleet_case.shapes = counts.size();
  std::size_t most = 0;
  for (const FleetReading* reading : readings) {  // of equally frequent ones the first that is met
    if (counts[reading->shape] > most) {
      most = counts[reading->shape];
      fleet_case.usual_shape = reading->shape;
    }
  }
}

FleetCase case_over(std::size_t name, const Readings& readings, std::size_t machines_of_kind, double tolerance) {
  std::vector<double> values;
  for (const FleetReading* reading : readings) {
    if (reading->value) values.push_back(*reading->value);
  }
  FleetCase fleet_case{measure::spread_of(values, tolerance)};
  fleet_case.name = name;
  fleet_case.machines = readings.size();
  fleet_case.expected = 2 * values.size() > machines_of_kind;
  count_shapes(readings, fleet_case);
  return fleet_case;
}

FleetJudgement judge(const FleetReading& reading, const FleetCase& fleet_case, std::size_t index, Better better) {
  FleetJudgement judgement;
  judgement.index = index;
  judgement.other_shape = reading.shape != fleet_case.usual_shape;
  judgement.value = reading.value;
  judgement.verdict = reading.verdict;
  if (!judgement.value || !fleet_case.judged) return judgement;
  const measure::Deviation deviation = measure::deviation_of(*judgement.value, fleet_case, better);
  judgement.relative = deviation.relative;
  judgement.loss = deviation.loss;
  judgement.z = deviation.z;
  judgement.verdict = !deviation.outlier     ? FleetVerdict::usual
                      : deviation.is_worse() ? FleetVerdict::slow
                                             : FleetVerdict::fast;
  return judgement;
}

std::vector<FleetTally> tallies(const std::vector<FleetMachine>& machines, const std::vector<std::size_t>& members) {
  std::vector<FleetTally> all;
  for (const std::size_t member : members) {
    for (const auto& [name, text] : machines[member].properties) {
      auto tally = std::ranges::find(all, name, &FleetTally::property);
      if (tally == all.end()) tally = all.insert(all.end(), FleetTally{.property = name, .values = {}});
      auto value = std::ranges::find(tally->values, text, &FleetTally::Value::text);
      if (value == tally->values.end()) value = tally->values.insert(value, {.text = text, .machines = {}});
      value->machines.push_back(member);
    }
  }
  for (FleetTally& tally : all) {
    std::ranges::stable_sort(tally.values, std::ranges::greater{},
                             [](const FleetTally::Value& value) { return value.machines.size(); });
  }
  return all;
}

std::vector<FleetKind> kinds_of(const std::vector<FleetMachine>& machines) {
  std::vector<std::size_t> all(machines.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  const auto kind_of = [&](std::size_t machine) {
    return std::tuple(machines[machine].gpu, machines[machine].gpus, machines[machine].backend == "model");
  };
  std::vector<FleetKind> kinds;
  for (const auto& [key, members] : grouped(all, kind_of)) {
    FleetKind& kind = kinds.emplace_back();
    std::tie(kind.gpu, kind.gpus, kind.predicted) = key;
    kind.machines = members;
  }
  std::ranges::stable_sort(kinds, std::ranges::greater{}, [](const FleetKind& kind) { return kind.machines.size(); });
  return kinds;
}

void label_cases(FleetKind& kind, const FleetNames& names) {
  Cases cases;
  for (const FleetCase& fleet_case : kind.cases) cases.push_back(&names.case_name(fleet_case.name).asked);
  const auto telling = varying_by_probe(cases);
  for (FleetCase& fleet_case : kind.cases) {
    const FleetCaseName& name = names.case_name(fleet_case.name);
    std::vector<std::string> parts = {parameter_words(name.asked, telling.at(name.asked.probe))};
    if (name.is_metric) parts.push_back(quantity_words(name.quantity.name));
    if (name.repetition > 0) parts.push_back(fmt::format("repetition {}", name.repetition));
    if (parts.front().empty()) parts.erase(parts.begin());
    fleet_case.label = one_line(name.asked.probe + (parts.empty() ? "" : ": ") + join(parts, ", "));
  }
}

/// Fills the cases of a kind and the judgements of its machines.
void judge_kind(FleetKind& kind, Fleet& fleet) {
  std::unordered_map<std::size_t, std::size_t> index_of;  // from a case's name
  std::vector<std::pair<std::size_t, Readings>> cases;
  for (const std::size_t member : kind.machines) {
    for (const FleetReading& reading : fleet.machines[member].readings) {
      const auto [entry, added] = index_of.try_emplace(reading.name, cases.size());
      if (added) cases.push_back({reading.name, {}});
      cases[entry->second].second.push_back(&reading);
    }
  }
  for (const auto& [name, readings] : cases) {
    kind.cases.push_back(case_over(name, readings, kind.machines.size(), fleet.tolerance));
  }
  label_cases(kind, *fleet.names);
  for (const std::size_t member : kind.machines) {
    for (const FleetReading& reading : fleet.machines[member].readings) {
      FleetCase& fleet_case = kind.cases[index_of.at(reading.name)];
      const FleetJudgement& judgement = fleet.judgements[member].emplace_back(
          judge(reading, fleet_case, index_of.at(reading.name), fleet.names->case_name(reading.name).quantity.better));
      if (judgement.verdict == FleetVerdict::slow) ++fleet_case.slow;
      if (judgement.verdict == FleetVerdict::fast) ++fleet_case.fast;
    }
  }
}

/// Slow before fast, and then by how far they are off.
std::pair<bool, double> badness(const FleetJudgement& judgement) {
  return {judgement.verdict == FleetVerdict::slow, std::abs(judgement.loss)};
}

FleetFinding finding_of(std::size_t member, const FleetKind& kind, const Fleet& fleet) {
  const FleetMachine& machine = fleet.machines[member];
  FleetFinding finding;
  finding.machine = member;
  std::vector<bool> has(kind.cases.size());
  for (std::size_t i = 0; i < machine.readings.size(); ++i) {
    const FleetJudgement& judgement = fleet.judgements[member][i];
    has[judgement.index] = true;
    for (const std::string& flag : machine.readings[i].flags) {
      if (std::ranges::find(machine_flags, flag) != machine_flags.end()) ++finding.flags[flag];
    }
    if (judgement.relative) ++finding.judged;
    const FleetVerdict verdict = judgement.verdict;
    if (verdict == FleetVerdict::slow || verdict == FleetVerdict::fast) finding.outliers.push_back(judgement);
    if (verdict == FleetVerdict::wrong_data) finding.wrong_data.push_back(i);
    if (verdict == FleetVerdict::failed) finding.failed.push_back(i);
    if (verdict == FleetVerdict::skipped && kind.cases[judgement.index].expected) finding.skipped.push_back(i);
  }
  for (std::size_t i = 0; i < kind.cases.size(); ++i) {
    if (has[i] || !kind.cases[i].expected || fleet.names->case_name(kind.cases[i].name).is_metric) continue;
    finding.missing.push_back(i);
  }
  std::ranges::stable_sort(finding.outliers, std::ranges::greater{}, badness);
  return finding;
}

bool is_empty(const FleetFinding& finding) {
  return finding.outliers.empty() && finding.wrong_data.empty() && finding.failed.empty() && finding.skipped.empty() &&
         finding.missing.empty() && finding.flags.empty();
}

/// Wrong data before failures, these before slow cases, and so on to mere flags.
auto rank(const FleetFinding& finding) {
  const bool any = !finding.outliers.empty();
  const auto [slow, loss] = any ? badness(finding.outliers.front()) : std::pair(false, 0.0);
  return std::tuple(finding.wrong_data.size(), finding.failed.size(), slow, loss, finding.outliers.size(),
                    finding.skipped.size() + finding.missing.size(), finding.flags.size());
}

std::vector<std::vector<std::size_t>> duplicates_among(const std::vector<FleetMachine>& machines) {
  std::map<std::tuple<std::string, std::string, std::size_t>, std::vector<std::size_t>> by_gpu;
  for (std::size_t i = 0; i < machines.size(); ++i) {
    if (machines[i].uuid) by_gpu[{machines[i].host, *machines[i].uuid, machines[i].gpus}].push_back(i);
  }
  std::vector<std::vector<std::size_t>> duplicates;
  for (auto& [gpu, members] : by_gpu) {
    if (members.size() > 1) duplicates.push_back(std::move(members));
  }
  std::ranges::sort(duplicates);
  return duplicates;
}

}  // namespace

std::string_view to_string(FleetVerdict verdict) {
  constexpr std::array<std::string_view, 8> names = {"usual",    "slow",       "fast",   "unjudged",
                                                     "no_value", "wrong_data", "failed", "skipped"};
  return names[static_cast<std::size_t>(verdict)];
}

Fleet judge_fleet(std::vector<FleetMachine> machines, std::shared_ptr<const FleetNames> names, double tolerance) {
  Fleet fleet;
  fleet.names = std::move(names);
  fleet.tolerance = tolerance;
  fleet.machines = std::move(machines);
  fleet.kinds = kinds_of(fleet.machines);
  fleet.kind_of.resize(fleet.machines.size());
  fleet.judgements.resize(fleet.machines.size());
  for (std::size_t k = 0; k < fleet.kinds.size(); ++k) {
    FleetKind& kind = fleet.kinds[k];
    kind.properties = tallies(fleet.machines, kind.machines);
    judge_kind(kind, fleet);
    for (const std::size_t member : kind.machines) {
      fleet.kind_of[member] = k;
      if (FleetFinding finding = finding_of(member, kind, fleet); !is_empty(finding)) {
        fleet.findings.push_back(std::move(finding));
      }
    }
  }
  std::ranges::stable_sort(fleet.findings, std::ranges::greater{}, rank);
  fleet.duplicates = duplicates_among(fleet.machines);
  return fleet;
}

bool anything_judged(const Fleet& fleet) {
  return std::ranges::any_of(fleet.kinds,
                             [](const FleetKind& kind) { return std::ranges::any_of(kind.cases, &FleetCase::judged); });
}

std::vector<const FleetFinding*> fleet_regressions(const Fleet& fleet, double share) {
  std::vector<const FleetFinding*> regressions;
  for (const FleetFinding& finding : fleet.findings) {
    const bool slow = std::ranges::any_of(finding.outliers, [&](const FleetJudgement& judgement) {
      return judgement.verdict == FleetVerdict::slow && judgement.loss > share;
    });
    if (slow || !finding.failed.empty() || !finding.wrong_data.empty()) regressions.push_back(&finding);
  }
  return regressions;
}

}  // namespace gpumem::report
