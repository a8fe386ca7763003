#include "app/run/shape_choice.hpp"

#include <algorithm>

#include "app/run/record_of.hpp"
#include "probes/error.hpp"

namespace gpumem::app {

namespace {

/// Within this share of the fastest the earlier candidate wins, so that every run and every GPU of a kind chooses
/// alike. On an H200 seven shapes write within 1 % of each other, and misaligned they differ by 40 %: with a smaller
/// share runs could not be compared. It costs aligned copies 0.9 %, and reads and writes nothing.
constexpr double tie = 0.015;

/// What is slower than that, but by no more than this, is looked at again: a disturbance only ever slows a quick look
/// down, and the first ones find a GPU that was at rest.
constexpr double close = 0.06;

struct Trial {
  Case shape;
  double goodness = 0;
};

std::vector<std::string> auto_parameters(const Case& one) {
  std::vector<std::string> names;
  for (const Parameter& parameter : one.parameters) {
    if (one.is_auto(parameter.name)) names.push_back(parameter.name);
  }
  return names;
}

/// The case the rest of the sweep is related to, whether the sweep contains it or not; of what a user brings, which
/// need not go with the other values of the probe's own, the first.
Case baseline_of(const PlannedSweep& sweep) {
  const std::string& parameter = sweep.probe->baseline_parameter();
  const auto is_baseline = [&](const Case& one) { return one.value(parameter) == sweep.probe->baseline; };
  const auto found = std::ranges::find_if(sweep.cases, is_baseline);
  if (found == sweep.cases.end() && sweep.probe->find_axis(parameter)->texts) return sweep.cases.front();
  Case baseline = found == sweep.cases.end() ? sweep.cases.front() : *found;
  baseline.set(parameter, sweep.probe->baseline);
  return baseline;
}

/// Every combination of the candidates of the axes that are still auto; the last axis varies fastest.
std::vector<Case> combinations(const Case& baseline) {
  std::vector<Case> shapes = {baseline};
  for (const std::string& name : auto_parameters(baseline)) {
    const auto& candidates = baseline.probe->find_axis(name)->candidates;
    shapes = with_each(shapes, name, std::vector<Value>(candidates.begin(), candidates.end()));
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

double best_of(const std::vector<Trial>& trials) { return std::ranges::max(trials, {}, &Trial::goodness).goodness; }

/// The fastest shape at the baseline, by a quick look at every candidate. Throws a probe error with the first reason
/// when none can run.
Case fastest_at(const Case& baseline, Backend& backend, const std::function<void(const Case&)>& before_trial) {
  std::vector<Case> shapes = combinations(baseline);
  if (shapes.size() == 1) return shapes.front();
  std::optional<Error> refusal;
  const auto goodness = [&](const Case& shape) -> std::optional<double> {
    before_trial(shape);
    try {
      return backend.trial(shape);
    } catch (const Error& error) {
      if (!concerns_case_alone(error)) throw;
      if (!refusal) refusal = error;
      return std::nullopt;
    }
  };
  std::erase_if(shapes, [](const Case& shape) { return !is_valid(shape); });
  backend.expect_trials(shapes);
  std::vector<Trial> trials;
  for (const Case& shape : shapes) {
    if (const auto found = goodness(shape)) trials.push_back({.shape = shape, .goodness = *found});
  }
  if (trials.empty()) throw refusal.value_or(probe_error("no combination of the automatic values is valid"));
  const double best = best_of(trials);
  for (Trial& trial : trials) {
    if (trial.goodness >= best * (1 - tie) || trial.goodness < best * (1 - close)) continue;
    trial.goodness = std::max(trial.goodness, goodness(trial.shape).value_or(0));
  }
  const double least = best_of(trials) * (1 - tie);
  return std::ranges::find_if(trials, [&](const Trial& trial) { return trial.goodness >= least; })->shape;
}

}  // namespace

ShapeChoice choose_shape(PlannedSweep& sweep, Backend& backend, const std::function<void(const Case&)>& before_trial) {
  ShapeChoice choice{.chosen = auto_parameters(sweep.cases.front()), .failure = {}};
  try {
    if (sweep.probe->size) sweep.probe->size(sweep.cases, backend.device());
    const std::vector<std::string> open = auto_parameters(sweep.cases.front());
    if (open.empty()) return choice;
    const Case shape = fastest_at(baseline_of(sweep), backend, before_trial);
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
