#include "app/choose.hpp"

#include <algorithm>
#include <utility>

#include "app/record_of.hpp"
#include "probes/error.hpp"

namespace gpumem::app {

namespace {

/// Within this share of the fastest the earlier candidate wins, so that every run and every GPU of a kind chooses
/// alike. On an H200 seven shapes write within 1 % of each other, and misaligned they differ by 40 %: with a smaller
/// share runs could not be compared. It costs aligned copies 0.9 %, and reads and writes nothing.
constexpr double tie = 0.015;

struct Trial {
  Case shape;
  double bytes_per_s = 0;
};

std::vector<std::string> auto_parameters(const Case& one) {
  std::vector<std::string> names;
  for (const Parameter& parameter : one.parameters) {
    if (one.is_auto(parameter.name)) names.push_back(parameter.name);
  }
  return names;
}

/// The case the rest of the sweep is related to, whether the sweep contains it or not.
Case baseline_of(const PlannedSweep& sweep) {
  const std::string& parameter = sweep.probe->baseline_parameter();
  const auto is_baseline = [&](const Case& one) { return one.value(parameter) == sweep.probe->baseline; };
  const auto found = std::ranges::find_if(sweep.cases, is_baseline);
  Case baseline = found == sweep.cases.end() ? sweep.cases.front() : *found;
  baseline.set(parameter, sweep.probe->baseline);
  return baseline;
}

/// Every combination of the candidates of the axes that are still auto; the last axis varies fastest.
std::vector<Case> combinations(const Case& baseline) {
  std::vector<Case> shapes = {baseline};
  for (const std::string& name : auto_parameters(baseline)) {
    std::vector<Case> extended;
    for (const Case& shape : shapes) {
      for (const std::uint64_t candidate : baseline.probe->find_axis(name)->candidates) {
        extended.push_back(shape);
        extended.back().set(name, candidate);
      }
    }
    shapes = std::move(extended);
  }
  return shapes;
}

bool is_valid(const Case& shape) {
  if (!shape.probe->validate) return true;
  try {
    shape.probe->validate(shape);
    return true;
  } catch (const Error&) {
    return false;
  }
}

const Case& fastest(const std::vector<Trial>& trials) {
  const double best = std::ranges::max(trials, {}, &Trial::bytes_per_s).bytes_per_s;
  return std::ranges::find_if(trials, [&](const Trial& trial) { return trial.bytes_per_s >= best * (1 - tie); })->shape;
}

/// The fastest shape at the baseline. Throws a probe error with the first reason when none can run.
Case try_shapes(const Case& baseline, Backend& backend, const std::function<void(const Case&)>& before_trial) {
  const std::vector<Case> shapes = combinations(baseline);
  if (shapes.size() == 1) return shapes.front();
  std::vector<Trial> trials;
  std::optional<Error> refusal;
  for (const Case& shape : shapes) {
    if (!is_valid(shape)) continue;
    before_trial(shape);
    try {
      trials.push_back({.shape = shape, .bytes_per_s = backend.trial_bytes_per_s(shape)});
    } catch (const Error& error) {
      if (!concerns_case_alone(error)) throw;
      if (!refusal) refusal = error;
    }
  }
  if (trials.empty()) throw refusal.value_or(probe_error("no combination of the automatic values is valid"));
  return fastest(trials);
}

}  // namespace

Choice choose(PlannedSweep& sweep, Backend& backend, const std::function<void(const Case&)>& before_trial) {
  Choice choice{.chosen = auto_parameters(sweep.cases.front()), .failure = {}};
  try {
    if (sweep.probe->size) sweep.probe->size(sweep.cases, backend.device());
    const std::vector<std::string> open = auto_parameters(sweep.cases.front());
    if (open.empty()) return choice;
    const Case shape = try_shapes(baseline_of(sweep), backend, before_trial);
    for (Case& one : sweep.cases) {
      for (const std::string& name : open) one.set(name, shape.value(name));
    }
  } catch (const Error& error) {
    if (!concerns_case_alone(error)) throw;
    choice.failure = error;
  }
  return choice;
}

}  // namespace gpumem::app
