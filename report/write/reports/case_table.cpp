// The columns of cases, named as pandas.json_normalize names the fields of the JSON report, and what a case has in
// them.

#include "report/write/case_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "engine/base/error.hpp"
#include "engine/base/suggest.hpp"
#include "report/record/cases.hpp"
#include "report/record/gpus.hpp"
#include "report/record/kernels.hpp"
#include "report/record/readings.hpp"
#include "report/text/text.hpp"
#include "report/write/json_values.hpp"

namespace gpumem::report {

namespace {

using json_values::Json;
using json_values::number;
using json_values::optional;
using json_values::record_json;

/// A metric, the headline by its own name, or what several cases with this one among them show.
std::optional<double> named_value(const Report& report, const Record& record, const std::string& name) {
  if (record.headline.quantity == name) return record.headline.value();
  if (const auto value = metric_value(record, name)) return value;
  const std::size_t index = static_cast<std::size_t>(&record - report.results.data());
  for (const ConclusionRecord& conclusion : report.conclusions) {
    if (conclusion.probe != record.probe || !std::ranges::binary_search(conclusion.cases, index)) continue;
    const auto found = std::ranges::find(conclusion.quantities, name, &MetricRecord::name);
    if (found != conclusion.quantities.end()) return found->measured ? found->measured : found->predicted;
  }
  return std::nullopt;
}

/// Names from the first one that only kernels of a user's program have, which come last.
std::vector<std::string> of_kernels(const std::vector<std::string>& names, const char* first) {
  return {std::ranges::find(names, first), names.end()};
}
std::vector<std::string> of_probes(const std::vector<std::string>& names, const char* first) {
  return {names.begin(), std::ranges::find(names, first)};
}

/// True if the baseline's value is a name in any of the reports: then its column is one of texts.
bool relates_to_names(std::span<const Report* const> reports) {
  return std::ranges::any_of(reports, [](const Report* report) {
    return std::ranges::any_of(report->results, [](const Record& record) {
      return std::holds_alternative<std::string>(record.baseline) && !std::get<std::string>(record.baseline).empty();
    });
  });
}

/// New columns come last, so that others stay where they are.
std::vector<CsvPath> paths_of(std::span<const Report* const> reports) {
  static const std::vector<std::string> of_sites = {"predicted", "counted"};
  std::vector<CsvPath> paths = {{"probe"}};
  for (const Report* report : reports) {
    add_paths(paths, {"parameters"}, of_probes(report->parameter_columns, kernel_parameter));
  }
  add_paths(paths, {}, {"swept", "compared", "baseline", "chosen_by_auto", "status", "reason", "verified"});
  add_paths(paths, {"useful_bytes"}, {"read", "written"});
  add_paths(paths, {"time_seconds"}, {"median", "ci95_low", "ci95_high", "min", "p05", "p95", "count"});
  add_paths(paths, {"bandwidth_gb_per_s"}, {"measured", "predicted"});
  add_paths(paths, {}, {"peak_gb_per_s", "fraction_of_peak"});
  add_paths(paths, {"relative_to_baseline"}, {"measured", "predicted"});
  for (const char* op : {"load", "store"}) {
    for (const std::string unit : {sectors, wavefronts}) add_paths(paths, {op, unit + "_per_request"}, of_sites);
  }
  add_paths(paths, {"bottleneck"}, of_sites);
  const auto add_counters = [&](bool of_some_spaces) {
    for (const measure::CounterField& field : measure::counter_fields()) {
      if (field.only_of.has_value() == of_some_spaces) add_paths(paths, {"counters"}, {std::string(field.name)});
    }
  };
  add_counters(false);
  for (const Report* report : reports) add_paths(paths, {"metrics"}, of_probes(report->metric_columns, gpu_time_name));
  add_paths(paths, {}, {"flags", "backend"});
  add_paths(paths, {"device"}, {"name", "uuid"});
  add_paths(paths, {"headline"}, {"quantity", "better", "measured", "ci95_low", "ci95_high", "predicted", "peak"});
  add_paths(paths, {}, {"predicted_seconds", "useful_flops"});
  for (const Report* report : reports) {
    add_paths(paths, {"metrics_predicted"}, of_probes(report->metric_columns, gpu_time_name));
  }
  add_counters(true);
  for (const Report* report : reports) {
    add_paths(paths, {"parameters"}, of_kernels(report->parameter_columns, kernel_parameter));
    for (const char* reading : {"metrics", "metrics_predicted"}) {
      add_paths(paths, {reading}, of_kernels(report->metric_columns, gpu_time_name));
    }
  }
  add_paths(paths, {}, {"range"});
  return paths;
}

/// The record's JSON, with what rows need beside it.
Json row_of(const Report& report, const Record& record) {
  Json row = record_json(record);
  for (const char* op : {"load", "store"}) {
    for (const std::string unit : {sectors, wavefronts}) {
      row[op][unit + "_per_request"] = {{"predicted", number(mean_per_request(record, op, unit, Source::predicted))},
                                        {"counted", number(mean_per_request(record, op, unit, Source::counted))}};
    }
  }
  for (const std::string& name : report.metric_columns)
    row["metrics"][name] = number(named_value(report, record, name));
  row["backend"] = report.backend;
  const auto gpu = gpu_beside_others(record);
  const std::optional<Device> device = gpu ? std::optional(device_of(report, *gpu)) : report.device;
  if (device) row["device"] = {{"name", device->name}, {"uuid", optional(device->uuid)}};
  return row;
}

}  // namespace

bool is_all_columns(std::span<const std::string> columns) { return columns.size() == 1 && columns.front() == "all"; }

CaseTable::CaseTable(std::span<const Report* const> reports, std::span<const std::string> names)
    : columns_(paths_of(reports)) {
  if (!names.empty()) columns_.insert(columns_.begin(), {"report"});
  holds_.resize(columns_.size(), false);
  const bool baselines_are_texts = relates_to_names(reports);
  for (std::size_t i = 0; i < reports.size(); ++i) {
    for (const Record& record : reports[i]->results) {
      Json values = row_of(*reports[i], record);
      if (!names.empty()) values["report"] = names[i];
      if (baselines_are_texts && values["baseline"].is_number()) values["baseline"] = values["baseline"].dump();
      std::vector<Cell>& row = rows_.emplace_back();
      for (std::size_t column = 0; column < columns_.size(); ++column) {
        const Json& value = value_at(values, columns_[column]);
        if (csv_field(value).empty()) continue;
        holds_[column] = true;
        row.emplace_back(column, value);
      }
    }
  }
}

CaseTable::CaseTable(const Report& report) : CaseTable(std::vector<const Report*>{&report}) {}

const Json& CaseTable::value(std::size_t row, std::size_t column) const {
  static const Json absent;
  const auto cell = std::ranges::lower_bound(rows_[row], column, {}, &Cell::first);
  return cell == rows_[row].end() || cell->first != column ? absent : cell->second;
}

std::vector<std::size_t> CaseTable::chosen(std::span<const std::string> asked, const std::string& option) const {
  std::vector<std::string> held;
  for (std::size_t column = 0; column < columns_.size(); ++column) {
    if (holds_[column]) held.push_back(join(columns_[column], "."));
  }
  const auto first = [&](const auto& fits) -> std::optional<std::size_t> {
    const auto found = std::ranges::find_if(columns_, fits);
    return found == columns_.end() ? std::nullopt : std::optional<std::size_t>(found - columns_.begin());
  };
  std::vector<std::size_t> columns;
  for (const std::string& name : asked) {
    const auto is_held = [&](const CsvPath& path) { return holds_[static_cast<std::size_t>(&path - columns_.data())]; };
    const auto is_name = [&](const CsvPath& path) { return join(path, ".") == name; };
    const auto has_part = [&](const CsvPath& path) { return std::ranges::find(path, name) != path.end(); };
    const auto begins_part = [&](const CsvPath& path) {
      return std::ranges::any_of(path, [&](const std::string& part) { return part.starts_with(name + "_"); });
    };
    const auto contains = [&](const CsvPath& path) { return join(path, ".").find(name) != std::string::npos; };
    const auto first_held = [&](const auto& fits) {
      return first([&](const CsvPath& path) { return is_held(path) && fits(path); });
    };
    auto column = first(is_name);
    if (!column) column = first_held(has_part);
    if (!column) column = first(has_part);
    if (!column) column = first_held(begins_part);
    if (!column) column = first_held(contains);
    if (!column) {
      throw usage_error(fmt::format("--{}: these cases have no column '{}'{}; there are: {}", option, one_line(name),
                                    did_you_mean(name, held), join(held, ", ")));
    }
    columns.push_back(*column);
  }
  return columns;
}

}  // namespace gpumem::report
