#include "report/fleet/fleet_machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "probes/error.hpp"

namespace gpumem::report {

namespace {

/// A text that no two different lists of parameters share.
std::string key_of(const std::vector<Parameter>& parameters) {
  std::string key;
  for (const auto& [name, value] : parameters) {
    const std::string text = to_string(value);
    key += fmt::format("{}:{}{}{}:{}", name.size(), name, value.index(), text.size(), text);
  }
  return key;
}

/// Of a quantity that cannot be zero or less: what a hostile report claims would spoil every median.
std::optional<double> positive(std::optional<double> value) {
  return value && std::isfinite(*value) && *value > 0 ? value : std::nullopt;
}

FleetReading reading_of(const Record& record, bool predicted, std::size_t repetition, FleetNames& names) {
  FleetCaseName name{.probe = record.probe, .parameters = record.parameters, .repetition = repetition};
  std::vector<Parameter> decided;
  for (Parameter& parameter : name.parameters) {
    if (std::ranges::find(record.chosen, parameter.name) == record.chosen.end()) continue;
    decided.push_back(parameter);
    parameter.value = "auto";
  }
  FleetReading reading{.name = names.case_number(std::move(name)),
                       .shape = names.shape_number(decided),
                       .status = record.status,
                       .wrong_data = record.verified == false,
                       .gb_per_s = positive(predicted ? record.predicted_gb_per_s : record.measured_gb_per_s),
                       .time_s = {},
                       .reason = record.reason.value_or(""),
                       .flags = record.flags};
  if (record.time) reading.time_s = positive(record.time->summary.median.count());
  return reading;
}

std::string on_or_off(bool state) { return state ? "on" : "off"; }

std::vector<FleetProperty> properties_of(const Report& report) {
  std::vector<FleetProperty> properties;
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) properties.push_back({name, value});
  };
  const Device& device = *report.device;
  add("driver", device.driver_version.value_or(""));
  add("CUDA runtime", device.runtime_version.value_or(""));
  const std::string& commit = report.tool.git_commit;
  add("gpumem", report.tool.version + (commit.empty() || commit == "unknown" ? "" : " (" + commit + ")"));
  if (device.ecc) add("ECC", on_or_off(*device.ecc));
  if (device.mig) add("MIG", on_or_off(*device.mig));
  if (device.pcie_generation && device.pcie_width) {
    add("host link", fmt::format("PCIe gen{} x{}", *device.pcie_generation, *device.pcie_width));
  }
  if (report.backend == "model") add("profile", report.profile.value_or("the device's own attributes"));
  add("host CPU", report.host.cpu);
  add("host OS", report.host.os);
  return properties;
}

}  // namespace

std::size_t FleetNames::case_number(FleetCaseName name) {
  const std::string key = fmt::format("case{}:{}:{}{}", name.repetition, name.probe.size(), name.probe,  //
                                      key_of(name.parameters));
  const std::scoped_lock lock(mutex_);
  const auto [entry, added] = numbers_.try_emplace(key, cases_.size());
  if (added) cases_.push_back(std::move(name));
  return entry->second;
}

std::size_t FleetNames::shape_number(const std::vector<Parameter>& decided) {
  const std::string key = "shape" + key_of(decided);
  const std::scoped_lock lock(mutex_);
  const auto [entry, added] = numbers_.try_emplace(key, shapes_.size());
  if (added) shapes_.push_back(decided);
  return entry->second;
}

FleetMachine fleet_machine(const Report& report, const std::string& file, FleetNames& names) {
  if (!report.device) throw usage_error(file + ": names no GPU; a dry run measures nothing to compare");
  FleetMachine machine{.file = file,
                       .host = report.host.name,
                       .gpu = report.device->name,
                       .uuid = report.device->uuid,
                       .pci_bus_id = report.device->pci_bus_id,
                       .backend = report.backend,
                       .started_at = report.started_at,
                       .properties = properties_of(report),
                       .readings = {}};
  machine.readings.reserve(report.results.size());
  std::unordered_map<std::size_t, std::size_t> seen;  // by the number of the first
  for (const Record& record : report.results) {
    FleetReading reading = reading_of(record, report.backend == "model", 0, names);
    if (const std::size_t before = seen[reading.name]++; before > 0) {
      reading.name = reading_of(record, report.backend == "model", before, names).name;
    }
    machine.readings.push_back(std::move(reading));
  }
  return machine;
}

}  // namespace gpumem::report
