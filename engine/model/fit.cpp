#include "engine/model/fit.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <ranges>
#include <utility>

#include "engine/access/chunks.hpp"
#include "engine/base/error.hpp"
#include "engine/model/rate_fields.hpp"
#include "engine/model/residence.hpp"
#include "engine/model/stages.hpp"

namespace gpumem::model {

namespace {

std::vector<RateField> rates_of_launches() {
  std::vector<RateField> fields;
  std::ranges::copy_if(rate_fields(), std::back_inserter(fields),
                       [](const RateField& field) { return !field.read_off && !field.carried; });
  return fields;
}

using Row = std::vector<double>;

/// Solves a x = b for a symmetric, positive definite matrix (Cholesky). A pivot that is not positive is taken for 1,
/// which leaves that unknown at about b.
Row solve(std::vector<Row> a, Row b) {
  const std::size_t n = b.size();
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t k = 0; k < j; ++k) a[j][j] -= a[j][k] * a[j][k];
    a[j][j] = a[j][j] > 0 ? std::sqrt(a[j][j]) : 1;
    for (std::size_t i = j + 1; i < n; ++i) {
      for (std::size_t k = 0; k < j; ++k) a[i][j] -= a[i][k] * a[j][k];
      a[i][j] /= a[j][j];
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) b[i] -= a[i][k] * b[k];
    b[i] /= a[i][i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) b[i] -= a[k][i] * b[k];
    b[i] /= a[i][i];
  }
  return b;
}

/// Minimises the loss of some cases over the logarithms of some rates.
class Minimiser {
 public:
  /// Rates are pulled to `start`; the first step is taken at `from`.
  Minimiser(std::span<const FitCase* const> cases, std::span<const RateField> fields, Profile start, Profile from)
      : cases_(cases), fields_(fields), start_(std::move(start)), profile_(std::move(from)) {
    loss_ = loss(profile_);
  }

  /// Takes Gauss-Newton steps, damped (Levenberg-Marquardt) until each lowers the loss.
  void run(int most_steps) {
    double damping = 1e-3;
    for (int step = 0; step < most_steps && damping < 1e6; ++step) {
      prepare_step();
      const double before = loss_;
      while (damping < 1e6 && !try_step(damping)) damping *= 4;
      damping = std::max(damping / 8, 1e-6);
      if (before - loss_ < 1e-5 * before) break;
    }
    polish();
  }

  [[nodiscard]] const Profile& profile() const { return profile_; }

  /// For each rate, by how much the error changes with its logarithm in the case that it matters to most.
  [[nodiscard]] Row sensitivities() {
    prepare_step();
    return sensitivity_;
  }

 private:
  /// Below this the loss is a parabola, so that it has no corner at errors of nothing. About what noise and
  /// the model's coarseness make.
  static constexpr double smallest_error = 1e-2;
  static constexpr double squared_share = 3;
  /// Pulls rates that the cases hardly tell towards where they started, in units of a case's loss.
  static constexpr double pull = 1e-3;

  [[nodiscard]] double loss(const Profile& profile) const {
    double sum = 0;
    for (const FitCase* measured : cases_) {
      const double error = measured->error(profile);
      sum += std::sqrt(error * error + smallest_error * smallest_error) + squared_share * error * error;
    }
    for (const RateField& field : fields_) {
      const double moved = std::log(profile.rates[field.id] / start_.rates[field.id]);
      sum += pull * moved * moved;
    }
    return std::isfinite(sum) ? sum : std::numeric_limits<double>::infinity();
  }

  /// The normal equations at the present rates, each case weighted such that its square stands for its loss.
  void prepare_step() {
    const std::size_t n = fields_.size();
    curvature_.assign(n, Row(n, 0));
    slope_.assign(n, 0);
    sensitivity_.assign(n, 0);
    // Over a distance, so that the corners where one stage takes over from another are rounded off.
    constexpr double distance = 0.01;
    std::vector<Profile> more(n, profile_);
    std::vector<Profile> less(n, profile_);
    for (std::size_t j = 0; j < n; ++j) {
      more[j].rates[fields_[j].id] *= std::exp(distance);
      less[j].rates[fields_[j].id] *= std::exp(-distance);
    }
    Row derivative(n);
    for (const FitCase* measured : cases_) {
      const double error = measured->error(profile_);
      const double weight = 1 / std::sqrt(error * error + smallest_error * smallest_error) + 2 * squared_share;
      for (std::size_t j = 0; j < n; ++j) {
        derivative[j] = (measured->error(more[j]) - measured->error(less[j])) / (2 * distance);
      }
      for (std::size_t j = 0; j < n; ++j) {
        if (derivative[j] == 0) continue;
        slope_[j] += weight * derivative[j] * error;
        sensitivity_[j] = std::max(sensitivity_[j], std::abs(derivative[j]));
        for (std::size_t k = 0; k <= j; ++k) curvature_[j][k] += weight * derivative[j] * derivative[k];
      }
    }
    for (std::size_t j = 0; j < n; ++j) {
      const double from_start = std::log(profile_.rates[fields_[j].id] / start_.rates[fields_[j].id]);
      slope_[j] += 2 * pull * from_start;
      curvature_[j][j] += 2 * pull;
    }
  }

  /// Moves one rate after the other, by less and less: out of corners, at which no step along the slope goes down.
  void polish() {
    for (double distance = 0.04; distance > 1e-3; distance /= 2) {
      for (bool moving = true; moving;) {
        const double before = loss_;
        for (const RateField& field : fields_) {
          for (const double direction : {distance, -distance}) {
            Profile next = profile_;
            next.rates[field.id] *= std::exp(direction);
            static_cast<void>(accept(next));
          }
        }
        moving = loss_ < before * (1 - 1e-4);
      }
    }
  }

  /// Goes there if the loss is lower there.
  bool accept(const Profile& next) {
    const double next_loss = loss(next);
    if (!(next_loss < loss_)) return false;
    loss_ = next_loss;
    profile_.rates = next.rates;
    return true;
  }

  bool try_step(double damping) {
    std::vector<Row> damped = curvature_;
    for (std::size_t j = 0; j < damped.size(); ++j) damped[j][j] *= 1 + damping;
    const Row step = solve(std::move(damped), slope_);
    constexpr double farthest = 0.5;  // of a logarithm at once: the stages' order changes within less
    Profile next = profile_;
    for (std::size_t j = 0; j < fields_.size(); ++j) {
      next.rates[fields_[j].id] *= std::exp(-std::clamp(step[j], -farthest, farthest));
    }
    return accept(next);
  }

  std::span<const FitCase* const> cases_;
  std::span<const RateField> fields_;
  Profile start_;
  Profile profile_;
  double loss_ = 0;
  std::vector<Row> curvature_;  ///< lower triangle
  Row slope_;
  Row sensitivity_;
};

constexpr int most_steps = 60;
constexpr int most_steps_of_jackknife = 12;
constexpr std::size_t parts = 10;

/// The fits without a tenth of the groups each, all at once. Groups are dealt out in the order of their names.
std::vector<Rates> jackknife(const std::vector<const FitCase*>& cases, std::span<const RateField> fields,
                             const Profile& fitted) {
  std::map<std::string, std::size_t> part_of;
  for (const FitCase* measured : cases) part_of[measured->group()];
  std::size_t next = 0;
  for (auto& [group, part] : part_of) part = next++ % parts;
  const auto fit_without = [&](std::size_t part) {
    std::vector<const FitCase*> rest;
    std::ranges::copy_if(cases, std::back_inserter(rest),
                         [&](const FitCase* measured) { return part_of.at(measured->group()) != part; });
    Minimiser minimiser(rest, fields, fitted, fitted);
    minimiser.run(most_steps_of_jackknife);
    return minimiser.profile().rates;
  };
  // Without its only group there would be nothing to fit to.
  std::vector<Rates> found(part_of.size() > 1 ? std::min(parts, part_of.size()) : 0);
  access::in_chunks(found.size(), 1, access::threads_for(found.size(), 1, 0),
                    [&](unsigned, std::uint64_t part, std::uint64_t) { found[part] = fit_without(part); });
  return found;
}

/// Relative standard error of a rate from its jackknifed values: sqrt((n - 1) / n x sum of squared deviations) (Efron
/// and Tibshirani, An Introduction to the Bootstrap, 11.5), here of the logarithm.
double standard_error(const std::vector<Rates>& found, RateId rate) {
  const auto n = static_cast<double>(found.size());
  double mean = 0;
  for (const Rates& rates : found) mean += std::log(rates[rate]) / n;
  double squares = 0;
  for (const Rates& rates : found) squares += std::pow(std::log(rates[rate]) - mean, 2);
  return std::sqrt((n - 1) / n * squares);
}

}  // namespace

FitCase::FitCase(Workload workload, const Profile& profile, double seconds, std::string group)
    : workload_(std::move(workload)),
      demand_(demand_of(workload_, summarise(workload_), profile)),
      memory_share_(memory_share(workload_, demand_, profile)),
      seconds_(seconds),
      group_(std::move(group)) {
  if (!workload_.operations.empty()) {
    launches_ = 0;
    for (const Operation& operation : workload_.operations) launches_ += static_cast<double>(operation.count);
  }
  workload_.sites.clear();
}

double FitCase::error(const Profile& profile) const {
  return std::log(launches_ * launch_time(demand_, workload_, profile, memory_share_).seconds / seconds_);
}

bool FitCase::suits(const Workload& workload) {
  return workload.modelled() && !workload.sites.empty() && workload.cluster_blocks == 1 &&
         std::ranges::all_of(workload.operations,
                             [](const Operation& operation) { return operation.work == Operation::Work::launch; });
}

Fit fit_rates(std::span<const FitCase> cases, const Profile& start) {
  if (cases.empty()) throw usage_error("there are no measured cases to fit rates to");
  std::vector<const FitCase*> all;
  for (const FitCase& measured : cases) all.push_back(&measured);

  // A rate that makes out no more than a few percent of any case would only soak up the errors of others. One that the
  // groups do not agree on is not known either, and goes back to where it started before the others are fitted again.
  constexpr double least_sensitivity = 0.05;
  constexpr double most_uncertain = 0.2;
  constexpr double untold = 0.5;
  const std::vector<RateField> candidates = rates_of_launches();
  std::vector<RateField> fields;
  const Row sensitivity = Minimiser(all, candidates, start, start).sensitivities();
  for (std::size_t j = 0; j < candidates.size(); ++j) {
    if (sensitivity[j] > least_sensitivity) fields.push_back(candidates[j]);
  }

  Fit fit{.profile = start, .rates = {}};
  std::vector<Rates> jackknifed;
  for (;;) {
    Minimiser minimiser(all, fields, start, fit.profile);
    minimiser.run(most_steps);
    fit.profile = minimiser.profile();
    jackknifed = jackknife(all, fields, fit.profile);
    const auto uncertainty = [&](const RateField& field) { return standard_error(jackknifed, field.id); };
    const double worst = fields.empty() ? 0 : std::ranges::max(fields | std::views::transform(uncertainty));
    if (worst <= most_uncertain) break;
    // All rates that the cases do not tell go at once, else only the most uncertain one: without it, the cases may tell
    // the others well.
    std::erase_if(fields, [&](const RateField& field) {
      if (uncertainty(field) < std::min(worst, untold)) return false;
      fit.profile.rates[field.id] = start.rates[field.id];
      return true;
    });
  }
  for (const RateField& field : candidates) {
    const bool determined = std::ranges::find(fields, field.id, &RateField::id) != fields.end();
    fit.rates.push_back({.name = field.name,
                         .value = fit.profile.rates[field.id],
                         .uncertainty = determined ? standard_error(jackknifed, field.id) : 0,
                         .determined = determined});
  }
  return fit;
}

FitErrors errors_of(std::span<const FitCase> cases, const Profile& profile) {
  std::vector<double> errors;
  for (const FitCase& measured : cases) errors.push_back(std::abs(std::exp(-measured.error(profile)) - 1));
  return errors_of(std::move(errors));
}

FitErrors errors_of(std::vector<double> errors) {
  if (errors.empty()) return {};
  std::ranges::sort(errors);
  const std::size_t at_95 = (95 * errors.size() + 99) / 100 - 1;
  return {errors.size(), errors[errors.size() / 2], errors[at_95], errors.back()};
}

}  // namespace gpumem::model
