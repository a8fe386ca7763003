// CSV: one row per case, the same columns in the same order for every probe, named as pandas.json_normalize names the
// fields of the JSON report. Absent is an empty field.

#include "report/write/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "report/record/cases.hpp"
#include "report/record/readings.hpp"
#include "report/text/text.hpp"
#include "report/write/csv_row.hpp"
#include "report/write/writers.hpp"

namespace gpumem::report {

namespace {

std::string field(std::optional<double> value) { return csv_number(value); }

std::string field(const std::optional<bool>& value) {
  if (!value) return {};
  return *value ? "true" : "false";
}

std::string field(const std::optional<std::string>& value) { return value.value_or(""); }

std::string parameter_field(const Record& record, const std::string& name) {
  const Parameter* found = find_parameter(record, name);
  return found == nullptr ? std::string() : gpumem::to_string(found->value);
}

void add_time(CsvRow& row, const std::optional<TimeRecord>& time) {
  const auto add = [&](const std::string& name, measure::Seconds measure::Summary::*member) {
    row.add("time_seconds." + name, time ? field(std::optional((time->summary.*member).count())) : std::string());
  };
  add("median", &measure::Summary::median);
  add("ci95_low", &measure::Summary::ci95_low);
  add("ci95_high", &measure::Summary::ci95_high);
  add("min", &measure::Summary::min);
  add("p05", &measure::Summary::p05);
  add("p95", &measure::Summary::p95);
  row.add("time_seconds.count", time ? fmt::to_string(time->summary.count) : std::string());
}

void add_access(CsvRow& row, const Record& record) {
  for (const std::string op : {"load", "store"}) {
    for (const std::string unit : {sectors, wavefronts}) {
      const std::string name = op + "." + unit + "_per_request";
      row.add(name + ".predicted", field(mean_per_request(record, op, unit, Source::predicted)));
      row.add(name + ".counted", field(mean_per_request(record, op, unit, Source::counted)));
    }
  }
}

/// A metric, the headline by its own name, or what several cases with this one among them show.
std::optional<double> named_value(const Report& report, const Record& record, const std::string& name) {
  if (record.headline.quantity == name) return record.headline.value();
  if (const auto value = metric_value(record, name)) return value;
  const std::size_t index = static_cast<std::size_t>(&record - report.results.data());
  for (const ConclusionRecord& conclusion : report.conclusions) {
    if (conclusion.probe != record.probe || !std::ranges::binary_search(conclusion.cases, index)) continue;
    const auto found = std::ranges::find(conclusion.quantities, name, &ConclusionRecord::Found::name);
    if (found != conclusion.quantities.end()) return found->measured ? found->measured : found->predicted;
  }
  return std::nullopt;
}

/// What later versions added, so that columns stay where they were.
void add_later_columns(CsvRow& row, const Report& report, const Record& record) {
  const HeadlineRecord& headline = record.headline;
  row.add("headline.quantity", record.probe.empty() ? "" : headline.quantity);
  row.add("headline.better", record.probe.empty() ? "" : std::string(to_string(headline.better)));
  row.add("headline.measured", field(headline.measured));
  row.add("headline.ci95_low", field(headline.ci95_low));
  row.add("headline.ci95_high", field(headline.ci95_high));
  row.add("headline.predicted", field(headline.predicted));
  row.add("headline.peak", field(headline.peak));
  row.add("predicted_seconds", field(record.predicted_s));
  row.add("useful_flops", record.useful_flops ? fmt::to_string(*record.useful_flops) : std::string());
  for (const std::string& name : report.metric_columns) {
    const bool own = name == headline.quantity;
    const auto found = std::ranges::find(record.metrics, name, &MetricRecord::name);
    row.add("metrics_predicted." + name, field(own                             ? headline.predicted
                                               : found == record.metrics.end() ? std::nullopt
                                                                               : found->predicted));
  }
}

void add_case(CsvRow& row, const Report& report, const Record& record) {
  row.add("probe", record.probe);
  for (const std::string& name : report.parameter_columns) row.add("parameters." + name, parameter_field(record, name));
  row.add("swept", record.swept);
  row.add("compared", record.compared);
  row.add("baseline", gpumem::to_string(record.baseline));
  row.add("chosen_by_auto", join(record.chosen, ";"));
  row.add("status", std::string(to_string(record.status)));
  row.add("reason", field(record.reason));
  row.add("verified", field(record.verified));
  row.add("useful_bytes.read", fmt::to_string(record.useful_bytes_read));
  row.add("useful_bytes.written", fmt::to_string(record.useful_bytes_written));
  add_time(row, record.time);
  row.add("bandwidth_gb_per_s.measured", field(measured_bandwidth(record)));
  row.add("bandwidth_gb_per_s.predicted", field(predicted_bandwidth(record)));
  row.add("peak_gb_per_s", field(record.headline.quantity == bandwidth_name ? record.headline.peak : std::nullopt));
  row.add("fraction_of_peak", field(record.fraction_of_peak));
  row.add("relative_to_baseline.measured", field(record.relative_measured));
  row.add("relative_to_baseline.predicted", field(record.relative_predicted));
  add_access(row, record);
  row.add("bottleneck.predicted", record.bottleneck ? record.bottleneck->predicted : std::string());
  row.add("bottleneck.counted", record.bottleneck ? field(record.bottleneck->counted) : std::string());
  for (const measure::CounterField& one : measure::counter_fields()) {
    row.add("counters." + std::string(one.name),
            field(record.counters ? (*record.counters).*one.value : std::optional<double>()));
  }
  for (const std::string& name : report.metric_columns) {
    row.add("metrics." + name, field(named_value(report, record, name)));
  }
  row.add("flags", join(record.flags, ";"));
  row.add("backend", report.backend);
  row.add("device.name", report.device ? report.device->name : std::string());
  row.add("device.uuid", report.device ? field(report.device->uuid) : std::string());
  add_later_columns(row, report, record);
}

CsvRow row_of(const Report& report, const Record& record) {
  CsvRow row;
  add_case(row, report, record);
  return row;
}

CsvRow row_of(const NamedReport& named, const Record& record) {
  CsvRow row;
  row.add("report", named.name);
  add_case(row, named.report, record);
  return row;
}

void add_once(std::vector<std::string>& names, const std::vector<std::string>& others) {
  for (const std::string& name : others) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
}

/// A table has the same columns in every row.
std::vector<NamedReport> with_common_columns(std::span<const NamedReport> reports) {
  std::vector<std::string> parameters;
  std::vector<std::string> metrics;
  for (const NamedReport& one : reports) {
    add_once(parameters, one.report.parameter_columns);
    add_once(metrics, one.report.metric_columns);
  }
  std::vector<NamedReport> same(reports.begin(), reports.end());
  for (NamedReport& one : same) {
    one.report.parameter_columns = parameters;
    one.report.metric_columns = metrics;
  }
  return same;
}

}  // namespace

void write_csv(std::ostream& out, const Report& report) {
  out << row_of(report, Record{}).header() << '\n';
  for (const Record& record : report.results) out << row_of(report, record).line() << '\n';
}

void write_csv_of_several(std::ostream& out, std::span<const NamedReport> reports) {
  const std::vector<NamedReport> all = with_common_columns(reports);
  if (!all.empty()) out << row_of(all.front(), Record{}).header() << '\n';
  for (const NamedReport& named : all) {
    for (const Record& record : named.report.results) out << row_of(named, record).line() << '\n';
  }
}

}  // namespace gpumem::report
