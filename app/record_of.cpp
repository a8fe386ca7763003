#include "app/record_of.hpp"

#include <fmt/format.h>

namespace gpumem::app {

namespace {

constexpr double bytes_per_gb = 1e9;
constexpr double mib = 1024.0 * 1024.0;

report::Record empty_record(const Case& decided) {
  report::Record record;
  record.probe = decided.probe->name;
  record.parameters = decided.parameters;
  record.swept = decided.probe->axes.front().parameter;
  record.baseline = decided.probe->baseline;
  for (const Metric& metric : decided.probe->metrics) record.metrics.push_back({metric.name, std::nullopt});
  return record;
}

}  // namespace

report::Record record_of(const Case& decided, const Workload& workload) {
  report::Record record = empty_record(decided);
  record.useful_bytes_read = workload.useful_bytes_read;
  record.useful_bytes_written = workload.useful_bytes_written;
  for (const access::Site& site : workload.sites) {
    record.access.push_back({.site = site.name,
                             .space = std::string(to_string(site.space)),
                             .op = std::string(to_string(site.op)),
                             .word_bytes = site.word_bytes,
                             .sectors_per_request = {},
                             .wavefronts_per_request = {}});
  }
  return record;
}

void add_prediction(report::Record& record, const Workload& workload, const model::Prediction& prediction,
                    const model::Profile& profile) {
  for (std::size_t i = 0; i < record.access.size(); ++i) {
    const access::SiteCost& cost = prediction.sites[i].cost;
    // Each space has its own unit: sectors leave the multiprocessor, wavefronts are passes over its banks.
    if (workload.sites[i].space == access::Space::shared) {
      record.access[i].wavefronts_per_request.predicted = cost.wavefronts_per_request;
    } else {
      record.access[i].sectors_per_request.predicted = cost.sectors_per_request;
    }
  }
  record.predicted_gb_per_s = prediction.bytes_per_s / bytes_per_gb;
  record.bottleneck = report::Bottleneck{std::string(prediction.bottleneck), std::nullopt};
  if (prediction.cache_resident) record.flags.emplace_back("cache_resident");
  if (profile.from_attributes) record.flags.emplace_back("predicted_from_attributes");
}

void add_peak(report::Record& record, const Workload& workload, const Device& device) {
  const double peak = workload.peak == Workload::Peak::shared_memory ? device.shared_peak_bytes_per_s()
                                                                     : device.theoretical_bandwidth_bytes_per_s();
  if (peak <= 0) return;
  record.peak_gb_per_s = peak / bytes_per_gb;
  const auto headline = record.headline_gb_per_s();
  if (!headline) return;
  const double fraction = *headline / *record.peak_gb_per_s;
  // A broadcast hands one word to many lanes: more useful bytes than the banks read, of whose peak it is no fraction.
  if (workload.peak == Workload::Peak::shared_memory && fraction > 1) return;
  record.fraction_of_peak = fraction;
}

report::Record failed_record(const Case& decided, const std::string& reason) {
  report::Record record = empty_record(decided);
  record.status = report::Status::failed;
  record.reason = reason;
  return record;
}

std::optional<std::string> does_not_fit(const Workload& workload, const Device& device) {
  if (workload.shared_bytes_per_block > device.shared_bytes_per_block) {
    return fmt::format("needs {} bytes of shared memory per block, the GPU has {}", workload.shared_bytes_per_block,
                       device.shared_bytes_per_block);
  }
  if (workload.allocated_bytes > device.memory_bytes) {
    return fmt::format("out of memory: needs {:.0f} MiB, the GPU has {:.0f} MiB; pass a smaller --buffer",
                       static_cast<double>(workload.allocated_bytes) / mib,
                       static_cast<double>(device.memory_bytes) / mib);
  }
  return std::nullopt;
}

}  // namespace gpumem::app
