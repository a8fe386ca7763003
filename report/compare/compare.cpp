#include "report/compare/compare.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>

#include "engine/base/words.hpp"
#include "report/record/cases.hpp"
#include "report/record/kernels.hpp"
#include "report/record/readings.hpp"
#include "report/text/names.hpp"
#include "report/text/text.hpp"

namespace gpumem::report {

namespace {

constexpr const char* time_name = "time_seconds";

constexpr std::array<std::string_view, 12> outcome_names = {"same",    "faster",     "slower",  "ambiguous",
                                                            "failed",  "wrong_data", "skipped", "recovered",
                                                            "not_run", "unread",     "missing", "added"};

/// Returns a record's value of a quantity: measured or, in a prediction, predicted and therefore exact. It has no
/// interval if there are too few samples for one.
std::optional<Estimate> estimate_of(const Report& report, const Record& record, const ComparedQuantity& quantity) {
  if (!record.ran() && !is_only_timed(record)) return std::nullopt;
  const bool measured = !report.is_prediction();
  const HeadlineRecord& headline = record.headline;
  std::optional<double> value;
  std::optional<double> low;
  std::optional<double> high;
  if (quantity.name == headline.quantity) {
    value = positive_headline(record, measured);
    low = measured ? positive(headline.ci95_low) : value;
    high = measured ? positive(headline.ci95_high) : value;
  } else if (quantity.name == bandwidth_name) {
    value = positive(bandwidth_of(record, measured));
  } else if (quantity.name == time_name && record.time) {
    const measure::Summary& time = record.time->summary;
    value = positive(time.median.count());
    if (time.count >= measure::fewest_samples) {
      low = positive(time.ci95_low.count());
      high = positive(time.ci95_high.count());
    }
  }
  if (!value) return std::nullopt;
  return low && high ? Estimate{*value, low, high} : Estimate{*value};
}

/// The same case in each report, OLD first; null if the report lacks it.
using SameCase = std::vector<const Record*>;

bool of_kernels(const SameCase& row) {
  return std::ranges::any_of(row, [](const Record* record) { return record != nullptr && is_kernel(*record); });
}

/// Returns the quantity by which a case of several reports is compared: the first headline that at least two of them
/// have, else the bandwidth, else the time. If no two have the same, the first that one has. Kernels of a user's
/// program are compared by the time of a launch alone, because a better one may move fewer bytes.
std::optional<ComparedQuantity> common_quantity(std::span<const NamedReport> reports, const SameCase& row) {
  std::vector<ComparedQuantity> candidates;
  for (const Record* record : row) {
    if (record == nullptr || is_kernel(*record)) continue;
    const HeadlineRecord& headline = record->headline;
    const Better better = headline.better == Better::neither ? Better::more : headline.better;
    candidates.push_back({headline.quantity, better});
  }
  if (!of_kernels(row)) candidates.push_back({std::string(bandwidth_name), Better::more});
  candidates.push_back({time_name, Better::less});
  std::optional<ComparedQuantity> only_one;
  for (const ComparedQuantity& candidate : candidates) {
    std::size_t have = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (row[i] != nullptr && estimate_of(reports[i].report, *row[i], candidate)) ++have;
    }
    if (have > 1) return candidate;
    if (have == 1 && !only_one) only_one = candidate;
  }
  return only_one;
}

std::vector<ShapeChange> shape_changes(const Record& old_record, const Record& new_record) {
  std::vector<ShapeChange> changes;
  for (const auto& [name, value] : old_record.parameters) {
    const Parameter* other = find_parameter(new_record, name);
    if (other == nullptr) changes.push_back({name, value, std::nullopt});
    if (other != nullptr && other->value != value) changes.push_back({name, value, other->value});
  }
  for (const auto& [name, value] : new_record.parameters) {
    if (find_parameter(old_record, name) == nullptr) changes.push_back({name, std::nullopt, value});
  }
  return changes;
}

std::vector<MetricChange> metric_changes(const Record& old_record, const Record& new_record) {
  std::vector<MetricChange> changes;
  for (const MetricRecord& metric : old_record.metrics) {
    const auto other = metric_value(new_record, metric.name);
    if (metric.value() && other) changes.push_back({metric.name, *metric.value(), *other});
  }
  return changes;
}

CaseVerdict outcome_without_reading(const Record& old_record, const Record& new_record) {
  if (!old_record.ran()) return new_record.ran() ? CaseVerdict::recovered : CaseVerdict::not_run;
  if (new_record.ran()) return CaseVerdict::unread;
  if (new_record.verified == false) return CaseVerdict::wrong_data;
  return new_record.status == Status::failed ? CaseVerdict::failed : CaseVerdict::skipped;
}

/// Returns the change of a case from OLD to one NEW, which may lack it.
CaseChange change_of(const ComparedCase& compared, std::optional<CaseReading> reading, double tolerance) {
  CaseChange change;
  change.reading = std::move(reading);
  if (!change.reading) return change;
  if (!compared.old_reading) {
    change.outcome = CaseVerdict::added;
    return change;
  }
  const auto& [old_index, old_record, old_estimate] = *compared.old_reading;
  const auto& [new_index, new_record, new_estimate] = *change.reading;
  change.by_place = is_kernel(*old_record) && old_record->parameters != new_record->parameters;
  change.shape = shape_changes(*old_record, *new_record);
  change.metrics = metric_changes(*old_record, *new_record);
  if (old_estimate && new_estimate) {
    change.speed = speed_ratio(*old_estimate, *new_estimate, compared.quantity->better);
    change.outcome = judged(*change.speed, tolerance);
  } else {
    change.outcome = outcome_without_reading(*old_record, *new_record);
  }
  return change;
}

std::vector<SameCase> rows_of(std::span<const NamedReport> reports) {
  const std::vector<Record>& old_results = reports.front().report.results;
  std::vector<SameCase> rows(old_results.size(), SameCase(reports.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].front() = &old_results[i];
  for (std::size_t n = 1; n < reports.size(); ++n) {
    const std::vector<Record>& results = reports[n].report.results;
    Partners partner = pair_cases(old_results, results);
    pair_kernels_by_place(old_results, results, partner);
    std::vector<bool> known(results.size(), false);
    for (std::size_t i = 0; i < partner.size(); ++i) {
      if (!partner[i]) continue;
      rows[i][n] = &results[*partner[i]];
      known[*partner[i]] = true;
    }
    // Cases that only a NEW has get rows of their own, even if another NEW has the same case.
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (!known[i]) rows.emplace_back(reports.size())[n] = &results[i];
    }
  }
  return rows;
}

std::size_t position_of(const Record* record, const NamedReport& in) {
  return static_cast<std::size_t>(record - in.report.results.data());
}

bool is_selected(std::span<const NamedReport> reports, const SameCase& row, const Selection& selection) {
  std::size_t first = 0;
  while (row[first] == nullptr) ++first;
  const std::size_t position = position_of(row[first], reports[first]);
  return std::ranges::any_of(
      row, [&](const Record* record) { return record != nullptr && selects(selection, *record, position); });
}

ComparedCase case_at(const Comparison& comparison, const SameCase& row) {
  ComparedCase compared{.quantity = common_quantity(comparison.reports, row), .old_reading = {}, .changes = {}};
  for (std::size_t n = 0; n < row.size(); ++n) {
    const NamedReport& named = comparison.reports[n];
    std::optional<CaseReading> reading;
    if (row[n] != nullptr) {
      reading = CaseReading{
          .index = position_of(row[n], named),
          .record = row[n],
          .estimate = compared.quantity ? estimate_of(named.report, *row[n], *compared.quantity) : std::nullopt};
      if (compared.record == nullptr) compared.record = row[n];
    }
    if (n == 0) {
      compared.old_reading = std::move(reading);
    } else {
      compared.changes.push_back(change_of(compared, std::move(reading), comparison.tolerance));
    }
  }
  return compared;
}

std::string in_words(const std::string& parameter, const std::optional<Value>& value) {
  return value ? value_text({parameter, *value}) : "";
}

/// Shapes that differ, each pair of values once.
std::vector<Difference> differing_shapes(const Comparison& comparison, std::size_t which) {
  std::vector<Difference> found;
  for (const ComparedCase& compared : comparison.cases) {
    if (compared.changes[which].by_place) continue;  // said in a line of its own
    for (const ShapeChange& change : compared.changes[which].shape) {
      Difference difference{.member = "results.parameters." + change.parameter,
                            .what = parameter_noun(change.parameter),
                            .old_value = in_words(change.parameter, change.old_value),
                            .new_value = in_words(change.parameter, change.new_value),
                            .cases = 1};
      const auto same = std::ranges::find_if(found, [&](const Difference& other) {
        return other.member == difference.member && other.old_value == difference.old_value &&
               other.new_value == difference.new_value;
      });
      if (same == found.end()) {
        found.push_back(std::move(difference));
      } else {
        ++same->cases;
      }
    }
  }
  return found;
}

/// Returns the flags that different numbers of cases have in OLD and in NEW. Counts only cases that both reports have.
std::vector<Difference> differing_flags(const Comparison& comparison, std::size_t which) {
  std::map<std::string, std::pair<std::size_t, std::size_t>> counts;
  for (const ComparedCase& compared : comparison.cases) {
    const CaseChange& change = compared.changes[which];
    if (!compared.old_reading || !change.reading) continue;
    for (const std::string& flag : compared.old_reading->record->flags) ++counts[flag].first;
    for (const std::string& flag : change.reading->record->flags) ++counts[flag].second;
  }
  std::vector<Difference> found;
  const auto words = [](std::size_t count) { return count == 0 ? "no case" : counted(count, "case"); };
  for (const auto& [flag, count] : counts) {
    if (count.first == count.second) continue;
    found.push_back({.member = "results.flags",
                     .what = "flag " + one_line(flag),
                     .old_value = words(count.first),
                     .new_value = words(count.second)});
  }
  return found;
}

double log_ratio(double a, double b) { return std::log(a / b); }

Cases kernels_of(std::span<const NamedReport> reports) {
  Cases kernels;
  for (const NamedReport& named : reports) {
    for (const Record& record : named.report.results) {
      if (is_kernel(record)) kernels.push_back(&record);
    }
  }
  return kernels;
}

}  // namespace

std::string_view to_string(CaseVerdict outcome) { return outcome_names.at(static_cast<std::size_t>(outcome)); }

Estimate speed_ratio(const Estimate& old_value, const Estimate& new_value, Better better) {
  if (better == Better::less) return speed_ratio(new_value, old_value, Better::more);  // the speed of NEW over OLD
  Estimate ratio{.value = new_value.value / old_value.value, .low = {}, .high = {}};
  if (!old_value.low || !new_value.low) return ratio;
  const double down =
      std::hypot(log_ratio(new_value.value, *new_value.low), log_ratio(*old_value.high, old_value.value));
  const double up = std::hypot(log_ratio(*new_value.high, new_value.value), log_ratio(old_value.value, *old_value.low));
  ratio.low = ratio.value * std::exp(-down);
  ratio.high = ratio.value * std::exp(up);
  return ratio;
}

CaseVerdict judged(const Estimate& speed, double tolerance) {
  if (!speed.low || !speed.high) return CaseVerdict::ambiguous;
  if (*speed.low > 1 + tolerance) return CaseVerdict::faster;
  if (*speed.high < 1 - tolerance) return CaseVerdict::slower;
  return *speed.low >= 1 - tolerance && *speed.high <= 1 + tolerance ? CaseVerdict::same : CaseVerdict::ambiguous;
}

Comparison compare(std::span<const NamedReport> reports, double tolerance, const Selection& selection) {
  constexpr std::size_t longest_name = 40;  // of a kernel, in a table beside its numbers
  Comparison comparison{.tool_version = {},
                        .reports = reports,
                        .tolerance = tolerance,
                        .cases = {},
                        .differences = {},
                        .kernels = KernelPlaces(kernels_of(reports), longest_name)};
  for (const SameCase& row : rows_of(reports)) {
    if (is_selected(reports, row, selection)) comparison.cases.push_back(case_at(comparison, row));
  }
  for (std::size_t n = 0; n < comparison.new_reports(); ++n) {
    std::vector<Difference> found = differences(reports.front().report, reports[n + 1].report);
    std::ranges::move(differing_shapes(comparison, n), std::back_inserter(found));
    std::ranges::move(differing_flags(comparison, n), std::back_inserter(found));
    std::ranges::stable_partition(found, [](const Difference& difference) { return !difference.minor; });
    comparison.differences.push_back(std::move(found));
  }
  return comparison;
}

}  // namespace gpumem::report
