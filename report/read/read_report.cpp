#include "report/read/read_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "probes/json_reader.hpp"
#include "report/read/read_record.hpp"
#include "report/record/readings.hpp"

namespace gpumem::report {

namespace {

// What the writer did not know is null, and what an earlier version did not write is missing: both stay as they are in
// a Device or Host that nobody filled in.

void read(const std::optional<JsonReader>& json, std::string& target) {
  if (json) target = json->text();
}
void read(const std::optional<JsonReader>& json, unsigned& target) {
  if (json) target = json->small_whole();
}
void read(const std::optional<JsonReader>& json, std::uint64_t& target) {
  if (json) target = json->whole();
}
void read(const std::optional<JsonReader>& json, bool& target) {
  if (json) target = json->boolean();
}
template <class T>
void read(const std::optional<JsonReader>& json, std::optional<T>& target) {
  if (json) read(json, target.emplace());
}

Tool to_tool(const JsonReader& json) {
  if (const JsonReader name = json.member("name"); name.text() != "gpumem") name.fail("\"gpumem\"");
  Tool tool;
  read(json.find("version"), tool.version);
  read(json.find("git_commit"), tool.git_commit);
  read(json.find("compiler"), tool.compiler);
  read(json.find("cuda_compiler"), tool.cuda_compiler);
  read(json.find("build_type"), tool.build_type);
  return tool;
}

Host to_host(const JsonReader& json) {
  Host host;
  read(json.find("name"), host.name);
  read(json.find("os"), host.os);
  read(json.find("cpu"), host.cpu);
  read(json.find("memory_bytes"), host.memory_bytes);
  return host;
}

HostPlacement to_placement(const JsonReader& json) {
  HostPlacement placement;
  read(json.find("numa_node"), placement.numa_node);
  placement.how = json.member("how").text();
  return placement;
}

Device to_device(const JsonReader& json) {
  Device device;
  device.name = json.member("name").text();
  read(json.find("uuid"), device.uuid);
  read(json.find("pci_bus_id"), device.pci_bus_id);
  read(json.find("compute_capability"), device.compute_capability);
  read(json.find("multiprocessors"), device.multiprocessors);
  read(json.find("l2_bytes"), device.l2_bytes);
  read(json.find("memory_bytes"), device.memory_bytes);
  read(json.find("memory_bus_bits"), device.memory_bus_bits);
  read(json.find("memory_clock_hz"), device.memory_clock_hz);
  read(json.find("sm_clock_hz"), device.sm_clock_hz);
  read(json.find("ecc"), device.ecc);
  read(json.find("mig"), device.mig);
  read(json.find("shared_bytes_per_block"), device.shared_bytes_per_block);
  read(json.find("shared_bytes_per_multiprocessor"), device.shared_bytes_per_multiprocessor);
  read(json.find("threads_per_multiprocessor"), device.threads_per_multiprocessor);
  read(json.find("copy_engines"), device.copy_engines);
  read(json.find("integrated"), device.integrated);
  read(json.find("maps_host_memory"), device.maps_host_memory);
  read(json.find("numa_node"), device.numa_node);
  read(json.find("driver_version"), device.driver_version);
  read(json.find("runtime_version"), device.runtime_version);
  if (const auto pcie = json.find("pcie")) {
    read(pcie->find("generation"), device.pcie_generation);
    read(pcie->find("width"), device.pcie_width);
    // A rate that could be computed and is null says that the link is something else.
    const bool unknown = pcie->has("theoretical_gb_per_s") && !pcie->find("theoretical_gb_per_s");
    device.link_is_pcie = !(unknown && device.link_bytes_per_s());
  }
  return device;
}

/// Reports of all probes together have some 30 of either.
constexpr std::size_t most_columns = 200;

/// Nothing else: what is not known to be measured must not pass for it.
std::string to_backend(const JsonReader& json) {
  const std::string name = json.text();
  if (name != "cuda" && name != "model") json.fail("cuda or model");
  return name;
}

Verdict to_verdict(const JsonReader& json) {
  const std::string name = json.text();
  for (const Verdict verdict : {Verdict::pass, Verdict::fail, Verdict::skip}) {
    if (to_string(verdict) == name) return verdict;
  }
  json.fail("pass, fail or skip");
}

/// `results` is how many there are.
CheckRecord to_check(const JsonReader& json, std::size_t results) {
  CheckRecord check;
  check.name = json.member("name").text();
  check.verdict = to_verdict(json.member("verdict"));
  check.reason = json.member("reason").text();
  read(json.find("quantity"), check.quantity);
  check.measured = json.member("measured").number_or_null();
  check.at_least = json.member("at_least").number_or_null();
  check.at_most = json.member("at_most").number_or_null();
  check.required = json.member("required").boolean();
  check.attempts = json.member("attempts").small_whole(1);
  for (const JsonReader& index : json.member("cases").items()) {
    check.cases.push_back(index.whole());
    if (check.cases.back() >= results) index.fail(fmt::format("the index of one of the {} results", results));
  }
  return check;
}

void add_once(std::vector<std::string>& names, const std::string& name, const JsonReader& result) {
  if (std::ranges::find(names, name) != names.end()) return;
  if (names.size() == most_columns) {
    result.refuse(fmt::format("expected at most {} different parameters or metrics in a report", most_columns));
  }
  names.push_back(name);
}

}  // namespace

Report read_report(std::string_view text, const std::string& source, std::span<const std::string_view> emptied) {
  const Json parsed = parse_json(text, source, emptied);
  const JsonReader json(parsed, source);
  if (const JsonReader version = json.member("schema_version"); version.whole() != 1) {
    version.fail("1, the version of reports that this gpumem reads");
  }
  Report report;
  report.tool = to_tool(json.member("tool"));
  report.command = json.member("command").texts();
  report.started_at = json.member("started_at").text();
  report.backend = to_backend(json.member("backend"));
  read(json.find("profile"), report.profile);
  report.host = to_host(json.member("host"));
  if (const auto placement = json.find("host_placement")) report.host_placement = to_placement(*placement);
  if (const auto device = json.find("device")) report.device = to_device(*device);
  read(json.find("suite"), report.suite);
  if (const auto watched = json.find("watched_flags")) report.watched = watched->texts();
  if (const auto findings = json.find("findings")) report.findings = findings->texts();
  for (const JsonReader& result : json.member("results").items()) {
    const Record& record = report.results.emplace_back(read_record(result, WrittenBy::any_version));
    for (const Parameter& parameter : record.parameters) add_once(report.parameter_columns, parameter.name, result);
    for (const MetricRecord& metric : record.metrics) add_once(report.metric_columns, metric.name, result);
  }
  if (const auto checks = json.find("checks")) {
    for (const JsonReader& check : checks->items()) report.checks.push_back(to_check(check, report.results.size()));
  }
  return report;
}

}  // namespace gpumem::report
