#include "report/explain/conclusions.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "report/record/cases.hpp"
#include "report/record/readings.hpp"

namespace gpumem::report {

namespace {

/// Nothing where the case did not run or has no headline of that kind, or is no case of the probe as it is now.
std::optional<Outcome> outcome_of(const Record& record, const Probe& probe, bool measured) {
  const auto headline = positive_headline(record, measured);
  if (record.status != Status::ok || record.headline.quantity != probe.headline.quantity.name) return std::nullopt;
  if (!headline || !case_of(record, probe)) return std::nullopt;
  const auto seconds = measured && record.time ? record.time->summary.median.count() : record.predicted_s.value_or(0);
  if (probe.headline.from_seconds && !(seconds > 0)) return std::nullopt;
  Outcome outcome{.one = {.probe = &probe, .parameters = record.parameters},
                  .headline = *headline,
                  .seconds = seconds,
                  .bytes_per_s = bandwidth_of(record, measured).value_or(0) / per_giga};
  for (const MetricRecord& metric : record.metrics) {
    if (const auto value = measured ? metric.measured : metric.predicted) {
      outcome.metrics.emplace_back(metric.name, *value);
    }
  }
  return outcome;
}

/// What the probe concludes from a table's measured or predicted values, its outcomes being indices into the results.
std::optional<Conclusion> concluded(std::span<const Record> results, const Members& table, const Probe& probe,
                                    bool measured) {
  std::vector<Outcome> outcomes;
  Members ran;
  for (const std::size_t member : table) {
    if (auto outcome = outcome_of(results[member], probe, measured)) {
      outcomes.push_back(*std::move(outcome));
      ran.push_back(member);
    }
  }
  if (outcomes.empty()) return std::nullopt;
  Conclusion conclusion = probe.conclude(outcomes);
  for (Conclusion::Found& found : conclusion.found) {
    for (std::size_t& index : found.outcomes) index = ran.at(index);
  }
  return conclusion;
}

/// The numbers of a table, with those of the same cases in one record.
class Gathered {
 public:
  Gathered(const std::string& probe, const Members& table, std::string advice) {
    all_.push_back({.probe = probe, .cases = table, .advice = std::move(advice), .quantities = {}});
  }

  void add(const Conclusion& conclusion, std::optional<double> MetricRecord::*reading) {
    for (const Conclusion::Found& found : conclusion.found) {
      auto& quantities = of(found.outcomes).quantities;
      auto quantity = std::ranges::find(quantities, found.name, &MetricRecord::name);
      if (quantity == quantities.end()) quantity = quantities.insert(quantity, {found.name, {}, {}});
      (*quantity).*reading = found.value;
    }
  }

  [[nodiscard]] std::vector<ConclusionRecord> take() && { return std::move(all_); }

 private:
  ConclusionRecord& of(const Members& cases) {
    const auto same = std::ranges::find(all_, cases, &ConclusionRecord::cases);
    if (same != all_.end()) return *same;
    return all_.emplace_back(ConclusionRecord{all_.front().probe, cases, "", {}});
  }

  std::vector<ConclusionRecord> all_;
};

}  // namespace

std::vector<ConclusionRecord> conclusions(std::span<const Record> results, const ProbeLookup& find) {
  std::vector<ConclusionRecord> all;
  for (const Members& table : tables(results)) {
    const Probe* probe = find(results[table.front()].probe);
    if (probe == nullptr || !probe->conclude) continue;
    const auto measured = concluded(results, table, *probe, true);
    const auto predicted = concluded(results, table, *probe, false);
    if (!measured && !predicted) continue;
    Gathered gathered(probe->name, table, measured ? measured->advice : predicted->advice);
    if (measured) gathered.add(*measured, &MetricRecord::measured);
    if (predicted) gathered.add(*predicted, &MetricRecord::predicted);
    std::ranges::move(std::move(gathered).take(), std::back_inserter(all));
  }
  std::erase_if(all, [](const ConclusionRecord& one) { return one.advice.empty() && one.quantities.empty(); });
  return all;
}

std::string advice_on(const Members& table, std::span<const ConclusionRecord> conclusions) {
  const auto found = std::ranges::find_if(
      conclusions, [&](const ConclusionRecord& one) { return one.cases == table && !one.advice.empty(); });
  return found == conclusions.end() ? "" : found->advice;
}

}  // namespace gpumem::report
