#include "probes/hierarchy/working_set/knees.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <utility>

namespace gpumem::hierarchy {

namespace {

constexpr std::size_t fewest_readings = 12;
constexpr std::size_t most_knees = 5;
/// Capacities that are tried from each footprint to the next.
constexpr unsigned tried_between = 5;
constexpr std::array sharpnesses = {1.0, 2.0, 4.0, 64.0};
/// Relative error of readings against any curve of this form: less is luck.
constexpr double least_noise = 0.01;
/// A rise by less, relative to the plateau before it, is a drift and not a level.
constexpr double least_rise = 0.03;
/// Capacities in a ratio below this have no plateau between them: they are one knee that the curve is too round for.
constexpr double closest = 1.3;
/// Squared normal deviation that 95 % stay within.
constexpr double chi_squared_95 = 3.84;

using Column = std::vector<double>;  // a number per reading

/// A capacity, and what its level's misses look like in the readings.
struct Level {
  double capacity = 0;
  Column misses = {};
};
using Levels = std::vector<const Level*>;

struct Fit {
  double error = std::numeric_limits<double>::infinity();  ///< sum of the squared relative errors
  std::vector<double> rises = {};                          ///< the first plateau, then what each level adds
};

/// Solves the equations of `columns` and 1 by least squares: normal equations, Cholesky. Nothing where columns are
/// alike.
std::optional<std::vector<double>> least_squares(const std::vector<const Column*>& columns) {
  const std::size_t n = columns.size();
  const std::size_t readings = columns.front()->size();
  std::array<std::array<double, most_knees + 1>, most_knees + 1> lower{};
  std::vector<double> solution(n);
  for (std::size_t row = 0; row < n; ++row) {
    for (std::size_t column = 0; column <= row; ++column) {
      double sum = 0;
      for (std::size_t i = 0; i < readings; ++i) sum += (*columns[row])[i] * (*columns[column])[i];
      const double whole = sum;
      for (std::size_t k = 0; k < column; ++k) sum -= lower[row][k] * lower[column][k];
      if (row != column) {
        lower[row][column] = sum / lower[column][column];
      } else if (sum > 1e-9 * whole) {
        lower[row][row] = std::sqrt(sum);
      } else {
        return std::nullopt;
      }
    }
    double sum = 0;
    for (std::size_t i = 0; i < readings; ++i) sum += (*columns[row])[i];
    for (std::size_t k = 0; k < row; ++k) sum -= lower[row][k] * solution[k];
    solution[row] = sum / lower[row][row];
  }
  for (std::size_t row = n; row-- > 0;) {
    for (std::size_t k = row + 1; k < n; ++k) solution[row] -= lower[k][row] * solution[k];
    solution[row] /= lower[row][row];
  }
  return solution;
}

class Curve {
 public:
  /// At least three readings.
  explicit Curve(std::span<const FootprintCost> readings) : readings_(readings.begin(), readings.end()) {
    std::ranges::sort(readings_, {}, &FootprintCost::bytes);
    // Divided by the costs themselves, so that errors are relative: the curve to be met is 1 everywhere.
    for (const FootprintCost& reading : readings_) constant_.push_back(1 / reading.cost);
    // On either side of a knee two readings tell a plateau from a slope.
    for (std::size_t i = 1; i + 2 < size(); ++i) {
      const double ratio = readings_[i + 1].bytes / readings_[i].bytes;
      for (unsigned k = 0; k < tried_between; ++k) {
        add_levels(readings_[i].bytes * std::pow(ratio, static_cast<double>(k) / tried_between));
      }
    }
  }

  [[nodiscard]] std::size_t size() const { return readings_.size(); }
  [[nodiscard]] const std::vector<Level>& levels() const { return levels_; }

  /// No fit where a level would lower the cost or hardly raise it.
  [[nodiscard]] Fit fit(const Levels& by_capacity) const {
    std::vector<const Column*> columns = {&constant_};
    for (const Level* level : by_capacity) columns.push_back(&level->misses);
    auto rises = least_squares(columns);
    if (!rises) return {};
    double plateau = 0;
    for (const double rise : *rises) {
      if (!(rise > least_rise * plateau)) return {};
      plateau += rise;
    }
    double error = 0;
    for (std::size_t i = 0; i < size(); ++i) {
      double value = 0;
      for (std::size_t k = 0; k < columns.size(); ++k) value += (*rises)[k] * (*columns[k])[i];
      error += (value - 1) * (value - 1);
    }
    return {error, *std::move(rises)};
  }

  /// The Bayesian information criterion (Schwarz 1978); less is better. Less error lowers it, the three parameters of
  /// each level raise it.
  [[nodiscard]] double criterion(const Fit& fit, std::size_t number) const {
    const auto n = static_cast<double>(size());
    return n * std::log(fit.error / n + least_noise * least_noise) + 3 * static_cast<double>(number) * std::log(n);
  }

  /// More error than this is too much to be chance, at 95 %.
  [[nodiscard]] double tolerated(const Fit& best, std::size_t number) const {
    const auto free = std::max(static_cast<double>(size()) - 3 * static_cast<double>(number) - 1, 1.0);
    return best.error + chi_squared_95 * std::max(best.error / free, least_noise * least_noise);
  }

 private:
  void add_levels(double capacity) {
    for (const double sharpness : sharpnesses) {
      Level level{.capacity = capacity};
      for (const FootprintCost& reading : readings_) {
        const double share = std::min(capacity / reading.bytes, 1.0);
        level.misses.push_back((1 - std::pow(share, sharpness)) / reading.cost);
      }
      levels_.push_back(std::move(level));
    }
  }

  std::vector<FootprintCost> readings_;
  Column constant_;
  std::vector<Level> levels_;  ///< those that are tried
};

Levels with(Levels levels, const Level& added) {
  levels.insert(std::ranges::lower_bound(levels, added.capacity, {}, &Level::capacity), &added);
  return levels;
}

Levels without(Levels levels, std::size_t place) {
  levels.erase(levels.begin() + static_cast<std::ptrdiff_t>(place));
  return levels;
}

/// Calls visit(level, fit) for each level that may stand beside the others, by capacity.
template <class Visit>
void try_all(const Curve& curve, const Levels& others, const Visit& visit) {
  for (const Level& tried : curve.levels()) {
    const bool crowded = std::ranges::any_of(others, [&](const Level* other) {
      return std::max(tried.capacity, other->capacity) < closest * std::min(tried.capacity, other->capacity);
    });
    if (!crowded) visit(tried, curve.fit(with(others, tried)));
  }
}

struct Candidate {
  Levels levels = {};
  Fit fit = {};
};

Candidate best_beside(const Curve& curve, const Levels& others) {
  Candidate best;
  try_all(curve, others, [&](const Level& tried, Fit fit) {
    if (fit.error < best.fit.error) best = {with(others, tried), std::move(fit)};
  });
  return best;
}

/// One level more, after which each of them is fitted again.
Candidate one_more(const Curve& curve, const Candidate& before) {
  Candidate best = best_beside(curve, before.levels);
  for (bool better = !best.levels.empty(); better;) {
    better = false;
    for (std::size_t i = 0; i < best.levels.size(); ++i) {
      Candidate again = best_beside(curve, without(best.levels, i));
      if (!(again.fit.error < best.fit.error * (1 - 1e-6))) continue;
      best = std::move(again);
      better = true;
    }
  }
  return best;
}

/// The knee of the level at `place`. Its bounds are the nearest capacities tried that do not explain the readings.
Knee knee_of(const Curve& curve, const Candidate& best, std::size_t place) {
  Knee knee{.capacity_bytes = best.levels[place]->capacity};
  for (std::size_t i = 0; i <= place; ++i) knee.before += best.fit.rises[i];
  knee.after = knee.before + best.fit.rises[place + 1];
  std::map<double, double> errors;  // by capacity
  try_all(curve, without(best.levels, place), [&](const Level& tried, const Fit& fit) {
    const auto [error, added] = errors.try_emplace(tried.capacity, fit.error);
    if (!added) error->second = std::min(error->second, fit.error);
  });
  const double tolerated = curve.tolerated(best.fit, best.levels.size());
  auto low = errors.find(knee.capacity_bytes);
  auto high = low;
  while (low != errors.begin() && low->second <= tolerated) --low;
  while (std::next(high) != errors.end() && high->second <= tolerated) ++high;
  knee.low_bytes = low->first;
  knee.high_bytes = high->first;
  return knee;
}

}  // namespace

std::vector<Knee> fit_knees(std::span<const FootprintCost> readings) {
  if (readings.size() < fewest_readings) return {};
  const Curve curve(readings);
  Candidate best{.fit = curve.fit({})};
  while (best.levels.size() < most_knees) {
    Candidate more = one_more(curve, best);
    if (more.levels.empty()) break;
    if (!(curve.criterion(more.fit, more.levels.size()) < curve.criterion(best.fit, best.levels.size()))) break;
    best = std::move(more);
  }
  std::vector<Knee> knees;
  for (std::size_t i = 0; i < best.levels.size(); ++i) knees.push_back(knee_of(curve, best, i));
  return knees;
}

std::optional<double> footprint_of_cost(std::span<const FootprintCost> readings, double cost) {
  std::vector<FootprintCost> sorted(readings.begin(), readings.end());
  std::ranges::sort(sorted, {}, &FootprintCost::bytes);
  const auto after = std::ranges::find_if(sorted, [&](const FootprintCost& reading) { return reading.cost >= cost; });
  if (after == sorted.begin() || after == sorted.end()) return std::nullopt;
  const FootprintCost& before = *std::prev(after);
  const double share = (cost - before.cost) / (after->cost - before.cost);
  return before.bytes * std::pow(after->bytes / before.bytes, share);
}

}  // namespace gpumem::hierarchy
