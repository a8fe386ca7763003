#pragma once
// What a sweep, or several alternatives at one place of it, show before it is put into words: the cases that ran, and
// which of them cost the same.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/record/cases.hpp"
#include "report/record/readings.hpp"

namespace gpumem::report {

struct Point {
  const Record* record = nullptr;
  const Parameter* place = nullptr;     ///< the parameter that varies; null if the record lacks it
  std::optional<std::uint64_t> number;  ///< its value, if a number
  double value = 0;                     ///< headline: measured, or predicted where nothing was measured
  double goodness = 0;                  ///< of it: the more the better
  PerRequest cost;                      ///< predicted, or counted where nothing was predicted
};

/// Points whose requests cost the same.
struct CostClass {
  PerRequest cost;
  std::vector<const Point*> points;
  double median_goodness = 0;
};

struct Story {
  std::string parameter;            ///< that varies
  bool measured = false;            ///< otherwise everything is predicted
  std::string_view unit = sectors;  ///< of the costs
  bool numeric = false;             ///< every place is a number; points are then in rising order
  std::vector<Point> points;        ///< cases that ran and have a headline
  std::vector<CostClass> classes;   ///< by rising cost; empty if costs are unknown
  const Point* best = nullptr;      ///< the baseline where it is as good as the best
  const Point* worst = nullptr;

  /// (best - worst) / best.
  [[nodiscard]] double spread() const;
};

/// Differences up to this share of the best are called none.
inline constexpr double negligible = 0.02;

/// The story of cases that differ in nothing but a parameter. Points refer to the records and classes to the points, so
/// a story is neither copied nor outlives the records.
[[nodiscard]] Story make_story(const Cases& cases, std::string_view parameter);

/// -1 when the headline only falls along the sweep, 1 when it only rises, 0 otherwise. Negligible steps back are
/// forgiven.
[[nodiscard]] int direction(const Story& story);

/// Whether the cost of the requests orders the cases: the dearer the class, the worse it is.
[[nodiscard]] bool cost_explains(const Story& story);

}  // namespace gpumem::report
