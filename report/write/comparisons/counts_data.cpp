// The comparison of counts for programs: JSON (schema version 1: add, never rename) and CSV.

#include <ostream>

#include "report/record/cases.hpp"
#include "report/record/kernels.hpp"
#include "report/write/comparisons/counts.hpp"
#include "report/write/comparisons/run_json.hpp"
#include "report/write/csv_row.hpp"
#include "report/write/json_values.hpp"

namespace gpumem::report {

namespace {

using json_values::Json;
using json_values::known;
using json_values::number;
using json_values::parameters;

constexpr CountVerdict count_verdicts[] = {CountVerdict::grew, CountVerdict::unsure, CountVerdict::moved,
                                           CountVerdict::fell};

Json site_name(const SiteRecord* site) { return site == nullptr ? Json(nullptr) : Json(site->site); }
Json site_word(const SiteRecord* site) { return site == nullptr ? Json(nullptr) : Json(site->word_bytes); }

Json to_json(const CountChange& change) {
  return {{"unit", change.unit},
          {"per", to_string(change.basis)},
          {"old", number(change.old_value)},
          {"new", number(change.new_value)},
          {"ratio", number(change.ratio())},
          {"more_per_launch", number(change.more)},
          {"verdict", to_string(change.verdict)}};
}

Json site_json(const SitePair& site) {
  return {{"site", {{"old", site_name(site.old_site)}, {"new", site_name(site.new_site)}}},
          {"space", site.any().space},
          {"op", site.any().op},
          {"word_bytes", {{"old", site_word(site.old_site)}, {"new", site_word(site.new_site)}}}};
}

Json to_json(const SiteChange& change) {
  Json json = site_json(change.site);
  Json& counts = json["counts"] = Json::array();
  for (const CountChange& count : change.counts) counts.push_back(to_json(count));
  return json;
}

Json to_json(const std::optional<LaunchCounts>& counts) {
  if (!counts) return nullptr;
  return {{"requests", number(counts->requests)},
          {"asked_bytes", number(counts->asked_bytes)},
          {"sector_bytes", number(counts->sector_bytes)},
          {"wavefronts", number(counts->wavefronts)}};
}

Json launches_of(const std::optional<CaseReading>& reading) {
  return reading ? number(finite_value(*reading->record, launches_name)) : Json(nullptr);
}

Json index_of(const std::optional<CaseReading>& reading) { return reading ? Json(reading->index) : Json(nullptr); }

Json to_json(const CountedCase& counted) {
  const auto& readings = counted.compared->readings;
  const bool is_compared = counted.gap == CountGap::no;
  Json changes = Json::array();
  for (const SiteChange& change : counted.changes) changes.push_back(to_json(change));
  return {{"probe", counted.compared->record->probe},
          {"parameters", parameters(counted.compared->record->parameters)},
          {"index", {{"old", index_of(readings[0])}, {"new", index_of(readings[1])}}},
          {"matched_by_place", counted.compared->changes.front().by_place},
          {"compared", is_compared},
          {"not_compared", is_compared ? Json(nullptr) : Json(to_string(counted.gap))},
          {"reason", known(counted.gap_words)},
          {"exact", is_compared ? Json(counted.inexact == Inexact::no) : Json(nullptr)},
          {"inexact_because", counted.inexact == Inexact::no ? Json(nullptr) : Json(to_string(counted.inexact))},
          {"launches", {{"old", launches_of(readings[0])}, {"new", launches_of(readings[1])}}},
          {"per_launch", {{"old", to_json(counted.old_counts)}, {"new", to_json(counted.new_counts)}}},
          {"sites_same", counted.same_sites},
          {"sites_varying", counted.varying_sites},
          {"sites_not_counted", counted.uncounted_sites},
          {"sites_changed", std::move(changes)}};
}

Json summary_json(const CountComparison& counts) {
  Json summary = Json::object();
  for (const CountVerdict verdict : count_verdicts) summary[std::string(to_string(verdict))] = counts.with(verdict);
  summary["compared"] = counts.compared();
  summary["not_compared"] = counts.cases.size() - counts.compared();
  summary["passed"] = !count_failure(counts).has_value();
  return summary;
}

}  // namespace

void write_counts_json(std::ostream& out, const CountComparison& counts) {
  const Comparison& comparison = *counts.comparison;
  Json repeats = Json::array();
  for (const NamedReport& named : comparison.reports.subspan(2)) repeats.push_back(run_json(named));
  Json cases = Json::array();
  for (const CountedCase& counted : counts.cases) cases.push_back(to_json(counted));
  const Json json = {{"schema_version", 1},
                     {"tool", {{"name", "gpumem"}, {"version", comparison.tool_version}}},
                     {"tolerance", counts.tolerance},
                     {"old", run_json(comparison.reports[0])},
                     {"new", run_json(comparison.reports[1])},
                     {"repeats", std::move(repeats)},
                     {"summary", summary_json(counts)},
                     {"cases", std::move(cases)}};
  out << json.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

void write_counts_csv(std::ostream& out, const CountComparison& counts) {
  std::vector<CsvPath> paths = {{"probe"}};
  for (const CountedCase& counted : counts.cases) {
    for (const Parameter& parameter : counted.compared->record->parameters)
      add_paths(paths, {"parameters"}, {parameter.name});
  }
  add_paths(paths, {"site"}, {"old", "new"});
  add_paths(paths, {}, {"space", "op"});
  add_paths(paths, {"word_bytes"}, {"old", "new"});
  add_paths(paths, {}, {"unit", "per", "old", "new", "ratio", "more_per_launch", "verdict", "exact"});
  out << csv_names(paths) << '\n';
  for (const auto& [counted, site, change] : counts.rows()) {
    Json row = site_json(site->site);
    row.update(to_json(*change));
    row["probe"] = counted->compared->record->probe;
    row["parameters"] = parameters(counted->compared->record->parameters);
    row["exact"] = counted->inexact == Inexact::no;
    out << csv_fields(row, paths) << '\n';
  }
}

}  // namespace gpumem::report
