#include "app/run/record_of.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "probes/words.hpp"

namespace gpumem::app {

namespace {

constexpr double bytes_per_gb = 1e9;

report::Record empty_record(const Case& decided) {
  report::Record record;
  record.probe = decided.probe->name;
  record.parameters = decided.parameters;
  record.swept = decided.probe->axes.front().parameter;
  record.compared = decided.probe->compared;
  record.baseline = decided.probe->baseline;
  for (const Metric& metric : decided.probe->metrics) record.metrics.push_back({metric.name, std::nullopt});
  return record;
}

/// Bytes/s; absent when it is not known.
std::optional<double> peak_of(Workload::Peak peak, const Device& device) {
  switch (peak) {
    case Workload::Peak::shared_memory:
      return device.shared_peak_bytes_per_s();
    case Workload::Peak::link:
    case Workload::Peak::link_both_ways:
      if (device.integrated) break;
      if (const auto one_way = device.link_bytes_per_s()) {
        return peak == Workload::Peak::link ? *one_way : 2 * *one_way;
      }
      return std::nullopt;
    case Workload::Peak::device_memory:
      break;
  }
  return device.theoretical_bandwidth_bytes_per_s();
}

/// What a case needs and what there is.
std::string needed_and_had(std::uint64_t needed_bytes, std::uint64_t had_bytes) {
  const auto [needed, had] = sizes_apart(needed_bytes, had_bytes);
  return fmt::format("needs {}, the GPU has {}", needed, had);
}

/// What makes a case of the probe smaller: "; pass a smaller --buffer".
std::string advice_on_size(const Probe& probe) {
  const auto is_size = [](const Axis& axis) {
    return axis.parameter == "buffer_bytes" || axis.parameter == "size_bytes";
  };
  const auto size = std::ranges::find_if(probe.axes, is_size);
  return size == probe.axes.end() ? "" : "; pass a smaller --" + size->flag;
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
  for (const model::StageTime& stage : prediction.stages) {
    record.stages.push_back({std::string(stage.stage), stage.seconds, std::nullopt});
  }
  if (!record.time) record.timeline = prediction.timeline;  // of a run that was measured it would be taken for measured
  if (prediction.cache_resident) record.flags.emplace_back("cache_resident");
  if (profile.from_attributes) record.flags.emplace_back("predicted_from_attributes");
}

void add_peak(report::Record& record, const Workload& workload, const Device& device) {
  const auto peak = peak_of(workload.peak, device);
  if (!peak || *peak <= 0) return;
  record.peak_gb_per_s = *peak / bytes_per_gb;
  const auto headline = record.headline_gb_per_s();
  if (!headline) return;
  const double fraction = *headline / *record.peak_gb_per_s;
  // A broadcast hands one word to many lanes, and what crossed the link once may be used many times: more useful bytes
  // than the banks or the link carry, of whose peak they are no fraction.
  if (workload.peak != Workload::Peak::device_memory && fraction > 1) return;
  record.fraction_of_peak = fraction;
}

bool concerns_case_alone(const Error& error) {
  return error.kind() == ErrorKind::probe_failed || error.kind() == ErrorKind::missing_capability;
}

void add_failure(report::Record& record, const Error& error) {
  record.status = error.kind() == ErrorKind::missing_capability ? report::Status::skipped : report::Status::failed;
  record.reason = error.what();
}

report::Record failed_record(const Case& decided, const Error& error) {
  report::Record record = empty_record(decided);
  add_failure(record, error);
  return record;
}

report::Record skipped_record(const Case& decided, const std::string& reason) {
  report::Record record = empty_record(decided);
  record.status = report::Status::skipped;
  record.reason = reason;
  return record;
}

Workload describe(const Case& decided, const Device& device) {
  Workload workload = decided.probe->describe(decided, device);
  if (workload.shared_bytes_per_block > device.shared_bytes_per_block) {
    throw probe_error(fmt::format("too little shared memory per block: {}",
                                  needed_and_had(workload.shared_bytes_per_block, device.shared_bytes_per_block)));
  }
  if (workload.allocated_bytes > device.memory_bytes) {
    throw probe_error(fmt::format("out of memory: {}{}", needed_and_had(workload.allocated_bytes, device.memory_bytes),
                                  advice_on_size(*decided.probe)));
  }
  const bool addresses_host =
      std::ranges::find(workload.sites, access::Space::host, &access::Site::space) != workload.sites.end();
  if (addresses_host && !device.maps_host_memory) {
    throw missing_capability_error("kernels of this GPU cannot address host memory");
  }
  return workload;
}

}  // namespace gpumem::app
