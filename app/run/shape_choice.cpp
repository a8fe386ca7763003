#include "app/run/shape_choice.hpp"

#include <algorithm>
#include <numeric>

#include "app/run/case_records.hpp"

namespace gpumem::app {

namespace {

/// Within this share of the fastest the earlier candidate wins, so that every run and every GPU of a kind chooses
/// alike. On an H200 seven shapes write within 1 % of each other, and misaligned they differ by 40 %: with a smaller
/// share runs could not be compared. It costs aligned copies 0.9 %, and reads and writes nothing.
constexpr double tie = 0.015;

/// Shapes within this share of the fastest, but not within `tie`, are tried again. A disturbance only ever makes a
/// trial slower, and the first trials find a GPU that was at rest.
constexpr double close = 0.06;

struct Trial {
  Case shape;
  double goodness = 0;
};

std::vector<std::string> auto_parameters(const Case& tested) {
  std::vector<std::string> names;
  for (const Parameter& parameter : tested.parameters) {
    const Axis* const axis = tested.probe->find_axis(parameter.name);
    const bool is_share = axis != nullptr && axis->takes_share && std::holds_alternative<std::string>(parameter.value);
    if (is_share || tested.is_auto(parameter.name)) names.push_back(parameter.name);
  }
  return names;
}

/// Returns the case that the rest of the sweep is related to, even if the sweep does not contain it. If the baseline is
/// not among the values that a user brings, it is the first case, as the probe's own baseline need not go with the
/// user's values.
Case baseline_of(const PlannedSweep& sweep) {
  const std::string& parameter = sweep.probe->baseline_parameter();
  const auto is_baseline = [&](const Case& tested) { return tested.value(parameter) == sweep.probe->baseline; };
  const auto found = std::ranges::find_if(sweep.cases, is_baseline);
  if (found == sweep.cases.end() && sweep.probe->find_axis(parameter)->texts) return sweep.cases.front();
  Case baseline = found == sweep.cases.end() ? sweep.cases.front() : *found;
  baseline.set(parameter, sweep.probe->baseline);
  return baseline;
}

/// Returns every combination of the candidates of the axes that are still auto. The last axis varies fastest.
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

/// Chooses a shape with as few trials as the estimates allow.
class Choice {
 public:
  Choice(std::vector<std::optional<double>> estimates, std::function<double(std::size_t)> goodness)
      : estimates_(std::move(estimates)), found_(estimates_.size()), goodness_(std::move(goodness)) {}

  /// The first shape within `tie` of the best; none if none can run.
  [[nodiscard]] std::optional<std::size_t> first_near_best() {
    std::vector<std::size_t> order(found_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t k) { return estimates_[k].value_or(0); });
    for (const std::size_t k : order) {
      if (!estimates_[k] || factor_ == 0) look_at(k);
    }
    for (std::size_t k = 0; k < found_.size(); ++k) {
      if (most(k) < best_ * (1 - tie)) continue;
      const double own = look_at(k);
      while (own > 0 && own >= best_ * (1 - tie)) {
        const std::size_t rival = most_promising();
        if (own >= most(rival) * (1 - tie)) return k;
        look_at(rival);
      }
    }
    return std::nullopt;
  }

 private:
  /// Returns the greatest goodness that a shape may have: the measured one or, before a trial, the estimate with its
  /// error.
  [[nodiscard]] double most(std::size_t k) const {
    return found_[k] ? *found_[k] : *estimates_[k] * factor_ * (1 + Backend::estimate_error);
  }

  [[nodiscard]] std::size_t most_promising() const {
    std::size_t found = 0;
    for (std::size_t k = 1; k < found_.size(); ++k) {
      if (most(k) > most(found)) found = k;
    }
    return found;
  }

  double look_at(std::size_t k) {
    if (!found_[k]) {
      const double found = found_[k].emplace(goodness_(k));
      best_ = std::max(best_, found);
      if (found > 0 && estimates_[k]) factor_ = std::max(factor_, found / *estimates_[k]);
    }
    return *found_[k];
  }

  std::vector<std::optional<double>> estimates_;
  std::vector<std::optional<double>> found_;  ///< by trials; 0: cannot run
  std::function<double(std::size_t)> goodness_;
  double best_ = 0;
  double factor_ = 0;  ///< the greatest ratio of a trial to its estimate; 0 before the first
};

/// Returns the fastest shape at the baseline, by trials of every candidate that may be it. Throws a probe error with
/// the first reason if none can run.
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
  const std::vector<std::optional<double>> estimates = backend.estimates(shapes);
  if (!estimates.empty()) {
    Choice choice(estimates, [&](std::size_t k) { return goodness(shapes[k]).value_or(0); });
    const auto found = choice.first_near_best();
    if (found) return shapes[*found];
    throw refusal.value_or(probe_error("no combination of the automatic values is valid"));
  }
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
    for (Case& tested : sweep.cases) {
      for (const std::string& name : open) tested.set(name, shape.value(name));
    }
  } catch (const Error& error) {
    if (!concerns_case_alone(error)) throw;
    choice.failure = error;
  }
  return choice;
}

}  // namespace gpumem::app
