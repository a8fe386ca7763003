#include "report/compare/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "probes/words.hpp"
#include "report/compare/pair_cases.hpp"
#include "report/record/cases.hpp"
#include "report/record/readings.hpp"
#include "report/text/names.hpp"
#include "report/text/text.hpp"

namespace gpumem::report {

namespace {

constexpr const char* time_name = "time_seconds";

constexpr std::array<std::string_view, 12> outcome_names = {"same",    "faster",     "slower",  "ambiguous",
                                                            "failed",  "wrong_data", "skipped", "recovered",
                                                            "not_run", "unread",     "missing", "added"};

/// As in the report of an empty case where the time has no interval.
Estimate time_of(const measure::Summary& time) {
  Estimate estimate{.value = time.median.count(), .low = {}, .high = {}};
  if (time.count >= measure::fewest_samples && time.ci95_low.count() > 0) {
    estimate.low = time.ci95_low.count();
    estimate.high = time.ci95_high.count();
  }
  return estimate;
}

/// A prediction is exact.
Estimate exact(double value) { return {.value = value, .low = value, .high = value}; }

/// What a record says of a quantity, measured or, in a prediction, predicted.
std::optional<Estimate> estimate_of(const Report& report, const Record& record, const ComparedQuantity& quantity) {
  if (!record.ran()) return std::nullopt;
  const HeadlineRecord& headline = record.headline;
  if (quantity.name == headline.quantity) {
    const auto value = positive_headline(record, !report.is_prediction());
    if (!value) return std::nullopt;
    if (report.is_prediction()) return exact(*value);
    const bool known = positive(headline.ci95_low) && positive(headline.ci95_high);
    return Estimate{.value = *value,
                    .low = known ? headline.ci95_low : std::nullopt,
                    .high = known ? headline.ci95_high : std::nullopt};
  }
  if (quantity.name == bandwidth_name) {
    const auto value = bandwidth_of(record, !report.is_prediction());
    return positive(value) ? std::optional(Estimate{.value = *value, .low = {}, .high = {}}) : std::nullopt;
  }
  if (quantity.name != time_name || !record.time || !positive(record.time->summary.median.count())) {
    return std::nullopt;
  }
  return time_of(record.time->summary);
}

/// What the cases of several reports are compared by: the headline of the first that has one and that another has too,
/// else their bandwidth, else the time.
std::optional<ComparedQuantity> common_quantity(std::span<const NamedReport> reports,
                                                std::span<const Record* const> records) {
  std::vector<ComparedQuantity> candidates;
  for (const Record* record : records) {
    if (record == nullptr) continue;
    const HeadlineRecord& headline = record->headline;
    const Better better = headline.better == Better::neither ? Better::more : headline.better;
    candidates.push_back({headline.quantity, better});
  }
  candidates.push_back({std::string(bandwidth_name), Better::more});
  candidates.push_back({time_name, Better::less});
  std::optional<ComparedQuantity> only_one;
  for (const ComparedQuantity& candidate : candidates) {
    std::size_t have = 0;
    for (std::size_t i = 0; i < records.size(); ++i) {
      if (records[i] != nullptr && estimate_of(reports[i].report, *records[i], candidate)) ++have;
    }
    if (have > 1) return candidate;
    if (have == 1 && !only_one) only_one = candidate;
  }
  return only_one;
}

CaseReading reading_of(const Report& report, std::size_t index, const std::optional<ComparedQuantity>& quantity) {
  const Record& record = report.results[index];
  return {
      .index = index, .record = &record, .estimate = quantity ? estimate_of(report, record, *quantity) : std::nullopt};
}

std::optional<Value> value_in(const Record& record, const std::string& parameter) {
  const Parameter* found = find_parameter(record, parameter);
  return found == nullptr ? std::nullopt : std::optional(found->value);
}

std::vector<ShapeChange> shape_changes(const Record& old_record, const Record& new_record) {
  std::vector<ShapeChange> changes;
  for (const auto& [name, value] : old_record.parameters) {
    const auto other = value_in(new_record, name);
    if (other != value) changes.push_back({name, value, other});
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

CaseChange change_of(const ComparedCase& one, CaseReading reading, double tolerance) {
  CaseChange change;
  change.shape = shape_changes(*one.old_reading->record, *reading.record);
  change.metrics = metric_changes(*one.old_reading->record, *reading.record);
  if (one.old_reading->estimate && reading.estimate) {
    change.speed = speed_ratio(*one.old_reading->estimate, *reading.estimate, one.quantity->better);
    change.outcome = judged(*change.speed, tolerance);
  } else {
    change.outcome = outcome_without_reading(*one.old_reading->record, *reading.record);
  }
  change.reading = std::move(reading);
  return change;
}

/// Where a case stands in the results of each report, OLD first; absent where it does not.
using Places = std::vector<std::optional<std::size_t>>;

/// What the reports have at these places, or null.
std::vector<const Record*> records_at(std::span<const NamedReport> reports, const Places& places) {
  std::vector<const Record*> records;
  for (std::size_t i = 0; i < places.size(); ++i) {
    records.push_back(places[i] ? &reports[i].report.results[*places[i]] : nullptr);
  }
  return records;
}

std::vector<Places> places_of(std::span<const NamedReport> reports) {
  std::vector<Places> all(reports.front().report.results.size(), Places(reports.size()));
  for (std::size_t i = 0; i < all.size(); ++i) all[i].front() = i;
  for (std::size_t n = 1; n < reports.size(); ++n) {
    const std::vector<Record>& results = reports[n].report.results;
    const auto partner = pair_cases(reports.front().report.results, results);
    std::vector<bool> known(results.size(), false);
    for (std::size_t i = 0; i < partner.size(); ++i) {
      all[i][n] = partner[i];
      if (partner[i]) known[*partner[i]] = true;
    }
    // Each NEW's own cases are cases of their own, also where another NEW has the same.
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (!known[i]) all.emplace_back(reports.size())[n] = i;
    }
  }
  return all;
}

bool is_selected(const std::vector<const Record*>& records, const Places& places, const Selection& selection) {
  const std::size_t position = **std::ranges::find_if(places, [](const auto& place) { return place.has_value(); });
  return std::ranges::any_of(
      records, [&](const Record* record) { return record != nullptr && selects(selection, *record, position); });
}

ComparedCase case_at(const Comparison& comparison, const Places& places, const std::vector<const Record*>& records) {
  const std::span<const NamedReport> reports = comparison.reports;
  ComparedCase one{.record = *std::ranges::find_if(records, [](const Record* record) { return record != nullptr; }),
                   .quantity = common_quantity(reports, records),
                   .old_reading = {},
                   .changes = std::vector<CaseChange>(comparison.news())};
  if (places.front()) one.old_reading = reading_of(reports.front().report, *places.front(), one.quantity);
  for (std::size_t n = 1; n < places.size(); ++n) {
    if (!places[n]) continue;
    CaseReading reading = reading_of(reports[n].report, *places[n], one.quantity);
    CaseChange& change = one.changes[n - 1];
    if (one.old_reading) {
      change = change_of(one, std::move(reading), comparison.tolerance);
    } else {
      change.reading = std::move(reading);
      change.outcome = CaseVerdict::added;
    }
  }
  return one;
}

std::string in_words(const std::string& parameter, const std::optional<Value>& value) {
  return value ? value_text({parameter, *value}) : "";
}

/// Shapes that differ, each pair of values once.
std::vector<Difference> differing_shapes(const Comparison& comparison, std::size_t which) {
  std::vector<Difference> found;
  for (const ComparedCase& one : comparison.cases) {
    for (const ShapeChange& change : one.changes[which].shape) {
      Difference difference{.member = "results.parameters." + change.parameter,
                            .what = parameter_noun(change.parameter).singular,
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

/// How many of the cases that both have bear each flag, in OLD and in NEW.
std::vector<Difference> differing_flags(const Comparison& comparison, std::size_t which) {
  std::map<std::string, std::pair<std::size_t, std::size_t>> counts;
  for (const ComparedCase& one : comparison.cases) {
    const CaseChange& change = one.changes[which];
    if (!one.old_reading || !change.reading) continue;
    for (const std::string& flag : one.old_reading->record->flags) ++counts[flag].first;
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
  Comparison comparison{.tool_version = {}, .reports = reports, .tolerance = tolerance, .cases = {}, .differences = {}};
  for (const Places& places : places_of(reports)) {
    const std::vector<const Record*> records = records_at(reports, places);
    if (is_selected(records, places, selection)) comparison.cases.push_back(case_at(comparison, places, records));
  }
  for (std::size_t n = 0; n < comparison.news(); ++n) {
    std::vector<Difference> found = differences(reports.front().report, reports[n + 1].report);
    std::ranges::move(differing_shapes(comparison, n), std::back_inserter(found));
    std::ranges::move(differing_flags(comparison, n), std::back_inserter(found));
    std::ranges::stable_partition(found, [](const Difference& one) { return !one.minor; });
    comparison.differences.push_back(std::move(found));
  }
  return comparison;
}

std::size_t CaseTally::compared() const {
  const CaseTally& count = *this;
  return count[CaseVerdict::same] + count[CaseVerdict::faster] + count[CaseVerdict::slower] +
         count[CaseVerdict::ambiguous];
}

CaseTally tally(const Comparison& comparison, std::size_t which) {
  CaseTally counts;
  counts.counts.assign(outcome_names.size(), 0);
  const auto speed = [&](const ComparedCase* one) { return one->changes[which].speed->value; };
  for (const ComparedCase& one : comparison.cases) {
    const CaseChange& change = one.changes[which];
    if (!one.old_reading && !change.reading) continue;  // another NEW's
    ++counts.counts[static_cast<std::size_t>(change.outcome)];
    if (change.speed && !change.speed->low) ++counts.too_few_samples;
    if (change.outcome == CaseVerdict::slower && (counts.slowest == nullptr || speed(&one) < speed(counts.slowest))) {
      counts.slowest = &one;
    }
    if (change.outcome == CaseVerdict::faster && (counts.fastest == nullptr || speed(&one) > speed(counts.fastest))) {
      counts.fastest = &one;
    }
  }
  return counts;
}

bool is_reshaped(const CaseChange& change) {
  return std::ranges::any_of(change.shape, [](const ShapeChange& one) {
    return one.old_value && one.new_value && !one.parameter.ends_with("_bytes");
  });
}

namespace {

/// The first case that NEW broke, and why; empty if there is none.
std::string broken_words(const Comparison& comparison, std::size_t which, const CaseTally& counts) {
  std::vector<std::string> parts;
  if (counts[CaseVerdict::failed] > 0) parts.push_back(counted(counts[CaseVerdict::failed], "case") + " failed");
  if (counts[CaseVerdict::wrong_data] > 0) {
    parts.push_back(counted(counts[CaseVerdict::wrong_data], "case") + " moved wrong data");
  }
  const auto first = std::ranges::find_if(comparison.cases, [&](const ComparedCase& one) {
    const CaseVerdict outcome = one.changes[which].outcome;
    return outcome == CaseVerdict::failed || outcome == CaseVerdict::wrong_data;
  });
  if (first == comparison.cases.end()) return {};
  const std::optional<std::string>& reason = first->changes[which].reading->record->reason;
  return fmt::format("{} (first: {}{})", join(parts, ", "), case_name(comparison, *first),
                     reason ? ": " + one_line(*reason) : "");
}

}  // namespace

Gate gate(const Comparison& comparison, std::size_t which, double share) {
  Gate result;
  std::size_t sure = 0;
  std::size_t held = 0;  // that could have failed
  const ComparedCase* worst = nullptr;
  for (const ComparedCase& one : comparison.cases) {
    const CaseChange& change = one.changes[which];
    if (!change.speed) continue;
    const bool slower = change.speed->high && *change.speed->high < 1 - share;
    const bool maybe = !slower && (!change.speed->low || *change.speed->low < 1 - share);
    if (is_reshaped(change)) {
      result.reshaped += slower ? 1 : 0;
      continue;
    }
    ++held;
    sure += slower ? 1 : 0;
    result.undecided += maybe ? 1 : 0;
    if (slower && (worst == nullptr || change.speed->value < worst->changes[which].speed->value)) worst = &one;
  }
  const CaseTally counts = tally(comparison, which);
  std::vector<std::string> reasons;
  if (worst != nullptr) {
    reasons.push_back(fmt::format("{} slower by more than {} % (worst: {}: {})", counted(sure, "case"),
                                  trimmed(share * 100, 3), case_name(comparison, *worst),
                                  change_words(worst->changes[which].speed->value)));
  }
  if (std::string broken = broken_words(comparison, which, counts); !broken.empty()) reasons.push_back(broken);
  if (held == 0) {
    reasons.emplace_back(counts.compared() == 0 ? "nothing could be compared"
                                                : "nothing could be compared in the same launch shape");
  }
  if (!reasons.empty()) result.failure = join(reasons, ", ");
  return result;
}

std::string case_name(const Comparison& comparison, const ComparedCase& one) {
  Cases same_probe;
  bool others = false;
  for (const ComparedCase& other : comparison.cases) {
    if (other.record->probe == one.record->probe) {
      same_probe.push_back(other.record);
    } else {
      others = true;
    }
  }
  std::set<std::string> telling = varying(same_probe);
  for (const std::string& chosen : one.record->chosen) telling.erase(chosen);
  const std::string position = place_words(*one.record, telling);
  if (position.empty()) return one_line(one.record->probe);
  const bool said = position.starts_with(one.record->probe);  // "offset 3" is of the probe offset
  return others && !said ? one_line(one.record->probe) + ", " + position : position;
}

std::string new_label(const Comparison& comparison, std::size_t which) {
  return comparison.news() == 1 ? "new" : fmt::format("new {}", which + 1);
}

std::string change_words(double ratio) {
  const double percent = (ratio - 1) * 100;
  const int decimals = std::abs(percent) < 0.95 ? 2 : 1;
  return fmt::format("{:+.{}f} %", percent, decimals);
}

}  // namespace gpumem::report
