#include "report/compare/compare.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "engine/base/words.hpp"
#include "report/record/cases.hpp"
#include "report/record/grouped.hpp"
#include "report/record/kernels.hpp"
#include "report/record/readings.hpp"
#include "report/text/names.hpp"
#include "report/text/text.hpp"

namespace gpumem::report {

namespace {

constexpr std::array<std::string_view, 12> outcome_names = {"same",    "faster",     "slower",  "ambiguous",
                                                            "failed",  "wrong_data", "skipped", "recovered",
                                                            "not_run", "unread",     "missing", "added"};

std::optional<Estimate> estimated(const std::optional<double>& value, const std::optional<double>& low = {},
                                  const std::optional<double>& high = {}) {
  if (!positive(value)) return std::nullopt;
  return positive(low) && positive(high) ? Estimate{*value, low, high} : Estimate{*value};
}

/// Returns a record's value of a quantity: measured or, in a prediction, predicted and therefore exact. It has no
/// interval if there are too few samples for one.
std::optional<Estimate> estimate_of(const Report& report, const Record& record, const std::string& quantity) {
  if (!record.ran() && !is_only_timed(record)) return std::nullopt;
  const HeadlineRecord& headline = record.headline;
  if (quantity == headline.quantity && report.is_prediction()) {
    return estimated(headline.predicted, headline.predicted, headline.predicted);
  }
  if (quantity == headline.quantity) return estimated(headline.measured, headline.ci95_low, headline.ci95_high);
  if (quantity == bandwidth_name) return estimated(bandwidth_of(record, !report.is_prediction()));
  if (quantity != time_quantity().name || !record.time) return std::nullopt;
  const measure::Summary& time = record.time->summary;
  if (time.count < measure::fewest_samples) return estimated(time.median.count());
  return estimated(time.median.count(), time.ci95_low.count(), time.ci95_high.count());
}

/// Returns the quantity by which a case of several reports is compared: the first headline that at least two of them
/// have, else the bandwidth, else the time. If no two have the same, the first that one has. Kernels of a user's
/// program are compared by the time of a launch alone, because a better one may move fewer bytes.
std::optional<ComparedQuantity> common_quantity(std::span<const NamedReport> reports, const ComparedCase& compared) {
  std::vector<ComparedQuantity> candidates;
  if (!is_kernel(*compared.record)) {
    for (const auto& reading : compared.readings) {
      if (reading) candidates.push_back(headline_quantity(*reading->record));
    }
    candidates.push_back({std::string(bandwidth_name), Better::more});
  }
  candidates.push_back(time_quantity());
  std::optional<ComparedQuantity> only_one;
  for (const ComparedQuantity& candidate : candidates) {
    std::size_t have = 0;
    for (std::size_t n = 0; n < reports.size(); ++n) {
      const auto& reading = compared.readings[n];
      if (reading && estimate_of(reports[n].report, *reading->record, candidate.name)) ++have;
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

CaseVerdict outcome_without_reading(const Record& old_record, const Record& new_record) {
  if (!old_record.ran()) return new_record.ran() ? CaseVerdict::recovered : CaseVerdict::not_run;
  if (new_record.ran()) return CaseVerdict::unread;
  if (new_record.verified == false) return CaseVerdict::wrong_data;
  return new_record.status == Status::failed ? CaseVerdict::failed : CaseVerdict::skipped;
}

/// Returns the change of a case from OLD to one NEW, which may lack it.
CaseChange change_of(const ComparedCase& compared, std::size_t which, double tolerance) {
  CaseChange change;
  if (!compared.readings[which + 1]) return change;
  if (!compared.readings.front()) {
    change.outcome = CaseVerdict::added;
    return change;
  }
  const auto& [old_index, old_record, old_estimate] = *compared.readings.front();
  const auto& [new_index, new_record, new_estimate] = *compared.readings[which + 1];
  change.by_place = is_kernel(*old_record) && old_record->parameters != new_record->parameters;
  change.shape = shape_changes(*old_record, *new_record);
  if (old_estimate && new_estimate) {
    change.speed = speed_ratio(*old_estimate, *new_estimate, compared.quantity->better);
    change.outcome = judged(*change.speed, tolerance);
  } else {
    change.outcome = outcome_without_reading(*old_record, *new_record);
  }
  return change;
}

/// The cases of all reports, each with the records of it and nothing else yet.
std::vector<ComparedCase> cases_in(std::span<const NamedReport> reports) {
  std::vector<ComparedCase> cases;
  const auto reading_of = [&](std::size_t n, std::size_t index) {
    return CaseReading{.index = index, .record = &reports[n].report.results[index], .estimate = {}};
  };
  const auto add = [&](std::size_t n, std::size_t index) {
    ComparedCase& added = cases.emplace_back();
    added.record = &reports[n].report.results[index];
    added.readings.resize(reports.size());
    added.readings[n] = reading_of(n, index);
  };
  const std::vector<Record>& old_results = reports.front().report.results;
  for (std::size_t i = 0; i < old_results.size(); ++i) add(0, i);
  for (std::size_t n = 1; n < reports.size(); ++n) {
    const std::vector<Record>& results = reports[n].report.results;
    Partners partner = pair_cases(old_results, results);
    pair_kernels_by_place(old_results, results, partner);
    std::vector<bool> known(results.size(), false);
    for (std::size_t i = 0; i < partner.size(); ++i) {
      if (!partner[i]) continue;
      cases[i].readings[n] = reading_of(n, *partner[i]);
      known[*partner[i]] = true;
    }
    // Cases that only a NEW has get rows of their own, even if another NEW has the same case.
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (!known[i]) add(n, i);
    }
  }
  return cases;
}

bool is_selected(const ComparedCase& compared, const Selection& selection) {
  const auto first = std::ranges::find_if(compared.readings, [](const auto& reading) { return reading.has_value(); });
  return std::ranges::any_of(compared.readings, [&](const auto& reading) {
    return reading && selects(selection, *reading->record, (*first)->index);
  });
}

void fill(ComparedCase& compared, const Comparison& comparison) {
  compared.quantity = common_quantity(comparison.reports, compared);
  for (std::size_t n = 0; compared.quantity && n < comparison.reports.size(); ++n) {
    if (auto& reading = compared.readings[n]) {
      reading->estimate = estimate_of(comparison.reports[n].report, *reading->record, compared.quantity->name);
    }
  }
  for (std::size_t n = 0; n < comparison.new_reports(); ++n) {
    compared.changes.push_back(change_of(compared, n, comparison.tolerance));
  }
}

/// Names each case by what tells it from others of its probe.
void label_cases(Comparison& comparison) {
  Cases cases;
  for (const ComparedCase& compared : comparison.cases) cases.push_back(compared.record);
  const auto telling = varying_by_probe(cases);
  for (ComparedCase& compared : comparison.cases) {
    const Record& record = *compared.record;
    std::set<std::string> own = telling.at(record.probe);
    for (const std::string& chosen : record.chosen) own.erase(chosen);
    const std::string position = parameter_words(record, own);
    const bool said = telling.size() == 1 || position.starts_with(record.probe);  // "offset 3" is of the probe offset
    if (is_kernel(record)) {
      compared.label = comparison.kernels.words(record);
    } else if (position.empty()) {
      compared.label = one_line(record.probe);
    } else {
      compared.label = said ? position : one_line(record.probe) + ", " + position;
    }
  }
}

std::string in_words(const std::string& parameter, const std::optional<Value>& value) {
  return value ? value_text({parameter, *value}) : "";
}

/// Shapes that differ, each pair of values once.
std::vector<Difference> differing_shapes(const Comparison& comparison, std::size_t which) {
  std::vector<Difference> all;
  for (const ComparedCase& compared : comparison.cases) {
    if (compared.changes[which].by_place) continue;  // said in a line of its own
    for (const auto& [parameter, old_value, new_value] : compared.changes[which].shape) {
      all.push_back({.member = "results.parameters." + parameter,
                     .what = parameter_noun(parameter),
                     .old_value = in_words(parameter, old_value),
                     .new_value = in_words(parameter, new_value)});
    }
  }
  std::vector<Difference> found;
  for (const auto& [difference, alike] : grouped(all, std::identity())) {
    found.push_back(difference);
    found.back().cases = alike.size();
  }
  return found;
}

/// Returns the flags that different numbers of cases have in OLD and in NEW. Counts only cases that both reports have.
std::vector<Difference> differing_flags(const Comparison& comparison, std::size_t which) {
  std::map<std::string, std::pair<std::size_t, std::size_t>> counts;
  for (const ComparedCase& compared : comparison.cases) {
    if (!compared.in_both(which)) continue;
    for (const std::string& flag : compared.readings.front()->record->flags) ++counts[flag].first;
    for (const std::string& flag : compared.readings[which + 1]->record->flags) ++counts[flag].second;
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
  Comparison comparison{.reports = reports,
                        .tolerance = tolerance,
                        .cases = cases_in(reports),
                        .kernels = KernelPlaces(kernels_of(reports), longest_name)};
  std::erase_if(comparison.cases, [&](const ComparedCase& compared) { return !is_selected(compared, selection); });
  for (ComparedCase& compared : comparison.cases) fill(compared, comparison);
  label_cases(comparison);
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
