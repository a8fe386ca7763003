#pragma once
// What changed from one report to others, case by case, with the noise of both taken into account. Plain data; the
// writers are in report/write/comparisons/comparison.hpp.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/record/kernel_place.hpp"
#include "report/record/selection.hpp"

namespace gpumem::report {

/// Repeated runs of one GPU differed by up to 0.6 % in cases of device and shared memory (docs/compare.md).
inline constexpr double default_tolerance = 0.01;

/// What became of a case.
enum class CaseVerdict {
  same,        ///< the whole interval of the change lies within the tolerance
  faster,      ///< the whole interval lies beyond it
  slower,      ///< likewise
  ambiguous,   ///< the interval crosses the tolerance, or there are too few samples for one
  failed,      ///< failed in NEW, though it ran in OLD
  wrong_data,  ///< moved wrong data in NEW, though not in OLD
  skipped,     ///< skipped in NEW, though it ran in OLD
  recovered,   ///< ran in NEW, though not in OLD
  not_run,     ///< ran in neither
  unread,      ///< ran in both, without a reading that both have
  missing,     ///< NEW has no such case
  added        ///< OLD has no such case
};
[[nodiscard]] std::string_view to_string(CaseVerdict outcome);

/// What a case is compared by: its headline where both have it, else what both have.
struct ComparedQuantity {
  std::string name;
  Better better = Better::more;
  bool operator==(const ComparedQuantity&) const = default;
};

/// A value and its 95 % confidence interval, which is absent where nobody knows it: below 6 samples.
struct Estimate {
  double value = 0;
  std::optional<double> low = {};
  std::optional<double> high = {};
};

/// One report's side of a case. Refers to the report.
struct CaseReading {
  std::size_t index = 0;  ///< in the report's results
  const Record* record = nullptr;
  std::optional<Estimate> estimate;  ///< of the quantity: measured, or predicted by a model's report
};

/// A metric that a case has in both, without an interval: what else may explain a change.
struct MetricChange {
  std::string name;
  double old_value = 0;
  double new_value = 0;
};

/// A parameter that `auto` decided differently, or that only one version of gpumem has: the other value is absent.
struct ShapeChange {
  std::string parameter;
  std::optional<Value> old_value;
  std::optional<Value> new_value;
};

/// A case in one NEW against the same in OLD.
struct CaseChange {
  bool by_place = false;               ///< kernels of a user's program that were paired by pair_kernels_by_place()
  std::optional<CaseReading> reading;  ///< absent if NEW has no such case
  CaseVerdict outcome = CaseVerdict::missing;
  std::optional<Estimate> speed;  ///< of NEW / of OLD: 1 is the same, more is faster
  std::vector<ShapeChange> shape;
  std::vector<MetricChange> metrics;
};

struct ComparedCase {
  const Record* record = nullptr;            ///< OLD's, or that of the first NEW that has the case
  std::optional<ComparedQuantity> quantity;  ///< absent where no report has a reading
  std::optional<CaseReading> old_reading;
  std::vector<CaseChange> changes;  ///< one per NEW
};

/// In what two runs differ besides their results: the first thing to know when results do.
struct Difference {
  std::string member;     ///< of the report: "device.driver_version"
  std::string what;       ///< in words: "driver"
  std::string old_value;  ///< in words; empty: not known
  std::string new_value;
  bool minor = false;     ///< alone it seldom changes a result
  std::size_t cases = 0;  ///< how many cases it is of; 0: of the whole run
};

/// Of the runs as a whole; what matters most comes first.
[[nodiscard]] std::vector<Difference> differences(const Report& old_report, const Report& new_report);

struct Comparison {
  std::string tool_version;                          ///< of the gpumem that compares
  std::span<const NamedReport> reports;              ///< OLD, then every NEW; they must outlive the comparison
  double tolerance = default_tolerance;              ///< share
  std::vector<ComparedCase> cases;                   ///< in OLD's order, then those that only a NEW has
  std::vector<std::vector<Difference>> differences;  ///< of the runs, one list per NEW
  KernelPlaces kernels;                              ///< what kernels of programs are called, in all of the reports

  [[nodiscard]] std::size_t new_reports() const { return reports.size() - 1; }
};

/// For every case of OLD the index of its partner in NEW; absent where it has none.
using Partners = std::vector<std::optional<std::size_t>>;

/// For every case of OLD the index of the case of NEW that is the same: one of the same probe and parameters, as far as
/// both versions of gpumem have them. Equal in every value, or else in what was asked for, where a value that `auto`
/// decided counts as "auto". Of several cases that are the same, the first belongs to the first. Absent where NEW has
/// none.
[[nodiscard]] Partners pair_cases(std::span<const Record> old_cases, std::span<const Record> new_cases);

/// Adds partners to kernels of a user's program whose name, grid or block changed. Of those that both runs launched
/// first between two pairs next to each other (or before all or behind), the same are: of one name, else with as many
/// launches, where both runs have equally many of such, in their order; else the only one that each has left. Reports
/// of before `first_launch` was in them say no order, and get none.
void pair_kernels_by_place(std::span<const Record> old_kernels, std::span<const Record> new_kernels, Partners& partner);

/// Holds every report but the first against the first. At least two. Only the cases that are selected: by what any of
/// the reports has of them, and by their position in OLD, or where it lacks them in NEW.
[[nodiscard]] Comparison compare(std::span<const NamedReport> reports, double tolerance = default_tolerance,
                                 const Selection& selection = {});

/// Speed of NEW relative to OLD, more than 1 being better: the ratio r of the medians, with the interval that Zou and
/// Donner's method of variance estimates recovery (Statistics in Medicine 27, 2008) makes of the two medians' own
/// intervals [l, u], taken as independent, in logarithms:
///   ln r - sqrt(ln(new/l_new)^2 + ln(u_old/old)^2) ... ln r + sqrt(ln(u_new/new)^2 + ln(old/l_old)^2)
/// where more is better, and their mirror image where less is. Without interval if one of the two has none. Both
/// positive.
[[nodiscard]] Estimate speed_ratio(const Estimate& old_value, const Estimate& new_value, Better better);

/// same, faster, slower or ambiguous.
[[nodiscard]] CaseVerdict judged(const Estimate& speed, double tolerance);

/// How many cases of each outcome one NEW has.
struct CaseTally {
  std::vector<std::size_t> counts;        ///< by outcome
  std::size_t too_few_samples = 0;        ///< of the ambiguous ones: no interval
  const ComparedCase* slowest = nullptr;  ///< of the slower ones
  const ComparedCase* fastest = nullptr;  ///< of the faster ones

  [[nodiscard]] std::size_t operator[](CaseVerdict outcome) const { return counts[static_cast<std::size_t>(outcome)]; }
  /// Cases with a reading in both.
  [[nodiscard]] std::size_t compared() const;
};
[[nodiscard]] CaseTally tally(const Comparison& comparison, std::size_t which);

/// The geometric mean of the speeds of one NEW relative to OLD, more than 1 being better whichever way a quantity is.
struct MeanSpeed {
  std::optional<ComparedQuantity> quantity;  ///< that its cases are compared by; absent of all cases together
  std::size_t cases = 0;
  double ratio = 1;
};
/// Over all cases that both have a reading of, then, where these are compared by several quantities, over those of
/// each. Empty where nothing is compared.
[[nodiscard]] std::vector<MeanSpeed> mean_speeds(const Comparison& comparison, std::size_t which);

/// What a comparison that allows slowdowns of up to `share` says of one NEW.
struct Gate {
  /// One line: cases whose whole interval lies below, that failed or moved wrong data and did not in OLD, or nothing to
  /// compare. Absent if NEW passes.
  std::optional<std::string> failure;
  std::size_t undecided = 0;  ///< cases that may be slower by more, and may not
  /// Cases slower by more in another launch shape, which prove nothing: where two shapes are as fast as each other at
  /// the aligned case, repeated runs choose now the one, now the other, and differ by 38 % elsewhere (docs/compare.md).
  std::size_t reshaped = 0;
};
[[nodiscard]] Gate gate(const Comparison& comparison, std::size_t which, double share);

/// Whether `auto` chose another launch shape. Another size does not count: bandwidth allows for it.
[[nodiscard]] bool is_reshaped(const CaseChange& change);

/// Which case it is among those of its probe: "offset 3, write", with the probe in front where there are others.
[[nodiscard]] std::string case_name(const Comparison& comparison, const ComparedCase& compared);

/// What NEW number `which` is called: "new", or "new 2" where there are several.
[[nodiscard]] std::string new_label(const Comparison& comparison, std::size_t which);

/// A change of speed: "-4.2 %".
[[nodiscard]] std::string change_words(double ratio);

}  // namespace gpumem::report
