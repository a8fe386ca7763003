// The comparison for programs: JSON (schema version 1: add, never rename) and CSV.

#include <ostream>

#include "report/record/cases.hpp"
#include "report/record/readings.hpp"
#include "report/write/comparisons/comparison.hpp"
#include "report/write/comparisons/run_json.hpp"
#include "report/write/csv_row.hpp"
#include "report/write/json_values.hpp"

namespace gpumem::report {

namespace {

using json_values::Json;
using json_values::known;
using json_values::number;
using json_values::optional;
using json_values::parameter;
using json_values::parameters;

Json to_json(const std::optional<Estimate>& estimate) {
  if (!estimate) return nullptr;
  return {
      {"value", number(estimate->value)}, {"ci95_low", number(estimate->low)}, {"ci95_high", number(estimate->high)}};
}

Json program_json(const std::optional<ProgramRecord>& program) {
  if (!program) return nullptr;
  return {{"command", program->command},
          {"exit_code", optional(program->exit_code)},
          {"launches_seen", program->launches_seen},
          {"gpu_seconds", number(program->gpu_seconds)}};
}

Json side_json(const std::optional<CaseReading>& reading) {
  if (!reading) return nullptr;
  const Record& record = *reading->record;
  return {{"index", reading->index},
          {"status", to_string(record.status)},
          {"reason", optional(record.reason)},
          {"verified", optional(record.verified)},
          {"estimate", to_json(reading->estimate)},
          {"flags", record.flags}};
}

Json change_json(const ComparedCase& compared, std::size_t which) {
  const CaseChange& change = compared.changes[which];
  Json json = {{"verdict", to_string(change.outcome)},
               {"matched_by_place", change.by_place},
               {"speed_ratio", to_json(change.speed)},
               {"case", side_json(compared.readings[which + 1])}};
  Json& shape = json["parameters_changed"] = Json::object();
  for (const auto& [name, old_value, new_value] : change.shape) {
    shape[name] = {{"old", parameter(old_value)}, {"new", parameter(new_value)}};
  }
  Json& metrics = json["metrics"] = Json::object();  // without intervals; they may help to explain a change
  if (!compared.in_both(which)) return json;
  for (const MetricRecord& metric : compared.readings.front()->record->metrics) {
    const auto other = metric_value(*compared.readings[which + 1]->record, metric.name);
    if (metric.value() && other) metrics[metric.name] = {{"old", number(metric.value())}, {"new", number(other)}};
  }
  return json;
}

Json case_json(const ComparedCase& compared) {
  Json changes = Json::array();
  for (std::size_t n = 0; n < compared.changes.size(); ++n) changes.push_back(change_json(compared, n));
  return {{"probe", compared.record->probe},
          {"parameters", parameters(compared.record->parameters)},
          {"chosen_by_auto", compared.record->chosen},
          {"quantity", compared.quantity ? Json(compared.quantity->name) : Json(nullptr)},
          {"old", side_json(compared.readings.front())},
          {"new", std::move(changes)}};
}

void add_differences(Json& list, const Comparison& comparison, std::size_t which) {
  for (const Difference& difference : comparison.differences[which]) {
    list.push_back({{"new_index", which},
                    {"member", difference.member},
                    {"what", difference.what},
                    {"old", known(difference.old_value)},
                    {"new", known(difference.new_value)},
                    {"minor", difference.minor},
                    {"cases", difference.cases == 0 ? Json(nullptr) : Json(difference.cases)}});
  }
}

Json tally_json(const CaseTally& tally) {
  Json verdicts = Json::object();
  for (std::size_t i = 0; i < tally.counts.size(); ++i) {
    verdicts[std::string(to_string(static_cast<CaseVerdict>(i)))] = tally.counts[i];
  }
  return verdicts;
}

Json to_json(const std::vector<MeanSpeed>& means) {
  Json list = Json::array();
  for (const auto& [quantity, cases, ratio] : means) {
    list.push_back({{"quantity", quantity ? Json(quantity->name) : Json(nullptr)},
                    {"cases", cases},
                    {"speed_ratio", number(ratio)}});
  }
  return list;
}

std::vector<CsvPath> csv_paths(const Comparison& comparison) {
  std::vector<CsvPath> paths = {{"probe"}};
  for (const ComparedCase& compared : comparison.cases) {
    for (const Parameter& parameter : compared.record->parameters) add_paths(paths, {"parameters"}, {parameter.name});
  }
  const std::vector<std::string> estimate = {"value", "ci95_low", "ci95_high"};
  add_paths(paths, {}, {"chosen_by_auto", "old_report", "new_report", "quantity", "verdict"});
  add_paths(paths, {"speed_ratio"}, estimate);
  for (const char* side : {"old", "new"}) {
    add_paths(paths, {side}, {"status", "reason"});
    add_paths(paths, {side, "estimate"}, estimate);
    add_paths(paths, {side}, {"flags"});
  }
  if (comparison.reports.front().report.program) add_paths(paths, {}, {"matched_by_place"});
  return paths;
}

}  // namespace

Json run_json(const NamedReport& named) {
  const Report& report = named.report;
  const Device device = report.device.value_or(Device());
  return {{"report", named.name},
          {"started_at", known(report.started_at)},
          {"backend", known(report.backend)},
          {"profile", optional(report.profile)},
          {"tool", {{"version", known(report.tool.version)}, {"git_commit", known(report.tool.git_commit)}}},
          {"host", {{"name", known(report.host.name)}}},
          {"program", program_json(report.program)},
          {"device",
           {{"name", report.device ? Json(report.device->name) : Json(nullptr)},
            {"uuid", optional(device.uuid)},
            {"pci_bus_id", optional(device.pci_bus_id)},
            {"driver_version", optional(device.driver_version)},
            {"runtime_version", optional(device.runtime_version)}}}};
}

void write_comparison_json(std::ostream& out, const Comparison& comparison) {
  Json new_reports = Json::array();
  Json differences = Json::array();
  Json summary = Json::array();
  Json means = Json::array();
  for (std::size_t n = 0; n < comparison.new_reports(); ++n) {
    new_reports.push_back(run_json(comparison.reports[n + 1]));
    add_differences(differences, comparison, n);
    summary.push_back(tally_json(tally(comparison, n)));
    means.push_back(to_json(mean_speeds(comparison, n)));
  }
  Json cases = Json::array();
  for (const ComparedCase& compared : comparison.cases) cases.push_back(case_json(compared));
  const Json json = {{"schema_version", 1},
                     {"tool", {{"name", "gpumem"}, {"version", comparison.tool_version}}},
                     {"tolerance", comparison.tolerance},
                     {"old", run_json(comparison.reports.front())},
                     {"new", std::move(new_reports)},
                     {"differences", std::move(differences)},
                     {"summary", std::move(summary)},
                     {"geometric_means", std::move(means)},
                     {"cases", std::move(cases)}};
  // A file name may hold any bytes; those that are not UTF-8 are replaced, not fatal.
  out << json.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

void write_comparison_csv(std::ostream& out, const Comparison& comparison) {
  const std::vector<CsvPath> paths = csv_paths(comparison);
  out << csv_names(paths) << '\n';
  for (const ComparedCase& compared : comparison.cases) {
    for (std::size_t n = 0; n < comparison.new_reports(); ++n) {
      if (!compared.in_either(n)) continue;
      Json row = case_json(compared);
      row.update(change_json(compared, n));
      row["new"] = row["case"];
      row["old_report"] = comparison.reports.front().name;
      row["new_report"] = comparison.reports[n + 1].name;
      out << csv_fields(row, paths) << '\n';
    }
  }
}

}  // namespace gpumem::report
