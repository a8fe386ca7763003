// The JSON report, version 1. Its names are a contract: add, never rename.

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <ostream>

#include "report/record/readings.hpp"
#include "report/text/text.hpp"
#include "report/write/json_values.hpp"
#include "report/write/writers.hpp"

namespace gpumem::report {

namespace {

using namespace json_values;

Json to_json(const Tool& tool) {
  return {{"name", "gpumem"},
          {"version", known(tool.version)},
          {"git_commit", known(tool.git_commit)},
          {"compiler", known(tool.compiler)},
          {"cuda_compiler", known(tool.cuda_compiler)},
          {"build_type", known(tool.build_type)}};
}

Json to_json(const Host& host) {
  return {{"name", known(host.name)},
          {"os", known(host.os)},
          {"cpu", known(host.cpu)},
          {"memory_bytes", known(host.memory_bytes)}};
}

Json to_json(const HostPlacement& placement) {
  return {{"numa_node", optional(placement.numa_node)}, {"how", placement.how}};
}

Json to_json(const Device& device) {
  const auto link = device.link_bytes_per_s();
  const double bandwidth = device.theoretical_bandwidth_bytes_per_s() / 1e9;
  return {{"name", device.name},
          {"uuid", optional(device.uuid)},
          {"pci_bus_id", optional(device.pci_bus_id)},
          {"compute_capability", device.compute_capability},
          {"multiprocessors", known(device.multiprocessors)},
          {"l2_bytes", known(device.l2_bytes)},
          {"memory_bytes", known(device.memory_bytes)},
          {"memory_bus_bits", known(device.memory_bus_bits)},
          {"memory_clock_hz", known(device.memory_clock_hz)},
          {"sm_clock_hz", known(device.sm_clock_hz)},
          {"theoretical_bandwidth_gb_per_s", bandwidth > 0 ? number(bandwidth) : Json(nullptr)},
          {"ecc", optional(device.ecc)},
          {"mig", optional(device.mig)},
          {"pcie",
           {{"generation", optional(device.pcie_generation)},
            {"width", optional(device.pcie_width)},
            {"theoretical_gb_per_s", link ? number(*link / 1e9) : Json(nullptr)}}},  // each way
          {"shared_bytes_per_block", known(device.shared_bytes_per_block)},
          {"shared_bytes_per_multiprocessor", known(device.shared_bytes_per_multiprocessor)},
          {"threads_per_multiprocessor", known(device.threads_per_multiprocessor)},
          {"copy_engines", known(device.copy_engines)},
          {"integrated", device.integrated},
          {"maps_host_memory", device.maps_host_memory},
          {"numa_node", optional(device.numa_node)},
          {"driver_version", optional(device.driver_version)},
          {"runtime_version", optional(device.runtime_version)}};
}

Json to_json(const TimeRecord& time) {
  Json samples = Json::array();
  for (const measure::Seconds sample : time.samples) samples.push_back(number(sample.count()));
  return {{"median", number(time.summary.median.count())},
          {"ci95_low", number(time.summary.ci95_low.count())},
          {"ci95_high", number(time.summary.ci95_high.count())},
          {"min", number(time.summary.min.count())},
          {"p05", number(time.summary.p05.count())},
          {"p95", number(time.summary.p95.count())},
          {"count", time.summary.count},
          {"samples", std::move(samples)}};
}

Json to_json(const Reading& reading) {
  return {{"predicted", number(reading.predicted)}, {"counted", number(reading.counted)}};
}

Json to_json(const SiteRecord& site) {
  return {{"site", site.site},
          {"space", site.space},
          {"op", site.op},
          {"word_bytes", site.word_bytes},
          {"sectors_per_request", to_json(site.sectors_per_request)},
          {"wavefronts_per_request", to_json(site.wavefronts_per_request)}};
}

Json to_json(const Bottleneck& bottleneck) {
  return {{"predicted", bottleneck.predicted}, {"counted", optional(bottleneck.counted)}};
}

Json to_json(const std::vector<StageRecord>& stages) {
  Json list = Json::array();
  for (const auto& [stage, predicted_s, counted_s] : stages) {
    list.push_back({{"stage", stage}, {"predicted_s", number(predicted_s)}, {"counted_s", number(counted_s)}});
  }
  return list;
}

Json to_json(const measure::Counts& counts) {
  Json counters = Json::object();
  for (const measure::CounterField& field : measure::counter_fields()) {
    counters[std::string(field.name)] = number(counts.*field.value);
  }
  return counters;
}

Json to_json(const std::vector<measure::StageSpan>& timeline) {
  if (timeline.empty()) return nullptr;
  Json spans = Json::array();
  for (const auto& [stage, stream, start_s, end_s] : timeline) {
    spans.push_back({{"stage", stage}, {"stream", stream}, {"start_s", number(start_s)}, {"end_s", number(end_s)}});
  }
  return spans;
}

Json to_json(const Record& record) {
  Json access = Json::array();
  for (const SiteRecord& site : record.access) access.push_back(to_json(site));
  Json metrics = Json::object();
  for (const auto& [name, value] : record.metrics) metrics[name] = number(value);

  return {
      {"probe", record.probe},
      {"parameters", parameters(record.parameters)},
      {"swept", record.swept},
      {"compared", known(record.compared)},
      {"baseline", parameter(record.baseline)},
      {"chosen_by_auto", record.chosen},
      {"status", to_string(record.status)},
      {"reason", optional(record.reason)},
      {"verified", optional(record.verified)},
      {"useful_bytes", {{"read", record.useful_bytes_read}, {"written", record.useful_bytes_written}}},
      {"time_seconds", record.time ? to_json(*record.time) : Json(nullptr)},
      {"bandwidth_gb_per_s",
       {{"measured", number(record.measured_gb_per_s)}, {"predicted", number(record.predicted_gb_per_s)}}},
      {"peak_gb_per_s", number(record.peak_gb_per_s)},
      {"fraction_of_peak", number(record.fraction_of_peak)},
      {"relative_to_baseline",
       {{"measured", number(record.relative_measured)}, {"predicted", number(record.relative_predicted)}}},
      {"access", std::move(access)},
      {"bottleneck", record.bottleneck ? to_json(*record.bottleneck) : Json(nullptr)},
      {"stages", to_json(record.stages)},
      {"why", known(record.why)},
      {"counters", record.counters ? to_json(*record.counters) : Json(nullptr)},
      {"metrics", std::move(metrics)},
      {"timeline", to_json(record.timeline)},
      {"flags", record.flags},
  };
}

Json to_json(const CheckRecord& check) {
  return {{"name", check.name},
          {"verdict", to_string(check.verdict)},
          {"reason", check.reason},
          {"quantity", known(check.quantity)},
          {"measured", number(check.measured)},
          {"at_least", number(check.at_least)},
          {"at_most", number(check.at_most)},
          {"required", check.required},
          {"attempts", check.attempts},
          {"cases", check.cases}};
}

Json to_json(const Report& report) {
  Json results = Json::array();
  for (const Record& record : report.results) results.push_back(to_json(record));
  Json checks = Json::array();
  for (const CheckRecord& check : report.checks) checks.push_back(to_json(check));
  return {{"schema_version", 1},
          {"tool", to_json(report.tool)},
          {"command", report.command},
          {"started_at", report.started_at},
          {"backend", report.backend},
          {"profile", optional(report.profile)},
          {"host", to_json(report.host)},
          {"host_placement", report.host_placement ? to_json(*report.host_placement) : Json(nullptr)},
          {"device", report.device ? to_json(*report.device) : Json(nullptr)},
          {"suite", optional(report.suite)},
          {"watched_flags", optional(report.watched)},
          {"checks", std::move(checks)},
          {"findings", report.findings},
          {"results", std::move(results)}};
}

// The layout: what differs between two reports should stand on a line of its own, yet a hundred samples on one.
// nlohmann's own dump offers one number per line or everything on one line.

constexpr unsigned deepest_broken_level = 3;  // report, results, a result, its time, access and timeline
constexpr std::size_t long_text = 60;

bool is_broken(const Json& value, unsigned level) {
  if (value.empty() || level > deepest_broken_level) return false;
  return std::ranges::any_of(value, [](const Json& part) {
    return part.is_structured() || (part.is_string() && part.get_ref<const std::string&>().size() > long_text);
  });
}

/// What a terminal would act on is escaped (report/text/text.hpp), and with it the rest of its text.
bool needs_escapes(const Json& value) {
  if (!value.is_string()) return false;
  const auto& text = value.get_ref<const std::string&>();
  return one_line(text) != text;
}

void append_scalar(std::string& text, const Json& value) {
  if (value.is_number_float()) {
    fmt::format_to(std::back_inserter(text), "{}", value.get<double>());  // shortest that reads back the same
  } else {
    // An argument or a file name may hold any bytes; those that are not UTF-8 are replaced, not fatal.
    text += value.dump(-1, ' ', needs_escapes(value), Json::error_handler_t::replace);
  }
}

void append(std::string& text, const Json& value, unsigned level) {
  if (!value.is_structured()) return append_scalar(text, value);
  const bool broken = is_broken(value, level);
  const bool object = value.is_object();
  text += object ? '{' : '[';
  const char* separator = "";
  for (auto part = value.begin(); part != value.end(); ++part) {
    text += separator;
    separator = broken ? "," : ", ";
    if (broken) text.append("\n").append(2 * (level + 1), ' ');
    if (object) {
      append_scalar(text, part.key());
      text += ": ";
    }
    append(text, *part, level + 1);
  }
  if (broken) text.append("\n").append(2 * level, ' ');
  text += object ? '}' : ']';
}

}  // namespace

void write_json(std::ostream& out, const Report& report) {
  std::string text;
  append(text, to_json(report), 0);
  out << text << '\n';
}

void write_record_line(std::ostream& out, const Record& record) {
  out << to_json(record).dump(-1, ' ', false, Json::error_handler_t::replace) << '\n';
}

void write_devices_json(std::ostream& out, std::span<const Device> devices) {
  Json list = Json::array();
  for (const Device& device : devices) list.push_back(to_json(device));
  std::string text;
  append(text, list, 0);
  out << text << '\n';
}

}  // namespace gpumem::report
