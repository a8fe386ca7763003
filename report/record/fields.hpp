#pragma once
// The members of a report's JSON, each named once: writing, reading and the test of the schema go through these lists.
//
// An archive is called as `archive(name, member)` for what every version wrote, and as `archive.later(name, member)`
// for what reports of earlier versions may lack, which then stays as it is. An optional member that is absent is null,
// and so is one in known() that is empty or 0. `archive.derived` is written, and not read. Archives say whether they
// read with `Archive::reads`, and whether they want more than the contract names with `archive.has(name)`. What stands
// in few records is `archive.if_any(name, member)`: without it the name is not there.

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "probes/measure/counters.hpp"
#include "report/record/readings.hpp"
#include "report/record/record.hpp"

namespace gpumem::report {

/// Of quantities that cannot be zero, texts that cannot be empty: those stand for what is not known.
template <class T>
struct Known {
  T& value;
};
template <class T>
[[nodiscard]] Known<T> known(T& value) {
  return {value};
}

/// A number that may be negative: a place in time, or what a probe makes of its readings. Any other is an amount.
template <class T>
struct Signed {
  T& value;
};
template <class T>
[[nodiscard]] Signed<T> either_sign(T& value) {
  return {value};
}

/// Members that stand in an object of their own.
template <class Archive, std::invocable<Archive&> Members>
void fields(Archive& archive, Members& members) {
  members(archive);
}

/// Numbers by names that only the report knows.
using NamedValues = std::vector<std::pair<std::string, std::optional<double>>>;
using NamedCounts = std::vector<std::pair<std::string, std::uint64_t>>;

template <class Archive>
void fields(Archive& archive, Tool& tool) {
  std::string name = "gpumem";
  archive("name", name);
  archive.later("version", known(tool.version));
  archive.later("git_commit", known(tool.git_commit));
  archive.later("compiler", known(tool.compiler));
  archive.later("cuda_compiler", known(tool.cuda_compiler));
  archive.later("build_type", known(tool.build_type));
  if (Archive::reads && name != "gpumem") archive.refuse("name", "\"gpumem\"");
}

template <class Archive>
void fields(Archive& archive, Host& host) {
  archive.later("name", known(host.name));
  archive.later("os", known(host.os));
  archive.later("cpu", known(host.cpu));
  archive.later("memory_bytes", known(host.memory_bytes));
}

template <class Archive>
void fields(Archive& archive, HostPlacement& placement) {
  archive.later("numa_node", placement.numa_node);
  archive("how", placement.how);
}

/// A link of a GPU and the one that it leads to, by its index.
struct NumberedLink {
  unsigned gpu = 0;
  PeerLink link = {};
};
/// Those of a device that lead to another GPU.
[[nodiscard]] std::vector<NumberedLink> links_to_others(const std::vector<PeerLink>& links);
/// All of a device, itself in the place that is left; absent unless they are one to each other GPU.
[[nodiscard]] std::optional<std::vector<PeerLink>> links_by_gpu(const std::vector<NumberedLink>& others);

template <class Archive>
void fields(Archive& archive, NumberedLink& numbered) {
  PeerLink& link = numbered.link;
  archive("gpu", numbered.gpu);
  archive("path", link.path);
  // Where nothing is known of the way, nobody has counted NVLinks.
  const auto count = [&](const char* name, unsigned& nvlinks) {
    std::optional<unsigned> counted;
    if (link.path != PeerLink::Path::unknown) counted = nvlinks;
    archive(name, counted);
    nvlinks = counted ? *counted : 0;
  };
  count("nvlinks", link.nvlinks);
  count("nvlinks_down", link.nvlinks_down);
  archive("nvlink_version", link.nvlink_version);
  archive("nvswitch", link.nvswitch);
  archive("bytes_per_nvlink_s", known(link.bytes_per_nvlink_s));
  archive("pcie_bytes_per_s", link.pcie_bytes_per_s);
  const auto theoretical = link.theoretical_bytes_per_s();
  archive.derived("theoretical_gb_per_s", theoretical ? std::optional(*theoretical * per_giga) : std::nullopt);
  archive("peer_access", link.access);
  archive("no_access", known(link.no_access));
}

template <class Archive>
void fields(Archive& archive, Device& device) {
  archive("name", device.name);
  archive.later("uuid", device.uuid);
  archive.later("pci_bus_id", device.pci_bus_id);
  archive.if_any("index", device.index);
  archive.later("compute_capability", device.compute_capability);
  archive.later("multiprocessors", known(device.multiprocessors));
  archive.later("l2_bytes", known(device.l2_bytes));
  archive.later("memory_bytes", known(device.memory_bytes));
  archive.later("memory_bus_bits", known(device.memory_bus_bits));
  archive.later("memory_clock_hz", known(device.memory_clock_hz));
  archive.later("sm_clock_hz", known(device.sm_clock_hz));
  const double peak = device.theoretical_bandwidth_bytes_per_s() * per_giga;
  archive.derived("theoretical_bandwidth_gb_per_s", peak > 0 ? std::optional(peak) : std::nullopt);
  archive.later("ecc", device.ecc);
  archive.later("mig", device.mig);
  archive.later("pcie", [&](auto& pcie) {
    pcie.later("generation", device.pcie_generation);
    pcie.later("width", device.pcie_width);
    const auto link = device.link_bytes_per_s();
    std::optional<double> each_way = link ? std::optional(*link * per_giga) : std::nullopt;
    const bool computed = each_way.has_value();
    pcie.later("theoretical_gb_per_s", each_way);
    // A rate that could be computed and is null says that the link is something else.
    if (Archive::reads && pcie.has("theoretical_gb_per_s")) device.link_is_pcie = each_way || !computed;
  });
  archive.later("shared_bytes_per_block", known(device.shared_bytes_per_block));
  archive.later("shared_bytes_per_multiprocessor", known(device.shared_bytes_per_multiprocessor));
  archive.later("threads_per_multiprocessor", known(device.threads_per_multiprocessor));
  archive.later("copy_engines", known(device.copy_engines));
  archive.later("integrated", device.integrated);
  archive.later("maps_host_memory", device.maps_host_memory);
  archive.later("numa_node", device.numa_node);
  archive.later("driver_version", device.driver_version);
  archive.later("runtime_version", device.runtime_version);
  std::vector<NumberedLink> others = links_to_others(device.links);
  archive.if_any("links", others);
  if constexpr (Archive::reads) {
    if (!archive.has("links")) return;
    auto links = links_by_gpu(others);
    if (!links) archive.refuse("links", "one link to each other GPU");
    device.links = std::move(*links);
  }
}

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

/// What was measured beside what was predicted.
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

/// What reports said before they named a headline: the bandwidth, or the metric of its name that the probe is about
/// now.
void name_headline(Record& record, const MetricRecord& bandwidth, std::optional<double> peak_gb_per_s);

/// Metrics as the report has them by name, with the headline among them unless it is the bandwidth.
[[nodiscard]] NamedValues named_metrics(const Record& record, std::optional<double> MetricRecord::*reading,
                                        std::optional<double> HeadlineRecord::*headline);
void set_metrics(Record& record, const NamedValues& values, std::optional<double> MetricRecord::*reading);

template <class Archive>
void fields(Archive& archive, Record& record) {
  archive("probe", record.probe);
  archive("parameters", record.parameters);
  archive.if_any("range", record.range);
  archive.if_any("first_launch", record.first_launch);
  archive.if_any("ran_seconds", record.ran_s);
  archive.later("swept", record.swept);
  archive.later("compared", known(record.compared));
  archive.if_any("across", record.across);
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
  archive.later("no_prediction", record.no_prediction);
  MetricRecord bandwidth{std::string(bandwidth_name), bandwidth_of(record, true), bandwidth_of(record, false)};
  archive("bandwidth_gb_per_s", MeasuredFields{bandwidth.measured, bandwidth.predicted});
  std::optional<double> peak = record.headline.quantity == bandwidth_name ? record.headline.peak : std::nullopt;
  archive.later("peak_gb_per_s", peak);
  archive("fraction_of_peak", record.fraction_of_peak);
  archive.later("relative_to_baseline", MeasuredFields{record.relative_measured, record.relative_predicted});
  archive("access", record.access);
  archive("bottleneck", record.bottleneck);
  archive.if_any("occupancy", record.occupancy);
  archive.later("stages", record.stages);
  archive.later("why", known(record.why));
  archive("counters", record.counters);
  NamedValues metrics = named_metrics(record, &MetricRecord::measured, &HeadlineRecord::measured);
  archive("metrics", metrics);
  NamedValues predicted = named_metrics(record, &MetricRecord::predicted, &HeadlineRecord::predicted);
  archive.later("metrics_predicted", predicted);
  archive.later("timeline", known(record.timeline));
  archive("flags", record.flags);
  if constexpr (Archive::reads) {
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
  archive("verdict", check.verdict);
  archive("reason", check.reason);
  archive.later("quantity", known(check.quantity));
  archive("measured", either_sign(check.measured));
  archive("at_least", either_sign(check.at_least));
  archive("at_most", either_sign(check.at_most));
  archive("required", check.required);
  archive("attempts", check.attempts);
  archive("cases", check.cases);
  if (Archive::reads && check.attempts == 0) archive.refuse("attempts", "a whole number from 1 on");
}

template <class Archive>
void fields(Archive& archive, ConclusionRecord& conclusion) {
  archive("probe", conclusion.probe);
  archive("cases", conclusion.cases);
  archive("advice", known(conclusion.advice));
  archive("quantities", conclusion.quantities);
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
  archive.later("bin_seconds", program.bin_s);
  archive.later("engines", program.engines);
  archive.later("notes", program.notes);
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
  archive("host", report.host);
  archive.later("host_placement", report.host_placement);
  archive.later("device", report.device);
  archive.later("devices", report.devices);
  archive.later("suite", report.suite);
  archive.later("watched_flags", report.watched);
  archive.described(report);
  archive.later("program", report.program);
  archive.later("conclusions", report.conclusions);
  archive.later("checks", report.checks);
  archive.later("findings", report.findings);
  archive("results", report.results);
  if (Archive::reads && report.devices.empty() && report.device) report.devices = {*report.device};
}

}  // namespace gpumem::report
