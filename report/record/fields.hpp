#pragma once
// The members of a report's JSON, each named once: writing, reading and the test of the schema go through these lists.
//
// `archive(name, member)` is a member that every version wrote. `archive.later(name, member)` is one that reports of
// earlier versions may lack; reading them leaves it as it is. `archive.if_any(name, member)` is one that few records
// have; the others do not have the name. `archive.derived` is written, and not read. An optional member that is absent
// is null, and so is one in known() that is empty or 0. `Archive::reads` is true if the archive reads.
// `archive.has(name)` is true if the JSON has the name, and always true for archives that write.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/measure/counters.hpp"
#include "report/record/field_kinds.hpp"
#include "report/record/machine_fields.hpp"
#include "report/record/readings.hpp"
#include "report/record/record.hpp"

namespace gpumem::report {

template <class Archive>
void fields(Archive& archive, TimeRecord& time) {
  archive("median", time.summary.median);
  archive("ci95_low", time.summary.ci95_low);
  archive("ci95_high", time.summary.ci95_high);
  archive("min", time.summary.min);
  archive("p05", time.summary.p05);
  archive("p95", time.summary.p95);
  archive("count", time.summary.count);
  archive("samples", time.samples);
}

template <class Archive>
void fields(Archive& archive, CostRecord& cost) {
  archive("predicted", cost.per_request.predicted);
  archive("counted", cost.per_request.counted);
  archive.if_any("least", cost.least);
}

/// A quantity as an object with its measured and its predicted value.
struct MeasuredFields {
  std::optional<double>& measured;
  std::optional<double>& predicted;
};
template <class Archive>
void fields(Archive& archive, MeasuredFields& both) {
  archive("measured", both.measured);
  archive("predicted", both.predicted);
}

template <class Archive>
void fields(Archive& archive, SiteRecord& site) {
  archive("site", site.site);
  archive("space", site.space);
  archive("op", site.op);
  archive("word_bytes", site.word_bytes);
  constexpr std::string_view ending = "_per_request";
  std::vector<std::string> units = {sectors, wavefronts};  // that every version has
  const auto add = [&](const std::string& unit) {
    if (std::ranges::find(units, unit) == units.end()) units.push_back(unit);
  };
  for (const CostRecord& cost : site.costs) add(cost.unit);
  if constexpr (Archive::reads) {
    for (const std::string& name : archive.names()) {
      if (name.ends_with(ending)) add(name.substr(0, name.size() - ending.size()));
    }
  }
  for (const std::string& unit : units) {
    const auto known = std::ranges::find(site.costs, unit, &CostRecord::unit);
    CostRecord cost = known == site.costs.end() ? CostRecord{.unit = unit, .per_request = {}} : *known;
    archive(unit + std::string(ending), cost);
    if (Archive::reads && (cost.per_request.predicted || cost.per_request.counted)) site.costs.push_back(cost);
  }
  archive.if_any("pattern", site.pattern);
  archive.if_any("requests", site.requests);
  archive.if_any("active_lanes", site.active_lanes);
  archive.if_any("array", site.array);
}

/// The reason why parts of a picture do not fit together, as what is expected instead; null if they do.
[[nodiscard]] const char* misfit_of(const BankGrid& grid);

template <class Archive>
void fields(Archive& archive, BankGrid::Lane& lane) {
  archive("lane", lane.lane);
  archive("row", lane.row);
  archive("column", lane.column);
  archive("wavefront", lane.wavefront);
}

template <class Archive>
void fields(Archive& archive, BankGrid& grid) {
  archive("tile_rows", grid.tile_rows);
  archive("tile_columns", grid.tile_columns);
  archive("first_row", grid.first_row);
  archive("first_column", grid.first_column);
  archive("element_bytes", grid.element_bytes);
  archive("banks", grid.banks);
  archive("requests", grid.requests);
  archive("wavefronts", grid.wavefronts);
  archive("least_wavefronts", grid.least_wavefronts);
  archive("elements", grid.elements);
  archive("lanes", grid.lanes);
  archive("text", grid.text);
  if constexpr (Archive::reads) {
    if (const char* const expected = misfit_of(grid)) archive.refuse("banks", expected);
  }
}

template <class Archive>
void fields(Archive& archive, Bottleneck& bottleneck) {
  archive("predicted", known(bottleneck.predicted));
  archive("counted", bottleneck.counted);
}

template <class Archive>
void fields(Archive& archive, OccupancyRecord& occupancy) {
  archive("possible", occupancy.possible);
  archive("limited_by", occupancy.limited_by);
}

template <class Archive>
void fields(Archive& archive, StageRecord& stage) {
  archive("stage", stage.stage);
  archive("predicted_s", stage.predicted_s);
  archive("counted_s", stage.counted_s);
}

template <class Archive>
void fields(Archive& archive, measure::Counts& counts) {
  for (const measure::CounterField& field : measure::counter_fields()) {
    archive.later(std::string(field.name), counts.*field.value);
  }
}

template <class Archive>
void fields(Archive& archive, measure::StageSpan& span) {
  archive("stage", span.stage);
  archive("stream", span.stream);
  archive("start_s", either_sign(span.start_s));
  archive("end_s", either_sign(span.end_s));
}

template <class Archive>
void fields(Archive& archive, HeadlineRecord& headline) {
  archive("quantity", headline.quantity);
  archive("better", headline.better);
  archive("measured", headline.measured);
  archive("ci95_low", headline.ci95_low);
  archive("ci95_high", headline.ci95_high);
  archive("predicted", headline.predicted);
  archive("peak", headline.peak);
  archive("samples", known(headline.samples));
}

/// Fills the headline of a record whose report names none: the bandwidth, or the metric that is its probe's headline by
/// now.
void name_headline(Record& record, const MetricRecord& bandwidth, std::optional<double> peak_gb_per_s);

/// The metrics by name as the report has them, with the headline among them unless it is the bandwidth.
[[nodiscard]] NamedValues named_metrics(const Record& record, std::optional<double> MetricRecord::*reading,
                                        std::optional<double> HeadlineRecord::*headline);
void set_metrics(Record& record, const NamedValues& values, std::optional<double> MetricRecord::*reading);

template <class Archive>
void fields(Archive& archive, Record& record) {
  archive("probe", record.probe);
  archive("parameters", record.parameters);
  archive.if_any("range", record.range);
  archive.if_any("caller", record.caller);
  archive.if_any("operator", record.operator_name);
  archive.if_any("called_from", record.called_from);
  archive.if_any("first_launch", record.first_launch);
  archive.if_any("ran_seconds", record.ran_s);
  archive.later("swept", record.swept);
  archive.later("compared", known(record.compared));
  archive.if_any("across", record.across);
  archive.if_any("host_shared_by", record.host_shared_by);
  archive.if_any("drawn_over", record.drawn_over);
  archive.later("baseline", record.baseline);
  archive.later("chosen_by_auto", record.chosen);
  archive("status", record.status);
  archive("reason", record.reason);
  archive("verified", record.verified);
  archive.later("headline", record.headline);
  archive("useful_bytes", [&](auto& bytes) {
    bytes("read", record.useful_bytes_read);
    bytes("written", record.useful_bytes_written);
  });
  archive.later("useful_flops", record.useful_flops);
  archive("time_seconds", record.time);
  archive.later("predicted_seconds", record.predicted_s);
  archive.if_any("predicted_low", record.predicted_low_s);
  archive.if_any("predicted_high", record.predicted_high_s);
  archive.if_any("explained_share", record.explained_share);
  archive.later("no_prediction", record.no_prediction);
  archive.if_any("work", record.work);
  MetricRecord bandwidth{std::string(bandwidth_name), bandwidth_of(record, true), bandwidth_of(record, false)};
  archive("bandwidth_gb_per_s", MeasuredFields{bandwidth.measured, bandwidth.predicted});
  std::optional<double> peak = record.headline.quantity == bandwidth_name ? record.headline.peak : std::nullopt;
  archive.later("peak_gb_per_s", peak);
  archive("fraction_of_peak", record.fraction_of_peak);
  archive.later("relative_to_baseline", MeasuredFields{record.relative_measured, record.relative_predicted});
  archive("access", record.access);
  archive.if_any("bank_grid", record.bank_grid);
  archive("bottleneck", record.bottleneck);
  archive.if_any("occupancy", record.occupancy);
  archive.later("stages", record.stages);
  archive.if_any("verdict", record.verdict);
  archive.if_any("repeated_traffic", record.repeated_traffic);
  archive.later("why", known(record.why));
  archive("counters", record.counters);
  NamedValues metrics = named_metrics(record, &MetricRecord::measured, &HeadlineRecord::measured);
  archive("metrics", metrics);
  NamedValues predicted = named_metrics(record, &MetricRecord::predicted, &HeadlineRecord::predicted);
  archive.later("metrics_predicted", predicted);
  archive.later("timeline", known(record.timeline));
  archive("flags", record.flags);
  if constexpr (Archive::reads) {
    if (record.host_shared_by == 0U) archive.refuse("host_shared_by", "a whole number from 1 on");
    if (record.swept.empty() && !record.parameters.empty()) {
      record.swept = record.parameters.front().name;  // where every probe has it
    }
    set_metrics(record, metrics, &MetricRecord::measured);
    set_metrics(record, predicted, &MetricRecord::predicted);
    if (!archive.has("headline")) name_headline(record, bandwidth, peak);
  }
}

template <class Archive>
void fields(Archive& archive, CheckRecord& check) {
  archive("name", check.name);
  archive.if_any("device", check.device);
  archive.if_any("source", check.source);
  archive.if_any("target", check.target);
  archive("verdict", check.verdict);
  archive("reason", check.reason);
  archive.later("quantity", known(check.quantity));
  archive("measured", either_sign(check.measured));
  archive("at_least", either_sign(check.at_least));
  archive("at_most", either_sign(check.at_most));
  archive("required", check.required);
  archive("attempts", check.attempts);
  archive("cases", check.cases);
  archive.if_any("earlier", check.earlier);
  if (Archive::reads && check.attempts == 0) archive.refuse("attempts", "a whole number from 1 on");
}

template <class Archive>
void fields(Archive& archive, FactRecord& fact) {
  archive("kind", fact.kind);
  archive("cases", fact.cases);
  archive("text", fact.text);
  FactItems values{fact.values};
  FactPredictions predicted{fact.values};
  FactUnits units{fact.values};
  archive("values", values);
  archive("predicted", predicted);
  archive("units", units);
}

template <class Archive>
void fields(Archive& archive, ConclusionRecord& conclusion) {
  archive("probe", conclusion.probe);
  archive("cases", conclusion.cases);
  archive("advice", known(conclusion.advice));
  archive("quantities", conclusion.quantities);
  archive.later("facts", conclusion.facts);
}

template <class Archive>
void fields(Archive& archive, GraphRecord& graph) {
  archive("name", graph.name);
  archive("kernels", graph.kernels);
  archive("launches", graph.launches);
  archive("by_node", graph.by_node);
  archive("time_seconds", graph.time_s);
  archive("gpu_seconds", graph.gpu_s);
}

template <class Archive>
void fields(Archive& archive, ProgramRecord& program) {
  constexpr unsigned largest_exit_code = 255;
  archive("command", program.command);
  std::optional<unsigned> exit_code;
  if (program.exit_code) exit_code = static_cast<unsigned>(*program.exit_code);
  archive("exit_code", exit_code);
  if (Archive::reads && exit_code > largest_exit_code) archive.refuse("exit_code", "a whole number from 0 to 255");
  if (exit_code) program.exit_code = static_cast<int>(*exit_code);
  archive("processes", program.processes);
  archive("kernels_seen", program.kernels_seen);
  archive("launches_seen", program.launches_seen);
  archive("launches_counted", program.launches_counted);
  archive("skipped", program.skipped);
  archive.later("gpu_seconds", program.gpu_seconds);
  archive.later("sampling_seconds", program.sampling_seconds);
  archive.if_any("watched_seconds", program.watched_s);
  archive.later("bin_seconds", program.bin_s);
  archive.if_any("timeline", program.timeline);
  archive.later("engines", program.engines);
  archive.later("notes", program.notes);
  archive.later("graphs", program.graphs);
}

template <class Archive>
void fields(Archive& archive, Report& report) {
  std::uint64_t version = 1;
  archive("schema_version", version);
  if (Archive::reads && version != 1) {
    archive.refuse("schema_version", "1, the version of reports that this gpumem reads");
  }
  archive("tool", report.tool);
  archive("command", report.command);
  archive("started_at", report.started_at);
  archive("backend", report.backend);
  // Nothing else: what is not known to be measured must not pass for it.
  if (Archive::reads && report.backend != "cuda" && report.backend != "model")
    archive.refuse("backend", "cuda or model");
  archive.later("profile", report.profile);
  archive.later("profile_source", report.profile_source);
  archive("host", report.host);
  archive.later("host_placement", report.host_placement);
  archive.later("device", report.device);
  archive.later("devices", report.devices);
  archive.later("suite", report.suite);
  archive.later("watched_flags", report.watched);
  archive.described(report);
  archive.later("program", report.program);
  archive.if_any("advice", report.advice);
  archive.later("conclusions", report.conclusions);
  archive.later("passed", report.passed);
  archive.later("checks", report.checks);
  archive.later("findings", report.findings);
  archive("results", report.results);
  if (Archive::reads && report.devices.empty() && report.device) report.devices = {*report.device};
}

}  // namespace gpumem::report
