#include "report/explain/conclusions.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "report/record/cases.hpp"
#include "report/record/readings.hpp"

namespace gpumem::report {

namespace {

/// Nothing where the case did not run or has no bandwidth, or is no case of the probe as it is now.
std::optional<Outcome> outcome_of(const Record& record, const Probe& probe) {
  const auto seconds = seconds_of(record);
  const auto gb_per_s = record.headline_gb_per_s();
  if (record.status != Status::ok || !case_of(record, probe)) return std::nullopt;
  if (!seconds || !(*seconds > 0) || !gb_per_s || !(*gb_per_s > 0) || !std::isfinite(*gb_per_s)) return std::nullopt;
  Outcome outcome{
      .one = {.probe = &probe, .parameters = record.parameters}, .seconds = *seconds, .bytes_per_s = *gb_per_s * 1e9};
  for (const MetricRecord& metric : record.metrics) {
    if (metric.value) outcome.metrics.emplace_back(metric.name, *metric.value);
  }
  return outcome;
}

}  // namespace

std::optional<Conclusion> conclusion_of(std::span<const Record> results, const Members& table,
                                        const ProbeLookup& find) {
  const Probe* probe = find(results[table.front()].probe);
  if (probe == nullptr || !probe->conclude) return std::nullopt;
  std::vector<Outcome> outcomes;
  Members ran;
  for (const std::size_t member : table) {
    if (auto outcome = outcome_of(results[member], *probe)) {
      outcomes.push_back(*std::move(outcome));
      ran.push_back(member);
    }
  }
  if (outcomes.empty()) return std::nullopt;
  Conclusion conclusion = probe->conclude(outcomes);
  for (Conclusion::MetricOfCase& metric : conclusion.metrics) metric.outcome = ran.at(metric.outcome);
  return conclusion;
}

void conclude(std::vector<Record>& results, const ProbeLookup& find) {
  for (const Members& table : tables(results)) {
    const auto conclusion = conclusion_of(results, table, find);
    if (!conclusion) continue;
    for (const auto& [member, name, value] : conclusion->metrics) {
      auto& metrics = results[member].metrics;
      const auto metric = std::ranges::find(metrics, name, &MetricRecord::name);
      if (metric != metrics.end()) metric->value = value;
    }
  }
}

}  // namespace gpumem::report
