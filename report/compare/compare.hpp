#pragma once
// Compares one report with others, case by case, and takes the noise of both into account. Plain data; the writers are
// in report/write/comparisons/comparison.hpp.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/record/kernel_place.hpp"
#include "report/record/readings.hpp"
#include "report/record/selection.hpp"

namespace gpumem::report {

/// Repeated runs of one GPU differed by up to 0.6 % in cases of device and shared memory (docs/compare.md).
inline constexpr double default_tolerance = 0.01;

/// The outcome of comparing a case.
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

/// A value and its 95 % confidence interval, which is absent below 6 samples.
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

/// A parameter that `auto` decided differently, or that only one version of gpumem has: the other value is absent.
struct ShapeChange {
  std::string parameter;
  std::optional<Value> old_value;
  std::optional<Value> new_value;
};

/// A case in one NEW against the same in OLD.
struct CaseChange {
  bool by_place = false;  ///< kernels of a user's program that were paired by pair_kernels_by_place()
  CaseVerdict outcome = CaseVerdict::missing;
  std::optional<Estimate> speed;  ///< of NEW / of OLD: 1 is the same, more is faster
  std::vector<ShapeChange> shape;
};

struct ComparedCase {
  std::string label;  ///< among the cases of its probe: "offset 3, write"; the probe comes first if there are several
  const Record* record = nullptr;                    ///< OLD's, or that of the first NEW that has the case
  std::optional<ComparedQuantity> quantity;          ///< absent where no report has a reading
  std::vector<std::optional<CaseReading>> readings;  ///< OLD's, then one per NEW; absent from reports without the case
  std::vector<CaseChange> changes;                   ///< one per NEW

  /// True if OLD or NEW number `which` has the case, or if both have it.
  [[nodiscard]] bool in_either(std::size_t which) const { return readings.front() || readings[which + 1]; }
  [[nodiscard]] bool in_both(std::size_t which) const { return readings.front() && readings[which + 1]; }
};

/// A difference between two runs besides their results: the first thing to know when results differ.
struct Difference {
  std::string member;     ///< of the report: "device.driver_version"
  std::string what;       ///< in words: "driver"
  std::string old_value;  ///< in words; empty: not known
  std::string new_value;
  bool minor = false;     ///< alone it seldom changes a result
  std::size_t cases = 0;  ///< number of cases that differ; 0: the whole run does
  bool operator==(const Difference&) const = default;
};

/// Returns the differences between the runs as a whole. Minor ones are marked.
[[nodiscard]] std::vector<Difference> differences(const Report& old_report, const Report& new_report);

struct Comparison {
  std::string tool_version = {};                          ///< of the gpumem that compares
  std::span<const NamedReport> reports;                   ///< OLD, then every NEW; they must outlive the comparison
  double tolerance = default_tolerance;                   ///< share
  std::vector<ComparedCase> cases = {};                   ///< in OLD's order, then those that only a NEW has
  std::vector<std::vector<Difference>> differences = {};  ///< of the runs, one list per NEW
  KernelPlaces kernels;                                   ///< names of the programs' kernels, over all reports

  [[nodiscard]] std::size_t new_reports() const { return reports.size() - 1; }
};

/// For every case of OLD, the index of its partner in NEW; nullopt if it has none.
using Partners = std::vector<std::optional<std::size_t>>;

/// Finds the same cases in two reports. They have the same probe and the same parameters, as far as both versions of
/// gpumem have them: equal in every value, or else equal as asked for, where a value that `auto` decided counts as
/// "auto". Several equal cases are paired in their order.
[[nodiscard]] Partners pair_cases(std::span<const Record> old_cases, std::span<const Record> new_cases);

/// Adds partners for kernels of a user's program whose name, grid or block changed. Kernels without a partner are
/// matched if both runs launched them first between the same two neighbouring pairs, or before or behind all pairs.
/// Among these, kernels of the same name are paired in their order, then kernels with the same number of launches, each
/// only if both runs have equally many; then the only one that each run has left. Older reports without `first_launch`
/// have no order and get no partners.
void pair_kernels_by_place(std::span<const Record> old_kernels, std::span<const Record> new_kernels, Partners& partner);

/// Compares every report but the first with the first; there must be at least two. Only selected cases are compared. A
/// case is selected if its record in any of the reports is, with its position in OLD or, if OLD lacks it, in NEW.
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

/// The number of cases of each outcome in one NEW.
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

/// The geometric mean of the speeds of one NEW relative to OLD. More than 1 is better, also for quantities of which
/// less is better.
struct MeanSpeed {
  std::optional<ComparedQuantity> quantity;  ///< of the cases; absent for the mean over all cases
  std::size_t cases = 0;
  double ratio = 1;
};
/// Returns the mean over all cases with a reading in both. If these are compared by several quantities, the means for
/// each quantity follow. Empty if nothing is compared.
[[nodiscard]] std::vector<MeanSpeed> mean_speeds(const Comparison& comparison, std::size_t which);

/// The verdict on one NEW if slowdowns of up to `share` are allowed.
struct Gate {
  /// The reasons why NEW does not pass, in one line: cases slower by more than the share in their whole interval, cases
  /// that failed or moved wrong data and did not in OLD, or nothing to compare. Absent if NEW passes.
  std::optional<std::string> failure;
  std::size_t undecided = 0;  ///< cases that may be slower by more, and may not
  /// Cases slower by more in another launch shape. They prove nothing: if two shapes are equally fast in the aligned
  /// case, repeated runs choose either, and differ by 38 % in other cases (docs/compare.md).
  std::size_t reshaped = 0;
};
[[nodiscard]] Gate gate(const Comparison& comparison, std::size_t which, double share);

/// Returns true if `auto` chose another launch shape. Another size does not count: bandwidth allows for it.
[[nodiscard]] bool is_reshaped(const CaseChange& change);

/// Returns the name of NEW number `which`: "new", or "new 2" if there are several.
[[nodiscard]] std::string new_label(const Comparison& comparison, std::size_t which);

/// A change of speed: "-4.2 %".
[[nodiscard]] std::string change_words(double ratio);

}  // namespace gpumem::report
