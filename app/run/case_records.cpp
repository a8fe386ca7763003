#include "app/run/case_records.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/words.hpp"
#include "report/record/fill.hpp"
#include "report/record/kernels.hpp"

namespace gpumem::app {

namespace {

/// Returns "needs 128 GiB, the GPU has 80 GiB", with sizes that differ.
std::string needed_and_had(std::uint64_t needed_bytes, std::uint64_t had_bytes) {
  const auto [needed, had] = sizes_apart(needed_bytes, had_bytes);
  return fmt::format("needs {}, the GPU has {}", needed, had);
}

/// Advises how to make a case of the probe smaller: "; pass a smaller --buffer". Empty if no axis does.
std::string advice_on_size(const Probe& probe) {
  const auto size = std::ranges::find_if(probe.axes, &Axis::sizes_case);
  return size == probe.axes.end() ? "" : "; pass a smaller --" + size->flag;
}

}  // namespace

double goodness_of(const Probe& probe, const Workload& workload, std::optional<double> headline, double seconds) {
  if (!headline && probe.headline.from_seconds) headline = probe.headline.from_seconds(workload, seconds);
  if (!headline || !(*headline > 0) || probe.headline.quantity.better == Better::neither) return 1 / seconds;
  return probe.headline.quantity.better == Better::less ? 1 / *headline : *headline;
}

bool concerns_case_alone(const Error& error) {
  return error.kind() == ErrorKind::probe_failed || error.kind() == ErrorKind::missing_capability;
}

void add_failure(report::Record& record, const Error& error) {
  record.status = error.kind() == ErrorKind::missing_capability ? report::Status::skipped : report::Status::failed;
  record.reason = error.what();
}

report::Record failed_record(const Case& decided, const Error& error) {
  report::Record record = report::record_of(decided);
  add_failure(record, error);
  return record;
}

std::vector<report::Record> planned_records(const Plan& plan) {
  std::vector<report::Record> records;
  for (const PlannedSweep& sweep : plan.sweeps) {
    for (const Case& tested : sweep.cases) {
      report::Record& record = records.emplace_back(report::record_of(tested));
      record.status = report::Status::skipped;
      record.reason = "dry run";
    }
  }
  return records;
}

std::string words_of(const report::Record& record, const std::function<bool(const std::string&)>& wanted) {
  std::string words = record.probe;
  for (const auto& [name, value] : record.parameters) {
    if (wanted(name)) words += " " + name + "=" + to_string(value);
  }
  return words;
}

Workload describe(const Case& decided, const Device& device) {
  Workload workload = decided.probe->describe(decided, device);
  if (workload.shared_bytes_per_block > device.shared_bytes_per_block) {
    throw missing_capability_error(
        fmt::format("too little shared memory per block: {}",
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

std::optional<std::uint64_t> timing_gpu(const Case& tested, std::size_t gpus) {
  if (!tested.probe->gpus) return std::nullopt;
  const std::uint64_t wanted = tested.probe->gpus(tested).front();
  return wanted < gpus ? std::optional(wanted) : std::nullopt;
}

}  // namespace gpumem::app
