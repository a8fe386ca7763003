// Conclusions of the probes from the cases of a table: facts, and numbers that only several cases together give, for
// example the fixed cost of a transfer.

#include <algorithm>
#include <optional>
#include <utility>

#include "report/explain/explain.hpp"
#include "report/explain/say.hpp"
#include "report/record/cases.hpp"
#include "report/record/gpus.hpp"
#include "report/record/readings.hpp"
#include "report/record/sweep.hpp"

namespace gpumem::report {

namespace {

/// Returns the predicted costs of requests, or the counted ones if none were predicted.
PerRequest cost_of(const Record& record, std::string_view unit) {
  const PerRequest predicted = per_request(record, unit, Source::predicted);
  return predicted.any() ? predicted : per_request(record, unit, Source::counted);
}

/// Returns nullopt if the case did not run, has no headline of that kind, or is no case of the probe as it is now.
/// Reads no files: those of a report from elsewhere are not here.
std::optional<Outcome> outcome_of(const Record& record, const Probe& probe, bool measured) {
  const auto headline = positive_headline(record, measured);
  if (record.status != Status::ok || record.headline.quantity != probe.headline.quantity.name) return std::nullopt;
  const auto tested = case_of(record, probe, !probe.reads_files);
  if (!headline || !tested) return std::nullopt;
  const auto seconds = measured && record.time ? record.time->summary.median.count() : record.predicted_s.value_or(0);
  if (probe.headline.from_seconds && !(seconds > 0)) return std::nullopt;
  Outcome outcome{.tested = {.probe = &probe, .parameters = record.parameters},
                  .headline = *headline,
                  .predicted = measured ? positive_headline(record, false) : std::nullopt,
                  .seconds = seconds,
                  .bytes_per_s = bandwidth_of(record, measured).value_or(0) / per_giga,
                  .share_of_peak = record.fraction_of_peak,
                  .sectors = cost_of(record, sectors),
                  .wavefronts = cost_of(record, wavefronts),
                  .limit = record.bottleneck ? record.bottleneck->predicted : ""};
  for (const Parameter& parameter : tested->parameters) {  // with those that older versions had no axis for
    if (find_parameter(record, parameter.name) == nullptr) outcome.tested.parameters.push_back(parameter);
  }
  if (measured && record.headline.ci95_low && record.headline.ci95_high) {
    outcome.interval = {*record.headline.ci95_low, *record.headline.ci95_high};
  }
  for (const MetricRecord& metric : record.metrics) {
    if (const auto value = measured ? metric.measured : metric.predicted) {
      outcome.metrics.emplace_back(metric.name, *value);
    }
  }
  return outcome;
}

/// Returns the probe's conclusion from a table's measured or predicted values. Its outcomes are indices into the
/// results.
std::optional<Conclusion> concluded(std::span<const Record> results, const Members& table, const Probe& probe,
                                    bool measured) {
  std::vector<Outcome> outcomes;
  Members ran;
  for (const std::size_t member : table) {
    if (auto outcome = outcome_of(results[member], probe, measured)) {
      outcome->index = ran.size();
      outcomes.push_back(*std::move(outcome));
      ran.push_back(member);
    }
  }
  if (outcomes.empty()) return std::nullopt;
  Conclusion conclusion = probe.conclude(outcomes);
  const auto in_results = [&](std::vector<std::size_t>& indices) {
    for (std::size_t& index : indices) index = ran.at(index);
  };
  for (Conclusion::DerivedQuantity& derived : conclusion.quantities) in_results(derived.outcomes);
  for (Fact& fact : conclusion.facts) in_results(fact.outcomes);
  return conclusion;
}

/// Adds the numbers of a table to its records, the first of which is of all its cases. Numbers of the same cases share
/// a record.
void add_numbers(std::vector<ConclusionRecord>& records, const Conclusion& conclusion,
                 std::optional<double> MetricRecord::*reading) {
  for (const Conclusion::DerivedQuantity& derived : conclusion.quantities) {
    auto record = std::ranges::find(records, derived.outcomes, &ConclusionRecord::cases);
    if (record == records.end()) {
      record = records.insert(record, {records.front().probe, derived.outcomes, "", {}});
    }
    auto quantity = std::ranges::find(record->quantities, derived.name, &MetricRecord::name);
    if (quantity == record->quantities.end()) quantity = record->quantities.insert(quantity, {derived.name, {}, {}});
    (*quantity).*reading = derived.value;
  }
}

/// Returns the conclusions from one GPU's cases of a table.
std::vector<ConclusionRecord> conclusions_of(std::span<const Record> results, const Members& table,
                                             const Probe& probe) {
  const auto measured = concluded(results, table, probe, true);
  const auto predicted = concluded(results, table, probe, false);
  if (!measured && !predicted) return {};
  const std::vector<Fact>& facts = measured ? measured->facts : predicted->facts;
  std::vector<ConclusionRecord> records = {{probe.name, table, say(facts), {}}};
  for (const Fact& fact : facts) {
    records.front().facts.push_back({std::string(to_string(fact.kind)), fact.outcomes, say(fact), fact.values});
  }
  if (measured) add_numbers(records, *measured, &MetricRecord::measured);
  if (predicted) add_numbers(records, *predicted, &MetricRecord::predicted);
  return records;
}

}  // namespace

std::vector<ConclusionRecord> conclusions(std::span<const Record> results, const ProbeLookup& find) {
  std::vector<ConclusionRecord> all;
  for (const Members& table : tables(results)) {
    const Probe* probe = find(results[table.front()].probe);
    if (probe == nullptr || !probe->conclude) continue;
    for (const Members& own : by_gpu(results, table)) {
      std::ranges::move(conclusions_of(results, own, *probe), std::back_inserter(all));
    }
  }
  std::erase_if(all, [](const ConclusionRecord& conclusion) {
    return conclusion.advice.empty() && conclusion.quantities.empty();
  });
  return all;
}

}  // namespace gpumem::report
