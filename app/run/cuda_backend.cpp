#include <cuda_runtime_api.h>
#include <fmt/format.h>
#include <nvtx3/nvToolsExt.h>

#include <algorithm>
#include <set>

#include "app/run/backend.hpp"
#include "app/run/counting.hpp"
#include "app/run/record_of.hpp"
#include "app/run/worker.hpp"
#include "probes/error.hpp"
#include "probes/host/host_memory.hpp"
#include "probes/measure/counters.hpp"
#include "probes/measure/devices.hpp"
#include "probes/measure/experiment.hpp"
#include "probes/measure/nvml.hpp"
#include "probes/measure/session.hpp"
#include "probes/measure/timing.hpp"

namespace gpumem::app {

namespace {

/// Names the work of a case in profilers; costs nothing without one.
class ProfilerRange {
 public:
  explicit ProfilerRange(const Case& one) { nvtxRangePushA(to_string(one).c_str()); }
  ~ProfilerRange() { nvtxRangePop(); }
  ProfilerRange(const ProfilerRange&) = delete;
  ProfilerRange& operator=(const ProfilerRange&) = delete;
};

/// What dies with the CUDA context.
struct Context {
  Context(int device_index, const measure::NumaRequest& numa) : session(device_index, numa) {}
  measure::Session session;
  measure::Gate gate;
};

/// Whether the link is slower than it could be; absent where that cannot be seen. Only meaningful while it works: GPUs
/// lower an idle link's generation.
std::optional<bool> is_degraded(const measure::PcieLink& link) {
  const bool generations = link.generation && link.max_generation;
  const bool widths = link.width && link.max_width;
  if (!generations && !widths) return std::nullopt;
  return (generations && *link.generation < *link.max_generation) || (widths && *link.width < *link.max_width);
}

class CudaBackend final : public Backend {
 public:
  explicit CudaBackend(MeasureOptions options)
      : options_(std::move(options)),
        device_index_(measure::select_device(options_.device)),
        nvml_library_(measure::load_nvml()),
        context_(std::make_unique<Context>(device_index_, options_.numa)),
        numa_(context_->session.numa()),
        device_(context_->session.device()),
        profile_(model::profile_of(device_)),
        nvml_(measure::Nvml::find(nvml_library_, device_)),
        worker_(options_) {
    if (options_.counting == measure::Counting::required)
      counters_ = std::make_unique<measure::Counters>(device_index_);
  }

  [[nodiscard]] std::string name() const override { return "cuda"; }
  [[nodiscard]] const Device& device() const override { return device_; }
  [[nodiscard]] std::optional<std::string> profile() const override {
    return profile_.from_attributes ? std::nullopt : std::optional(profile_.name);
  }

  [[nodiscard]] std::optional<report::HostPlacement> host_placement() const override {
    if (!used_host_memory_) return std::nullopt;
    return report::HostPlacement{.numa_node = numa_.node, .how = numa_.how};
  }
  [[nodiscard]] std::vector<std::string> watched_flags() const override { return {watched_.begin(), watched_.end()}; }
  [[nodiscard]] bool lost() const override { return !context_; }

  [[nodiscard]] double trial(const Case& one) override {
    if (lost()) return worker_.trial(one);
    const Workload workload = describe(one, device_);
    try {
      context_->session.make_room(workload.allocated_bytes);
      const auto experiment = one.probe->prepare(one, context_->session);
      const double seconds = measure::estimate_launch(*experiment, context_->session, workload.clock).count();
      const bool sampled = !one.probe->headline.from_seconds;
      return goodness_of(*one.probe, workload, sampled ? std::optional(experiment->sample()) : std::nullopt, seconds);
    } catch (const Error&) {
      leave_lost_context();
      throw;
    }
  }

  [[nodiscard]] report::Record run(const Case& decided) override {
    Workload workload;
    try {
      workload = describe(decided, device_);
    } catch (const Error& error) {
      if (!concerns_case_alone(error)) throw;
      return failed_record(decided, error);
    }
    used_host_memory_ = used_host_memory_ || workload.host_bytes > 0;
    if (lost()) return run_elsewhere(decided);
    report::Record record = record_of(decided, workload);
    try {
      const ProfilerRange range(decided);
      measure_into(record, decided, workload);
    } catch (const Error& error) {
      add_failure(record, error);
      leave_lost_context();
    }
    // Only now is the speed of the link known that the prediction may rest on.
    add_prediction(record, *decided.probe, workload, profile_);
    if (record.time) add_peak(record, *decided.probe, workload, device_);
    return record;
  }

  void use_stopping_rule(const measure::StoppingRule& rule) override { options_.stopping = rule; }

  [[nodiscard]] std::optional<std::string> count(std::span<const Case> cases,
                                                 std::span<report::Record> records) override {
    if (options_.counting == measure::Counting::off || lost()) return std::nullopt;
    try {
      if (!counters_) counters_ = std::make_unique<measure::Counters>(device_index_);
      count_cases(cases, records, *counters_, context_->session, profile_);
      watched_.insert("counts_differ");
      return std::nullopt;
    } catch (const Error& error) {
      // What went wrong once would go wrong for every table.
      counters_.reset();
      if (options_.counting == measure::Counting::required) throw;
      options_.counting = measure::Counting::off;
      leave_lost_context();
      return error.what();
    }
  }

 private:
  void measure_into(report::Record& record, const Case& decided, const Workload& workload) {
    measure::Session& session = context_->session;
    session.make_room(workload.allocated_bytes);
    // Asked for all of it at once: locking a part takes seconds before the rest is refused.
    if (workload.host_bytes > 0) host::require_available(workload.host_bytes, "cannot have");
    const auto experiment = decided.probe->prepare(decided, session);
    cudaStream_t stream = session.stream().get();

    const measure::Verification verification = experiment->verify(stream);
    record.verified = verification.mismatches == 0;
    if (!*record.verified) {
      record.status = report::Status::failed;
      record.reason =
          fmt::format("wrong data: {} {} differ from what was expected", verification.mismatches, verification.what);
      if (verification.first_mismatch)
        *record.reason += fmt::format(", the first at index {}", *verification.first_mismatch);
      return;
    }

    const auto before = nvml_ ? std::optional(nvml_->health(true)) : std::nullopt;
    measure::Timing timing = measure::time_launches(*experiment, session, context_->gate, workload.clock,
                                                    options_.stopping, options_.interrupted);
    if (nvml_ && workload.host_bytes > 0) read_link(record);
    if (before) {
      const measure::Health after = nvml_->health(true);
      for (std::string& flag : measure::health_flags(*before, after)) record.flags.push_back(std::move(flag));
      for (std::string& flag : measure::watched_flags(*before, after)) watched_.insert(std::move(flag));
    }
    const Probe& probe = *decided.probe;
    bool converged = timing.converged;
    if (probe.headline.from_seconds) {
      add_headline(
          record.headline, [&](double seconds) { return probe.headline.from_seconds(workload, seconds); },
          timing.summary);
    } else {
      measure::Samples samples =
          measure::sample_launches(*experiment, session, options_.stopping, options_.interrupted);
      converged = samples.converged;  // how long the launch takes is not what the case is about
      add_samples(record.headline, std::move(samples.values));
    }
    if (!converged) record.flags.emplace_back("wide_interval");
    for (std::size_t i = 0; i < probe.metrics.size(); ++i) {
      const auto& from_seconds = probe.metrics[i].from_seconds;
      if (from_seconds) record.metrics[i].measured = from_seconds(workload, timing.summary.median.count());
    }
    for (const auto& [name, value] : experiment->metrics(stream, timing.summary.median)) {
      const auto metric = std::ranges::find(record.metrics, name, &report::MetricRecord::name);
      if (metric != record.metrics.end()) metric->measured = value;
    }
    record.time = report::TimeRecord{timing.summary, std::move(timing.samples)};
    record.timeline = experiment->timeline(stream);
  }

  /// Learns from the link while it is still awake from the case that used it.
  void read_link(report::Record& record) {
    const measure::PcieLink link = nvml_->pcie_link();
    const auto degraded = is_degraded(link);
    if (degraded) watched_.insert("link_degraded");
    if (degraded == true) record.flags.emplace_back("link_degraded");
    if (!link.generation || !link.width) return;
    Device seen = device_;
    seen.pcie_generation = link.generation;
    seen.pcie_width = link.width;
    if (seen.link_bytes_per_s() <= device_.link_bytes_per_s()) return;  // an unknown speed is less than any
    device_ = std::move(seen);
    profile_ = model::profile_of(device_);
  }

  [[nodiscard]] report::Record run_elsewhere(const Case& decided) {
    try {
      return worker_.run(decided);
    } catch (const std::exception& error) {
      return failed_record(decided, probe_error(error.what()));
    }
  }

  /// After a failure: if a kernel's fault has killed the context, every later call in this process fails too. Only
  /// the results survive, and those are ours already.
  void leave_lost_context() {
    if (cudaDeviceSynchronize() == cudaSuccess) return;
    counters_.reset();
    context_.reset();
    static_cast<void>(cudaDeviceReset());
  }

  MeasureOptions options_;
  int device_index_;
  std::shared_ptr<const measure::NvmlLibrary> nvml_library_;  ///< first, so that the session's query finds it loaded
  std::unique_ptr<Context> context_;                          ///< absent once a fault has killed it
  measure::NumaBinding numa_;
  std::unique_ptr<measure::Counters> counters_;  ///< once they were asked for and are there
  bool used_host_memory_ = false;
  /// Those that need no one's help to be seen, and what else could be read so far.
  std::set<std::string> watched_ = {"cache_resident", "predicted_from_attributes", "wide_interval"};
  Device device_;
  model::Profile profile_;
  std::optional<measure::Nvml> nvml_;
  Worker worker_;  ///< measures what is left once the context is lost
};

}  // namespace

std::unique_ptr<Backend> make_cuda_backend(const MeasureOptions& options) {
  return std::make_unique<CudaBackend>(options);
}

std::vector<Device> list_gpus() { return measure::query_devices(); }

}  // namespace gpumem::app
