// The columns of cases, named as pandas.json_normalize names the fields of the JSON report, and what a case has in
// them.

#include "report/write/case_columns.hpp"

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

std::vector<std::string> names_of(std::span<const CsvPath> columns) {
  std::vector<std::string> names;
  for (const CsvPath& path : columns) names.push_back(join(path, "."));
  return names;
}

/// The column of this name ("bandwidth_gb_per_s.measured"), or the first that has it as a part ("median").
std::optional<CsvPath> find_named(std::span<const CsvPath> columns, const std::string& asked) {
  const auto is_name = [&](const CsvPath& path) { return join(path, ".") == asked; };
  const auto has_part = [&](const CsvPath& path) { return std::ranges::find(path, asked) != path.end(); };
  auto found = std::ranges::find_if(columns, is_name);
  if (found == columns.end()) found = std::ranges::find_if(columns, has_part);
  return found == columns.end() ? std::nullopt : std::optional(*found);
}

/// The first column with a part that begins with this word ("offset"), or else with a name that contains it.
std::optional<CsvPath> find_alike(std::span<const CsvPath> columns, const std::string& asked) {
  const auto begins_part = [&](const CsvPath& path) {
    return std::ranges::any_of(path, [&](const std::string& part) { return part.starts_with(asked + "_"); });
  };
  const auto contains = [&](const CsvPath& path) { return join(path, ".").find(asked) != std::string::npos; };
  auto found = std::ranges::find_if(columns, begins_part);
  if (found == columns.end()) found = std::ranges::find_if(columns, contains);
  return found == columns.end() ? std::nullopt : std::optional(*found);
}

}  // namespace

bool is_all_columns(std::span<const std::string> columns) { return columns.size() == 1 && columns.front() == "all"; }

// New columns come last, so that others stay where they are.
std::vector<CsvPath> case_columns(std::span<const Report* const> reports) {
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

Json case_row(const Report& report, const Record& record) {
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

std::vector<CsvPath> held_columns(std::span<const Report* const> reports) {
  const std::vector<CsvPath> columns = case_columns(reports);
  std::vector<bool> holds(columns.size(), false);
  for (const Report* report : reports) {
    for (const Record& record : report->results) {
      const Json row = case_row(*report, record);
      for (std::size_t i = 0; i < columns.size(); ++i) holds[i] = holds[i] || !csv_field(row, columns[i]).empty();
    }
  }
  std::vector<CsvPath> held;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (holds[i]) held.push_back(columns[i]);
  }
  return held;
}

std::vector<CsvPath> chosen_columns(std::span<const Report* const> reports, std::span<const std::string> asked,
                                    const std::string& option) {
  const std::vector<CsvPath> held = held_columns(reports);
  const std::vector<CsvPath> all = case_columns(reports);
  std::vector<CsvPath> chosen;
  for (const std::string& name : asked) {
    auto column = find_named(held, name);
    if (!column) column = find_named(all, name);
    if (!column) column = find_alike(held, name);
    if (!column) {
      throw usage_error(fmt::format("--{}: these cases have no column '{}'{}; there are: {}", option, one_line(name),
                                    did_you_mean(name, names_of(held)), join(names_of(held), ", ")));
    }
    chosen.push_back(std::move(*column));
  }
  return chosen;
}

}  // namespace gpumem::report
