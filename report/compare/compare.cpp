#include "report/compare/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>

#include "report/compare/pair_cases.hpp"
#include "report/record/cases.hpp"
#include "report/text/names.hpp"
#include "report/text/text.hpp"

namespace gpumem::report {

namespace {

constexpr std::array<std::string_view, 12> outcome_names = {"same",    "faster",     "slower",  "ambiguous",
                                                            "failed",  "wrong_data", "skipped", "recovered",
                                                            "not_run", "unread",     "missing", "added"};

/// Fewer samples have no 95 % confidence interval of the median (measure::summarise).
constexpr std::size_t fewest_samples = 6;

bool is_prediction(const Report& report) { return report.backend == "model"; }

bool ran(const Record& record) { return record.status == Status::ok && record.verified != false; }

/// As in the report of an empty case where the time has no interval.
Estimate time_of(const measure::Summary& time) {
  Estimate estimate{.value = time.median.count(), .low = {}, .high = {}};
  if (time.count >= fewest_samples && time.ci95_low.count() > 0) {
    estimate.low = time.ci95_low.count();
    estimate.high = time.ci95_high.count();
  }
  return estimate;
}

/// A bandwidth is useful bytes over time, whose interval it has turned round.
Estimate bandwidth_of(double gb_per_s, const std::optional<TimeRecord>& time) {
  Estimate estimate{.value = gb_per_s, .low = {}, .high = {}};
  if (!time) return estimate;
  const Estimate seconds = time_of(time->summary);
  if (!seconds.low || !(seconds.value > 0)) return estimate;
  estimate.low = gb_per_s * seconds.value / *seconds.high;
  estimate.high = gb_per_s * seconds.value / *seconds.low;
  return estimate;
}

std::optional<ComparedQuantity> quantity_of(const Report& report, const Record& record) {
  if (!ran(record)) return std::nullopt;
  const auto bandwidth = is_prediction(report) ? record.predicted_gb_per_s : record.measured_gb_per_s;
  if (bandwidth && *bandwidth > 0) return ComparedQuantity::bandwidth;
  if (record.time && record.time->summary.median.count() > 0) return ComparedQuantity::time;
  return std::nullopt;
}

CaseReading reading_of(const Report& report, std::size_t index, std::optional<ComparedQuantity> quantity) {
  const Record& record = report.results[index];
  CaseReading reading{.index = index, .record = &record, .estimate = {}};
  if (!quantity || !ran(record)) return reading;
  if (*quantity == ComparedQuantity::time) {
    if (record.time && record.time->summary.median.count() > 0) reading.estimate = time_of(record.time->summary);
  } else if (is_prediction(report)) {
    const auto value = record.predicted_gb_per_s;
    if (value && *value > 0) reading.estimate = Estimate{.value = *value, .low = *value, .high = *value};
  } else if (const auto value = record.measured_gb_per_s; value && *value > 0) {
    reading.estimate = bandwidth_of(*value, record.time);
  }
  return reading;
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

CaseOutcome outcome_without_reading(const Record& old_record, const Record& new_record) {
  if (!ran(old_record)) return ran(new_record) ? CaseOutcome::recovered : CaseOutcome::not_run;
  if (ran(new_record)) return CaseOutcome::unread;
  if (new_record.verified == false) return CaseOutcome::wrong_data;
  return new_record.status == Status::failed ? CaseOutcome::failed : CaseOutcome::skipped;
}

CaseChange change_of(const ComparedCase& one, CaseReading reading, double tolerance) {
  CaseChange change;
  change.shape = shape_changes(*one.old_reading->record, *reading.record);
  if (one.old_reading->estimate && reading.estimate) {
    change.speed = speed_ratio(*one.old_reading->estimate, *reading.estimate, *one.quantity);
    change.outcome = judged(*change.speed, tolerance);
  } else {
    change.outcome = outcome_without_reading(*one.old_reading->record, *reading.record);
  }
  change.reading = std::move(reading);
  return change;
}

/// A quantity that the case has in OLD, else in the first NEW that has one.
std::optional<ComparedQuantity> common_quantity(std::span<const NamedReport> reports, const ComparedCase& one,
                                                std::span<const std::optional<std::size_t>> places) {
  if (auto quantity = quantity_of(reports.front().report, *one.record)) return quantity;
  for (std::size_t n = 0; n < places.size(); ++n) {
    if (!places[n]) continue;
    const Report& report = reports[n + 1].report;
    if (auto quantity = quantity_of(report, report.results[*places[n]])) return quantity;
  }
  return std::nullopt;
}

void add_cases_of_old(Comparison& comparison, const std::vector<std::vector<std::optional<std::size_t>>>& partners) {
  const Report& old_report = comparison.reports.front().report;
  for (std::size_t i = 0; i < old_report.results.size(); ++i) {
    ComparedCase one{.record = &old_report.results[i], .quantity = {}, .old_reading = {}, .changes = {}};
    std::vector<std::optional<std::size_t>> places;
    for (const auto& partner : partners) places.push_back(partner[i]);
    one.quantity = common_quantity(comparison.reports, one, places);
    one.old_reading = reading_of(old_report, i, one.quantity);
    for (std::size_t n = 0; n < places.size(); ++n) {
      if (!places[n]) {
        one.changes.emplace_back();
        continue;
      }
      CaseReading reading = reading_of(comparison.reports[n + 1].report, *places[n], one.quantity);
      one.changes.push_back(change_of(one, std::move(reading), comparison.tolerance));
    }
    comparison.cases.push_back(std::move(one));
  }
}

/// Each NEW's own cases are cases of their own, also where another NEW has the same.
void add_cases_of_new(Comparison& comparison, std::size_t which,
                      const std::vector<std::optional<std::size_t>>& partner) {
  const Report& report = comparison.reports[which + 1].report;
  std::vector<bool> known(report.results.size(), false);
  for (const auto& index : partner) {
    if (index) known[*index] = true;
  }
  for (std::size_t i = 0; i < report.results.size(); ++i) {
    if (known[i]) continue;
    ComparedCase one{.record = &report.results[i],
                     .quantity = quantity_of(report, report.results[i]),
                     .old_reading = {},
                     .changes = std::vector<CaseChange>(comparison.news())};
    one.changes[which] = {
        .reading = reading_of(report, i, one.quantity), .outcome = CaseOutcome::added, .speed = {}, .shape = {}};
    comparison.cases.push_back(std::move(one));
  }
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

std::string_view to_string(CaseOutcome outcome) { return outcome_names.at(static_cast<std::size_t>(outcome)); }

Estimate speed_ratio(const Estimate& old_value, const Estimate& new_value, ComparedQuantity quantity) {
  if (quantity == ComparedQuantity::time) {  // the speed of NEW over OLD is the time of OLD over NEW
    return speed_ratio(new_value, old_value, ComparedQuantity::bandwidth);
  }
  Estimate ratio{.value = new_value.value / old_value.value, .low = {}, .high = {}};
  if (!old_value.low || !new_value.low) return ratio;
  const double down =
      std::hypot(log_ratio(new_value.value, *new_value.low), log_ratio(*old_value.high, old_value.value));
  const double up = std::hypot(log_ratio(*new_value.high, new_value.value), log_ratio(old_value.value, *old_value.low));
  ratio.low = ratio.value * std::exp(-down);
  ratio.high = ratio.value * std::exp(up);
  return ratio;
}

CaseOutcome judged(const Estimate& speed, double tolerance) {
  if (!speed.low || !speed.high) return CaseOutcome::ambiguous;
  if (*speed.low > 1 + tolerance) return CaseOutcome::faster;
  if (*speed.high < 1 - tolerance) return CaseOutcome::slower;
  return *speed.low >= 1 - tolerance && *speed.high <= 1 + tolerance ? CaseOutcome::same : CaseOutcome::ambiguous;
}

Comparison compare(std::span<const NamedReport> reports, double tolerance) {
  Comparison comparison{.tool_version = {}, .reports = reports, .tolerance = tolerance, .cases = {}, .differences = {}};
  std::vector<std::vector<std::optional<std::size_t>>> partners;
  for (const NamedReport& one : reports.subspan(1)) {
    partners.push_back(pair_cases(reports.front().report.results, one.report.results));
  }
  add_cases_of_old(comparison, partners);
  for (std::size_t n = 0; n < partners.size(); ++n) add_cases_of_new(comparison, n, partners[n]);
  for (std::size_t n = 0; n < partners.size(); ++n) {
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
  return count[CaseOutcome::same] + count[CaseOutcome::faster] + count[CaseOutcome::slower] +
         count[CaseOutcome::ambiguous];
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
    if (change.outcome == CaseOutcome::slower && (counts.slowest == nullptr || speed(&one) < speed(counts.slowest))) {
      counts.slowest = &one;
    }
    if (change.outcome == CaseOutcome::faster && (counts.fastest == nullptr || speed(&one) > speed(counts.fastest))) {
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

/// Cases slower than a gate allows, the slowest of them, and what it cannot tell.
struct Slowdowns {
  std::size_t sure = 0;
  const ComparedCase* worst = nullptr;
  std::size_t undecided = 0;
  std::size_t reshaped = 0;
  std::size_t held = 0;  ///< cases that could have failed
};

Slowdowns slowdowns(const Comparison& comparison, std::size_t which, double share) {
  Slowdowns found;
  for (const ComparedCase& one : comparison.cases) {
    const CaseChange& change = one.changes[which];
    if (!change.speed) continue;
    const bool sure = change.speed->high && *change.speed->high < 1 - share;
    const bool possible = !change.speed->low || *change.speed->low < 1 - share;
    if (is_reshaped(change)) {
      found.reshaped += sure ? 1 : 0;
      continue;
    }
    ++found.held;
    if (!sure) {
      found.undecided += possible ? 1 : 0;
      continue;
    }
    ++found.sure;
    if (found.worst == nullptr || change.speed->value < found.worst->changes[which].speed->value) found.worst = &one;
  }
  return found;
}

/// The first case that NEW broke, and why; empty if there is none.
std::string broken_words(const Comparison& comparison, std::size_t which, const CaseTally& counts) {
  std::vector<std::string> parts;
  if (counts[CaseOutcome::failed] > 0) parts.push_back(counted(counts[CaseOutcome::failed], "case") + " failed");
  if (counts[CaseOutcome::wrong_data] > 0) {
    parts.push_back(counted(counts[CaseOutcome::wrong_data], "case") + " moved wrong data");
  }
  const auto first = std::ranges::find_if(comparison.cases, [&](const ComparedCase& one) {
    const CaseOutcome outcome = one.changes[which].outcome;
    return outcome == CaseOutcome::failed || outcome == CaseOutcome::wrong_data;
  });
  if (first == comparison.cases.end()) return {};
  const std::optional<std::string>& reason = first->changes[which].reading->record->reason;
  return fmt::format("{} (first: {}{})", join(parts, ", "), case_name(comparison, *first),
                     reason ? ": " + one_line(*reason) : "");
}

}  // namespace

Gate gate(const Comparison& comparison, std::size_t which, double share) {
  const Slowdowns slow = slowdowns(comparison, which, share);
  const CaseTally counts = tally(comparison, which);
  std::vector<std::string> reasons;
  if (slow.sure > 0) {
    reasons.push_back(fmt::format("{} slower by more than {} % (worst: {}: {})", counted(slow.sure, "case"),
                                  trimmed(share * 100, 3), case_name(comparison, *slow.worst),
                                  change_words(slow.worst->changes[which].speed->value)));
  }
  if (std::string broken = broken_words(comparison, which, counts); !broken.empty()) reasons.push_back(broken);
  if (slow.held == 0) {
    reasons.emplace_back(counts.compared() == 0 ? "nothing could be compared"
                                                : "nothing could be compared in the same launch shape");
  }
  Gate result{.failure = {}, .undecided = slow.undecided, .reshaped = slow.reshaped};
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
  std::vector<std::string> parts;
  for (const Parameter& parameter : one.record->parameters) {
    if (is_chosen(*one.record, parameter.name) || !varies(same_probe, parameter.name)) continue;
    parts.push_back(parameter.name == "op" ? parameter_phrase(parameter) : position_phrase(parameter));
  }
  const std::string position = join(parts, ", ");
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
