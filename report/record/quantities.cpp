#include "report/record/quantities.hpp"

#include <algorithm>

#include "engine/measure/counters.hpp"
#include "report/record/cases.hpp"
#include "report/record/readings.hpp"

namespace gpumem::report {

namespace {

using Number = std::optional<double>;

Number measured_over_predicted(const Record& record) {
  const auto& [measured, predicted] = std::pair(record.headline.measured, record.headline.predicted);
  return measured && predicted && *predicted > 0 ? Number(*measured / *predicted) : std::nullopt;
}

/// The largest cost per request among the sites. For a measured case it is the counted cost: the predicted one is only
/// an expectation. A user's kernel without counts has the cost that its addresses give, which is no expectation.
Number largest(const Record& record, std::string_view unit) {
  Number most;
  for (const SiteRecord& site : record.access) {
    const Reading reading = site.per_request(unit);
    const bool counted = record.time && (reading.counted || !is_kernel(record));
    const Number& value = counted ? reading.counted : reading.predicted;
    if (value && (!most || *value > *most)) most = value;
  }
  return most;
}

struct CaseQuantity {
  const char* name;
  const char* purpose;
  Better better;
  Number (*value)(const Record&);
};

/// Quantities that cases of every probe may have.
constexpr CaseQuantity of_cases[] = {
    {bandwidth_name.data(), "useful bytes over time", Better::more,
     [](const Record& record) {
       const Number measured = bandwidth_of(record, true);
       return measured ? measured : bandwidth_of(record, false);
     }},
    {"fraction_of_peak", "the headline as a share of the best that the hardware could do", Better::more,
     [](const Record& record) { return record.fraction_of_peak; }},
    {"time_seconds", "one launch, or one run of several operations: the median", Better::less, seconds_of},
    {"measured_over_predicted", "the measured headline over the predicted one", Better::neither,
     measured_over_predicted},
    {"sectors_per_request", "distinct sectors of 32 bytes that a warp's request touches", Better::less,
     [](const Record& record) { return largest(record, sectors); }},
    {"wavefronts_per_request", "passes of a request through the banks of shared memory", Better::less,
     [](const Record& record) { return largest(record, wavefronts); }},
    {"lines_per_request", "distinct lines of 128 bytes that a warp's request touches", Better::less,
     [](const Record& record) { return largest(record, lines_unit); }},
    {"addresses_per_request", "distinct addresses of a request to constant memory, served one after another",
     Better::less, [](const Record& record) { return largest(record, addresses); }},
};

/// The saving as a share of the program's time on the GPU, which follows from the kernel's own share of that time.
Number could_save_share(const Record& record) {
  const Number saved_s = metric_value(record, could_save_name);
  const Number gpu_s = metric_value(record, gpu_time_name);
  const Number share = metric_value(record, gpu_share_name);
  return saved_s && share && gpu_s.value_or(0) > 0 ? Number(*saved_s / *gpu_s * *share) : std::nullopt;
}

/// The bytes of local memory that the lanes of a launch ask for; 0 if the kernel has no such access.
Number local_bytes(const Record& record) {
  if (!has_seen_accesses(record)) return std::nullopt;
  double bytes = 0;
  for (const SiteRecord& site : record.access) {
    if (site.space != "local") continue;
    if (!site.requests || !site.active_lanes) return std::nullopt;
    bytes += static_cast<double>(*site.requests) * *site.active_lanes * site.word_bytes;
  }
  return bytes;
}

/// Quantities of a user's kernels, beside their metrics.
constexpr CaseQuantity kernel_quantities[] = {
    {could_save_share_name, "share of the program's time on the GPU that its wasteful accesses cost, by the model",
     Better::less, could_save_share},
    {local_bytes_name, "bytes that a launch stores to and loads from local memory, because registers did not hold them",
     Better::less, local_bytes},
};

Quantity quantity_of(const CaseQuantity& quantity) { return {quantity.name, quantity.purpose, quantity.better}; }

Quantity quantity_of(const measure::CounterField& field) {
  return {std::string(field.name), std::string(field.purpose), Better::neither};
}

/// Adds the item unless one of its name is there.
template <class T, class Name = std::identity>
void add(std::vector<T>& all, const T& item, Name name = {}) {
  if (std::ranges::find(all, std::invoke(name, item), name) == all.end()) all.push_back(item);
}
void add(std::vector<Quantity>& all, const Quantity& quantity) { add(all, quantity, &Quantity::name); }

/// Describes a quantity as its probe does, else as it is described for every probe, else by its name alone.
Quantity described(const Probe* probe, const std::string& name, Better better) {
  if (probe != nullptr) {
    if (probe->headline.quantity.name == name) return probe->headline.quantity;
    for (const Metric& metric : probe->metrics) {
      if (metric.quantity.name == name) return metric.quantity;
    }
    for (const Quantity& quantity : probe->concluded) {
      if (quantity.name == name) return quantity;
    }
  }
  const auto* const common = std::ranges::find(of_cases, name, &CaseQuantity::name);
  return common == std::end(of_cases) ? Quantity{name, "", better} : quantity_of(*common);
}

const std::string& metric_name(const Metric& metric) { return metric.quantity.name; }

struct DeviceQuantity {
  const char* name;
  Number (*value)(const Device&);
};

/// Absent if the value is zero: the device does not know it.
Number known(double value) { return value > 0 ? Number(value) : std::nullopt; }

constexpr DeviceQuantity of_devices[] = {
    {"pcie_generation", [](const Device& device) { return Number(device.pcie_generation); }},
    {"pcie_width", [](const Device& device) { return Number(device.pcie_width); }},
    {"theoretical_bandwidth_gb_per_s",
     [](const Device& device) { return known(device.theoretical_bandwidth_bytes_per_s() * per_giga); }},
    {"memory_bytes", [](const Device& device) { return known(static_cast<double>(device.memory_bytes)); }},
    {"l2_bytes", [](const Device& device) { return known(static_cast<double>(device.l2_bytes)); }},
    {"multiprocessors", [](const Device& device) { return known(device.multiprocessors); }},
    {"copy_engines", [](const Device& device) { return known(device.copy_engines); }},
};

}  // namespace

void order_columns(Report& report, const std::vector<Probe>& registry) {
  std::vector<std::string> parameters;
  std::vector<std::string> metrics;
  for (const Probe& probe : registry) {
    for (const Axis& axis : probe.axes) add(parameters, axis.parameter);
    if (probe.headline.quantity.name != bandwidth_name) add(metrics, probe.headline.quantity.name);
    for (const Metric& metric : probe.metrics) add(metrics, metric.quantity.name);
    for (const Quantity& quantity : probe.concluded) add(metrics, quantity.name);
  }
  const Probe& kernels = kernel_probe();
  for (const std::string& name : report.parameter_columns) {
    if (kernels.find_axis(name) == nullptr) add(parameters, name);
  }
  for (const std::string& name : report.metric_columns) {
    if (std::ranges::find(kernels.metrics, name, metric_name) == kernels.metrics.end()) add(metrics, name);
  }
  for (const Axis& axis : kernels.axes) add(parameters, axis.parameter);
  for (const Metric& metric : kernels.metrics) add(metrics, metric.quantity.name);
  report.parameter_columns = std::move(parameters);
  report.metric_columns = std::move(metrics);
}

std::vector<Quantity> case_quantities(const Probe& probe) {
  std::vector<Quantity> all;
  add(all, probe.headline.quantity);
  for (const CaseQuantity& quantity : of_cases) add(all, quantity_of(quantity));
  for (const Metric& metric : probe.metrics) add(all, metric.quantity);
  if (probe.name == kernel_probe_name) {
    for (const CaseQuantity& quantity : kernel_quantities) add(all, quantity_of(quantity));
  }
  for (const measure::CounterField& field : measure::counter_fields()) add(all, quantity_of(field));
  return all;
}

std::vector<Quantity> quantities_in(const Report& report, const ProbeLookup& find) {
  std::vector<Quantity> all;
  for (const Record& record : report.results) {
    const Probe* probe = find(record.probe);
    if (record.headline.value()) add(all, described(probe, record.headline.quantity, record.headline.better));
    for (const MetricRecord& metric : record.metrics) add(all, described(probe, metric.name, Better::neither));
  }
  for (const ConclusionRecord& conclusion : report.conclusions) {
    const Probe* probe = find(conclusion.probe);
    for (const auto& found : conclusion.quantities) add(all, described(probe, found.name, Better::neither));
  }
  const auto occurs = [&](std::string_view name) {
    return std::ranges::any_of(report.results,
                               [&](const Record& record) { return case_quantity(record, name).has_value(); });
  };
  for (const CaseQuantity& quantity : of_cases) {
    if (occurs(quantity.name)) add(all, quantity_of(quantity));
  }
  for (const CaseQuantity& quantity : kernel_quantities) {
    if (occurs(quantity.name)) add(all, quantity_of(quantity));
  }
  for (const measure::CounterField& field : measure::counter_fields()) {
    if (occurs(field.name)) add(all, quantity_of(field));
  }
  return all;
}

std::optional<double> case_quantity(const Record& record, std::string_view name) {
  if (record.status != Status::ok && !is_only_timed(record)) return std::nullopt;
  if (name == record.headline.quantity) return record.headline.value();
  const auto* const own = std::ranges::find(of_cases, name, &CaseQuantity::name);
  if (own != std::end(of_cases)) return own->value(record);
  const auto* const of_kernel = std::ranges::find(kernel_quantities, name, &CaseQuantity::name);
  if (of_kernel != std::end(kernel_quantities) && is_kernel(record)) return of_kernel->value(record);
  if (const Number metric = metric_value(record, name)) return metric;
  for (const measure::CounterField& field : measure::counter_fields()) {
    if (field.name == name && record.counters) return *record.counters.*field.value;
  }
  return std::nullopt;
}

bool is_of_accesses(std::string_view quantity) { return quantity == moved_name || quantity.ends_with("_per_request"); }

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
