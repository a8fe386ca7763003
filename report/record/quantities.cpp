#include "report/record/quantities.hpp"

#include <algorithm>

#include "probes/measure/counters.hpp"
#include "report/record/cases.hpp"
#include "report/record/readings.hpp"

namespace gpumem::report {

namespace {

using Value = std::optional<double>;

Value measured_over_predicted(const Record& record) {
  if (!record.measured_gb_per_s || !record.predicted_gb_per_s || !(*record.predicted_gb_per_s > 0)) return std::nullopt;
  return *record.measured_gb_per_s / *record.predicted_gb_per_s;
}

/// A case that was measured is asked for what was counted, and not for what it was expected to be.
Value largest(const Record& record, Reading SiteRecord::*quantity) {
  Value most;
  for (const SiteRecord& site : record.access) {
    const Reading& reading = site.*quantity;
    const Value& value = record.time ? reading.counted : reading.predicted;
    if (value && (!most || *value > *most)) most = value;
  }
  return most;
}

/// Shared memory serves a wavefront a cycle (docs/method.md): so many is what the model foresees of it alone.
Value predicted_cycles(const Record& record) {
  const auto shared = [](const SiteRecord& site) { return site.space == "shared"; };
  if (!std::ranges::all_of(record.access, shared)) return std::nullopt;
  return largest(record, &SiteRecord::wavefronts_per_request);
}

struct CaseQuantity {
  const char* name;
  Value (*value)(const Record&);
};

constexpr CaseQuantity of_cases[] = {
    {default_quantity, [](const Record& record) { return record.headline_gb_per_s(); }},
    {"fraction_of_peak", [](const Record& record) { return record.fraction_of_peak; }},
    {"time_seconds", seconds_of},
    {"measured_over_predicted", measured_over_predicted},
    {"sectors_per_request", [](const Record& record) { return largest(record, &SiteRecord::sectors_per_request); }},
    {"wavefronts_per_request",
     [](const Record& record) { return largest(record, &SiteRecord::wavefronts_per_request); }},
};

struct DeviceQuantity {
  const char* name;
  Value (*value)(const Device&);
};

/// Zero is how a device says that it does not know.
Value known(double value) { return value > 0 ? Value(value) : std::nullopt; }

constexpr DeviceQuantity of_devices[] = {
    {"pcie_generation", [](const Device& device) { return Value(device.pcie_generation); }},
    {"pcie_width", [](const Device& device) { return Value(device.pcie_width); }},
    {"theoretical_bandwidth_gb_per_s",
     [](const Device& device) { return known(device.theoretical_bandwidth_bytes_per_s() / 1e9); }},
    {"memory_bytes", [](const Device& device) { return known(static_cast<double>(device.memory_bytes)); }},
    {"l2_bytes", [](const Device& device) { return known(static_cast<double>(device.l2_bytes)); }},
    {"multiprocessors", [](const Device& device) { return known(device.multiprocessors); }},
    {"copy_engines", [](const Device& device) { return known(device.copy_engines); }},
};

}  // namespace

std::vector<std::string> case_quantity_names(const Probe& probe) {
  std::vector<std::string> names;
  for (const CaseQuantity& quantity : of_cases) names.emplace_back(quantity.name);
  for (const Metric& metric : probe.metrics) names.push_back(metric.name);
  for (const measure::CounterField& field : measure::counter_fields()) names.emplace_back(field.name);
  return names;
}

std::optional<double> case_quantity(const Record& record, std::string_view name) {
  if (record.status != Status::ok) return std::nullopt;
  const auto* const own = std::ranges::find(of_cases, name, &CaseQuantity::name);
  if (own != std::end(of_cases)) return own->value(record);
  if (const Value metric = metric_value(record, name)) return metric;
  if (name == "cycles_per_request" && !record.time) return predicted_cycles(record);
  for (const measure::CounterField& field : measure::counter_fields()) {
    if (field.name == name && record.counters) return *record.counters.*field.value;
  }
  return std::nullopt;
}

std::vector<std::string> device_quantity_names() {
  std::vector<std::string> names;
  for (const DeviceQuantity& quantity : of_devices) names.emplace_back(quantity.name);
  return names;
}

std::optional<double> device_quantity(const Device& device, std::string_view name) {
  const auto* const found = std::ranges::find(of_devices, name, &DeviceQuantity::name);
  return found == std::end(of_devices) ? std::nullopt : found->value(device);
}

}  // namespace gpumem::report
