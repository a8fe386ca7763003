#include "report/fleet/fleet_machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "engine/base/error.hpp"
#include "report/record/gpus.hpp"
#include "report/record/kernels.hpp"
#include "report/record/readings.hpp"

namespace gpumem::report {

namespace {

/// A text that no two different lists of parameters share.
std::string key_of(const std::vector<Parameter>& parameters) {
  std::string key;
  for (const auto& [name, value] : parameters) {
    const std::string text = gpumem::to_string(value);
    key += fmt::format("{}:{}{}{}:{}", name.size(), name, value.index(), text.size(), text);
  }
  return key;
}

/// A quantity by which a case is judged, and its value.
using Judged = std::pair<ComparedQuantity, std::optional<double>>;

Judged headline_of(const Record& record, bool measured) {
  if (!record.ran()) return {headline_quantity(record), std::nullopt};
  const auto value = positive_headline(record, measured);
  if (!value && record.time) return {time_quantity(), positive(record.time->summary.median.count())};
  return {headline_quantity(record), value};
}

/// Returns the metrics of a case for which the probe says which way is better.
std::vector<Judged> metrics_of(const Record& record, bool measured) {
  std::vector<Judged> all;
  const Probe* probe = record.ran() ? find_probe(record.probe) : nullptr;
  if (probe == nullptr) return all;
  for (const Metric& metric : probe->metrics) {
    const auto& [name, purpose, better] = metric.quantity;
    const auto found = std::ranges::find(record.metrics, name, &MetricRecord::name);
    if (found == record.metrics.end() || better == Better::neither) continue;
    const auto value = positive(measured ? found->measured : found->predicted);
    if (value) all.push_back({{name, better}, value});
  }
  return all;
}

FleetVerdict verdict_on(const Record& record, bool has_value) {
  if (record.status == Status::failed) return FleetVerdict::failed;
  if (record.status == Status::skipped) return FleetVerdict::skipped;
  if (record.verified == false) return FleetVerdict::wrong_data;
  return has_value ? FleetVerdict::unjudged : FleetVerdict::no_value;
}

/// Returns true if the case is of a pair of GPUs of a node, as in a matrix of GPUs. Cases that each of several GPUs ran
/// alone have the parameter `device` across.
bool is_of_pair(const Record& record) { return !record.across.empty() && record.across != device_parameter; }

/// Returns the number of GPUs of a node. GPUs that only the pairs name count too, because a report of predictions may
/// list only one GPU.
std::size_t gpus_of_node(const Report& report) {
  std::set<Value> named;
  for (const Record& record : report.results) {
    if (!is_of_pair(record)) continue;
    for (const Parameter& parameter : record.parameters) {
      if (parameter.name == record.swept || parameter.name == record.across) named.insert(parameter.value);
    }
  }
  return std::max(report.devices.size(), named.size());
}

std::vector<FleetReading> readings_of(const Report& report, bool pairs, FleetNames& names) {
  std::vector<FleetReading> readings;
  // Growing arrays of thousands of reports would leave gaps of every size, in which the next allocations are slow to
  // find room.
  readings.reserve(report.results.size());
  std::unordered_map<std::size_t, std::size_t> seen;  // how many of a name, by the number of the first
  const auto number_of = [&](FleetCaseName& name, const ComparedQuantity& quantity) {
    name.quantity = quantity;
    name.repetition = 0;
    const std::size_t first = names.case_number(name);
    name.repetition = seen[first]++;
    return name.repetition == 0 ? first : names.case_number(name);
  };
  for (std::size_t i = 0; i < report.results.size(); ++i) {
    const Record& record = report.results[i];
    if (is_of_pair(record) != pairs || (record.ran() && record.shared_host())) continue;
    FleetCaseName name;
    name.asked.probe = record.probe;
    name.asked.parameters = record.parameters;
    name.asked.swept = record.swept;
    name.asked.compared = record.compared;
    name.asked.across = record.across;
    std::vector<Parameter> decided;
    for (Parameter& parameter : name.asked.parameters) {
      if (!record.is_chosen(parameter.name)) continue;
      decided.push_back(parameter);
      parameter.value = "auto";
    }
    const std::size_t shape = names.shape_number(decided);
    const auto [headline, value] = headline_of(record, !report.is_prediction());
    readings.push_back({.name = number_of(name, headline),
                        .shape = shape,
                        .position = i,
                        .verdict = verdict_on(record, value.has_value()),
                        .value = value,
                        .reason = record.reason.value_or(""),
                        .flags = record.flags});
    name.is_metric = true;
    for (const auto& [metric, of_metric] : metrics_of(record, !report.is_prediction())) {
      readings.push_back({.name = number_of(name, metric), .shape = shape, .position = i, .value = of_metric});
    }
  }
  return readings;
}

/// Not the list of report/compare/differences.cpp: a fleet counts values, so that each has to read alone ("PCIe gen5
/// x16"). Two reports show two values beside each other.
std::vector<std::pair<std::string, std::string>> properties_of(const Report& report) {
  std::vector<std::pair<std::string, std::string>> properties;
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) properties.emplace_back(name, value);
  };
  const Device& device = *report.device;
  add("driver", device.driver_version.value_or(""));
  add("CUDA runtime", device.runtime_version.value_or(""));
  const std::string& commit = report.tool.git_commit;
  add("gpumem", report.tool.version + (commit.empty() || commit == "unknown" ? "" : " (" + commit + ")"));
  if (device.ecc) add("ECC", *device.ecc ? "on" : "off");
  if (device.mig) add("MIG", *device.mig ? "on" : "off");
  if (device.pcie_generation && device.pcie_width) {
    add("host link", fmt::format("PCIe gen{} x{}", *device.pcie_generation, *device.pcie_width));
  }
  if (report.is_prediction()) add("profile", report.profile.value_or("the device's own attributes"));
  add("host CPU", report.host.cpu);
  add("host OS", report.host.os);
  return properties;
}

/// Returns a machine with the report's cases of pairs of GPUs or, without `pairs`, with all others.
FleetMachine machine_of(const Report& report, bool pairs, const std::string& file, FleetNames& names) {
  if (!report.device) throw usage_error(file + ": names no GPU; a dry run measures nothing to compare");
  return {.file = file,
          .host = report.host.name,
          .gpu = report.device->name,
          .uuid = report.device->uuid,
          .pci_bus_id = report.device->pci_bus_id,
          .backend = report.backend,
          .started_at = report.started_at,
          .suite = report.suite,
          .properties = properties_of(report),
          .readings = readings_of(report, pairs, names)};
}

}  // namespace

std::size_t FleetNames::case_number(const FleetCaseName& name) {
  const auto& [quantity, better] = name.quantity;
  const std::string key = fmt::format("case{}:{}:{}{}:{}{}", name.repetition, name.asked.probe.size(), name.asked.probe,
                                      quantity.size(), quantity, key_of(name.asked.parameters));
  const std::scoped_lock lock(mutex_);
  const auto [entry, added] = numbers_.try_emplace(key, cases_.size());
  if (added) cases_.push_back(name);
  return entry->second;
}

std::size_t FleetNames::shape_number(const std::vector<Parameter>& decided) {
  const std::string key = "shape" + key_of(decided);
  const std::scoped_lock lock(mutex_);
  const auto [entry, added] = numbers_.try_emplace(key, shapes_.size());
  if (added) shapes_.push_back(decided);
  return entry->second;
}

Record FleetNames::record(std::size_t case_number, std::size_t shape_number) const {
  Record record = cases_[case_number].asked;
  for (const Parameter& decided : shapes_[shape_number]) {
    std::ranges::find(record.parameters, decided.name, &Parameter::name)->value = decided.value;
    record.chosen.push_back(decided.name);
  }
  return record;
}

std::vector<FleetMachine> fleet_machines(const Report& report, const std::string& file, FleetNames& names) {
  std::vector<FleetMachine> machines;
  for (const GpuPart& part : gpu_parts(report)) machines.push_back(machine_of(part.report, false, file, names));
  if (machines.empty()) machines.push_back(machine_of(report, false, file, names));
  FleetMachine node = machine_of(report, true, file, names);
  if (node.readings.empty()) return machines;
  node.gpus = gpus_of_node(report);
  std::erase_if(machines, [](const FleetMachine& gpu) { return gpu.readings.empty(); });
  machines.push_back(std::move(node));
  return machines;
}

}  // namespace gpumem::report
