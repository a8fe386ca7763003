#pragma once
// The story of a sweep, or of several alternatives at one place of it: the cases that ran, which of them cost the same,
// and that in words.

#include <cstdint>
#include <optional>
#include <span>
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

/// Returns true if the cost of the requests orders the cases: the dearer the class, the worse it is.
[[nodiscard]] bool cost_explains(const Story& story);

/// Tells a story of at least one point: where cases are best, what it costs elsewhere and why: "Copies reach 4227 GB/s
/// (88 % of peak) at offset 0. Offsets that are ...". `subject` begins it: "Copies".
[[nodiscard]] std::string describe_sweep(const Story& story, const std::string& subject);

/// Says how far the predictions are from the measurements: "predicted within 8 %". Empty if nothing was measured, or if
/// a measured case was not predicted.
[[nodiscard]] std::string agreement(const Cases& cases);

/// Returns the only k > 1 for which exactly the values of `part`, among `all`, are multiples of k. Nullopt if there is
/// none, or if several would do: two points fit many rules.
[[nodiscard]] std::optional<std::uint64_t> common_factor(std::span<const std::uint64_t> all,
                                                         std::span<const std::uint64_t> part);

/// Returns the values as runs of neighbours in `all` (sorted, distinct): "1, 3 and 8 to 32". Empty if that would take
/// more than four parts.
[[nodiscard]] std::string listed(std::span<const std::uint64_t> all, std::span<const std::uint64_t> part);

}  // namespace gpumem::report
