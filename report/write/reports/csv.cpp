// CSV: one row per case, the same columns in the same order for every probe, named as pandas.json_normalize names the
// fields of the JSON report. Absent is an empty field.

#include <algorithm>
#include <ostream>

#include "report/record/cases.hpp"
#include "report/record/gpus.hpp"
#include "report/record/kernels.hpp"
#include "report/record/readings.hpp"
#include "report/write/csv_row.hpp"
#include "report/write/json_values.hpp"
#include "report/write/writers.hpp"

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

/// Names from the first one that only kernels of a user's program have, which come last.
std::vector<std::string> of_kernels(const std::vector<std::string>& names, const char* first) {
  return {std::ranges::find(names, first), names.end()};
}
std::vector<std::string> of_probes(const std::vector<std::string>& names, const char* first) {
  return {names.begin(), std::ranges::find(names, first)};
}

/// New columns come last, so that others stay where they are.
std::vector<CsvPath> paths_of(const std::vector<const Report*>& reports) {
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

/// True if the baseline's value is a name in any of the reports: then its column is one of texts.
bool relates_to_names(const std::vector<const Report*>& reports) {
  return std::ranges::any_of(reports, [](const Report* report) {
    return std::ranges::any_of(report->results, [](const Record& record) {
      return std::holds_alternative<std::string>(record.baseline) && !std::get<std::string>(record.baseline).empty();
    });
  });
}

void write_rows(std::ostream& out, const std::string& name, const Report& report, std::span<const CsvPath> paths,
                bool baselines_are_texts) {
  for (const Record& record : report.results) {
    Json row = row_of(report, record);
    row["report"] = name;
    if (baselines_are_texts && row["baseline"].is_number()) row["baseline"] = row["baseline"].dump();
    out << csv_fields(row, paths) << '\n';
  }
}

}  // namespace

void write_csv(std::ostream& out, const Report& report) {
  const std::vector<CsvPath> paths = paths_of({&report});
  out << csv_names(paths) << '\n';
  write_rows(out, "", report, paths, relates_to_names({&report}));
}

void write_csv_of_several(std::ostream& out, std::span<const NamedReport> reports) {
  std::vector<const Report*> all;
  for (const NamedReport& named : reports) all.push_back(&named.report);
  std::vector<CsvPath> paths = paths_of(all);
  paths.insert(paths.begin(), {"report"});
  out << csv_names(paths) << '\n';
  const bool baselines_are_texts = relates_to_names(all);
  for (const auto& [name, report] : reports) write_rows(out, name, report, paths, baselines_are_texts);
}

}  // namespace gpumem::report
