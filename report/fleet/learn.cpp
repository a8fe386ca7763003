#include "report/fleet/learn.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "engine/base/error.hpp"
#include "engine/base/words.hpp"
#include "report/record/kernels.hpp"
#include "report/text/text.hpp"

namespace gpumem::report {

namespace {

/// Removes all but the latest machine of each UUID; returns how many were removed.
std::size_t leave_out_older(std::vector<FleetMachine>& machines) {
  std::map<std::string, std::size_t> latest;
  for (std::size_t i = 0; i < machines.size(); ++i) {
    if (!machines[i].uuid) continue;
    const auto [entry, added] = latest.try_emplace(*machines[i].uuid, i);
    if (!added && machines[entry->second].started_at <= machines[i].started_at) entry->second = i;
  }
  std::vector<FleetMachine> left;
  for (std::size_t i = 0; i < machines.size(); ++i) {
    if (machines[i].uuid && latest.at(*machines[i].uuid) != i) continue;
    left.push_back(std::move(machines[i]));
  }
  const std::size_t removed = machines.size() - left.size();
  machines = std::move(left);
  return removed;
}

/// Throws if the machines are not of one kind, measured, and enough.
void refuse_what_cannot_be_learned(const std::vector<FleetMachine>& machines) {
  std::map<std::string, std::size_t> kinds;
  for (const FleetMachine& machine : machines) {
    if (machine.backend == "model") {
      throw usage_error(one_line(machine.file) +
                        ": was predicted, and a fleet's criteria are learned from measurements; leave it out");
    }
    ++kinds[machine.gpu];
  }
  if (kinds.size() > 1) {
    std::vector<std::string> words;
    for (const auto& [gpu, count] : kinds) words.push_back(fmt::format("{} x {}", count, one_line(gpu)));
    constexpr std::size_t most_named = 5;
    if (words.size() > most_named) words = {words[0], words[1], fmt::format("{} more kinds", words.size() - 2)};
    throw usage_error(fmt::format("the reports are of {} kinds of GPU, {}; learn from those of one kind at a time",
                                  kinds.size(), join_in_words(words)));
  }
  if (machines.size() < measure::fewest_to_learn) {
    throw usage_error(fmt::format("the reports are of {}, and it takes {} of a kind to learn what they reach",
                                  counted(machines.size(), "GPU"), measure::fewest_to_learn));
  }
}

/// True if a suite can say of the case what is slow.
bool can_be_bounded(const FleetCaseName& name) {
  if (name.is_metric || name.repetition > 0) return false;
  const Probe* probe = find_probe(name.asked.probe);
  const bool is_headline = probe != nullptr && probe->headline.quantity.name == name.quantity.name;
  return !is_headline || probe->headline.quantity.better != Better::neither;
}

std::optional<std::string> common_suite(const std::vector<FleetMachine>& machines) {
  const std::optional<std::string>& first = machines.front().suite;
  const bool same = std::ranges::all_of(machines, [&](const FleetMachine& machine) { return machine.suite == first; });
  return same ? first : std::nullopt;
}

}  // namespace

LearnedFleet learn_fleet(std::vector<FleetMachine> machines, std::shared_ptr<const FleetNames> names,
                         double false_alarms) {
  LearnedFleet learned;
  learned.false_alarms = false_alarms;
  learned.names = names;
  learned.nodes = std::erase_if(machines, [](const FleetMachine& machine) { return machine.gpus > 1; });
  if (machines.empty()) throw usage_error("the reports have only cases of pairs of GPUs; a suite is learned from GPUs");
  learned.older = leave_out_older(machines);
  refuse_what_cannot_be_learned(machines);
  learned.gpu = machines.front().gpu;
  learned.gpus = machines.size();
  learned.suite = common_suite(machines);
  const Fleet fleet = judge_fleet(std::move(machines), std::move(names), measure::outlier_tolerance);
  std::unordered_map<std::size_t, std::vector<double>> values;  // by the case's name
  for (const FleetMachine& machine : fleet.machines) {
    for (const FleetReading& reading : machine.readings) {
      if (reading.value) values[reading.name].push_back(*reading.value);
    }
  }
  std::vector<const FleetCase*> usable;
  for (const FleetCase& fleet_case : fleet.kinds.front().cases) {
    if (!can_be_bounded(fleet.names->case_name(fleet_case.name))) continue;
    const bool enough = fleet_case.expected && fleet_case.count >= measure::fewest_to_learn;
    if (enough) usable.push_back(&fleet_case);
    if (!enough) ++learned.unusable;
  }
  if (usable.empty()) {
    throw usage_error(
        fmt::format("there is nothing to learn: no case has values of {} GPUs and of more than half of the {}; measure "
                    "all of them with the same suite",
                    measure::fewest_to_learn, learned.gpus));
  }
  const double rate = measure::rate_of_one(false_alarms, usable.size());
  for (const FleetCase* fleet_case : usable) {
    const Better better = fleet.names->case_name(fleet_case->name).quantity.better;
    learned.cases.push_back({.name = fleet_case->name,
                             .label = fleet_case->label,
                             .bounds = measure::learn_criterion(values.at(fleet_case->name), better, rate)});
  }
  return learned;
}

}  // namespace gpumem::report
