#include <cuda_runtime_api.h>
#include <fmt/format.h>
#include <nvtx3/nvToolsExt.h>

#include <algorithm>
#include <map>
#include <set>

#include "app/run/backend.hpp"
#include "app/run/case_records.hpp"
#include "app/run/counting.hpp"
#include "app/run/worker.hpp"
#include "engine/base/available_memory.hpp"
#include "engine/base/error.hpp"
#include "engine/machine/devices.hpp"
#include "engine/machine/links.hpp"
#include "engine/machine/nvml.hpp"
#include "engine/measure/counters.hpp"
#include "engine/measure/experiment.hpp"
#include "engine/measure/session.hpp"
#include "engine/measure/timing.hpp"
#include "report/record/fill.hpp"

namespace gpumem::app {

namespace {

/// Names the work of a case in profilers; costs nothing without one.
class ProfilerRange {
 public:
  explicit ProfilerRange(const Case& tested) { nvtxRangePushA(to_string(tested).c_str()); }
  ~ProfilerRange() { nvtxRangePop(); }
  ProfilerRange(const ProfilerRange&) = delete;
  ProfilerRange& operator=(const ProfilerRange&) = delete;
};

/// Everything that dies with the CUDA context.
struct Context {
  Context(int device_index, const measure::NumaRequest& numa) : session(device_index, numa) {}
  measure::Session session;
  measure::Gate gate;
  std::map<int, measure::Counters> counters;  ///< by GPU, of those on which something was to be counted
};

/// A GPU that cases are timed on, as far as it is known by now.
struct TimedGpu {
  TimedGpu(Device known, const model::ProfileChoice& predicting,
           const std::shared_ptr<const measure::NvmlLibrary>& library)
      : device(std::move(known)),
        profile(model::profile_for(device, predicting)),
        nvml(measure::Nvml::find(library, device)) {}
  Device device;
  model::Profile profile;
  std::optional<measure::Nvml> nvml;
};

/// Returns true if the link is slower than it could be, or nullopt if that cannot be seen. Only meaningful while the
/// link is busy: GPUs lower an idle link's generation.
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
        worker_(options_, [this] { return start_copy(options_.interrupted); }) {
    if (options_.links) {
      std::vector<Device> all = measure::query_devices();
      measure::add_links(all);
      all[static_cast<std::size_t>(device_index_)].free_memory_bytes = context_->session.device().free_memory_bytes;
      for (std::size_t i = 0; i < all.size(); ++i) {
        gpus_.try_emplace(static_cast<int>(i), std::move(all[i]), options_.predicting, nvml_library_);
      }
    } else {
      gpus_.try_emplace(device_index_, context_->session.device(), options_.predicting, nvml_library_);
    }
    if (options_.counting == measure::Counting::required) context_->counters.try_emplace(device_index_, device_index_);
  }

  [[nodiscard]] std::string name() const override { return "cuda"; }
  [[nodiscard]] const Device& device() const override { return chosen().device; }
  [[nodiscard]] std::vector<Device> devices() const override {
    std::vector<Device> all;
    for (const auto& [index, gpu] : gpus_) all.push_back(gpu.device);
    return all;
  }
  [[nodiscard]] std::optional<std::string> profile() const override {
    const model::Profile& profile = chosen().profile;
    return profile.source == model::ProfileSource::attributes ? std::nullopt : std::optional(profile.name);
  }
  [[nodiscard]] std::optional<std::string> profile_source() const override {
    return std::string(model::to_string(chosen().profile.source));
  }

  [[nodiscard]] std::optional<report::HostPlacement> host_placement() const override {
    if (!used_host_memory_) return std::nullopt;
    return report::HostPlacement{.numa_node = numa_.node, .how = numa_.how};
  }
  [[nodiscard]] std::vector<std::string> watched_flags() const override { return {watched_.begin(), watched_.end()}; }
  [[nodiscard]] bool lost() const override { return !context_; }

  [[nodiscard]] double trial(const Case& tested) override {
    if (lost()) return worker_.trial(tested);
    const int index = gpu_of(tested);
    const Workload workload = describe(tested, gpus_.at(index).device);
    try {
      const measure::CurrentDevice current(index);
      measure::Session& session = context_->session.peer(index);
      session.make_room(workload.allocated_bytes);
      const auto experiment = tested.probe->prepare(tested, session);
      const double seconds = measure::estimate_launch(*experiment, session, workload.clock).count();
      const bool sampled = !tested.probe->headline.from_seconds || workload.sampled;
      return goodness_of(*tested.probe, workload, sampled ? std::optional(experiment->sample()) : std::nullopt,
                         seconds);
    } catch (const Error&) {
      leave_lost_context();
      throw;
    }
  }

  [[nodiscard]] report::Record run(const Case& decided) override {
    const int index = gpu_of(decided);
    TimedGpu& gpu = gpus_.at(index);
    Workload workload;
    try {
      workload = describe(decided, gpu.device);
    } catch (const Error& error) {
      if (!concerns_case_alone(error)) throw;
      return failed_record(decided, error);
    }
    used_host_memory_ = used_host_memory_ || workload.host_bytes > 0;
    if (lost()) return run_elsewhere(decided);
    report::Record record = report::record_of(decided, workload);
    try {
      const ProfilerRange range(decided);
      const measure::CurrentDevice current(index);
      measure_into(record, decided, workload, gpu, context_->session.peer(index));
    } catch (const Error& error) {
      add_failure(record, error);
      leave_lost_context();
    }
    if (record.reason) *record.reason += identities(decided);
    // Only now is the speed of the link known that the prediction may rest on.
    if (options_.predicts) add_prediction(record, *decided.probe, workload, gpu.profile);
    if (record.time) add_peak(record, *decided.probe, workload, gpu.device);
    return record;
  }

  void use_stopping_rule(const measure::StoppingRule& rule) override { options_.stopping = rule; }

  [[nodiscard]] std::optional<std::string> count(std::span<const Case> cases,
                                                 std::span<report::Record> records) override {
    if (options_.counting == measure::Counting::off || lost()) return std::nullopt;
    try {
      for (std::size_t first = 0; first < cases.size();) {
        const int index = gpu_of(cases[first]);
        std::size_t last = first + 1;
        while (last < cases.size() && gpu_of(cases[last]) == index) ++last;
        const measure::CurrentDevice current(index);
        const auto counters = context_->counters.try_emplace(index, index).first;
        count_cases(cases.subspan(first, last - first), records.subspan(first, last - first), counters->second,
                    context_->session.peer(index), gpus_.at(index).device, gpus_.at(index).profile);
        first = last;
      }
      watched_.insert("counts_differ");
      return std::nullopt;
    } catch (const Error& error) {
      // An error that came once would come for every table.
      context_->counters.clear();
      if (options_.counting == measure::Counting::required) throw;
      options_.counting = measure::Counting::off;
      leave_lost_context();
      return error.what();
    }
  }

 private:
  [[nodiscard]] const TimedGpu& chosen() const { return gpus_.at(device_index_); }

  /// Returns the index of the GPU that times the case.
  [[nodiscard]] int gpu_of(const Case& tested) const {
    const auto own = timing_gpu(tested, gpus_.size());
    return own ? static_cast<int>(*own) : device_index_;
  }

  /// Returns the UUIDs and bus ids of the GPUs that the case names, for its reason; empty if it names none.
  [[nodiscard]] std::string identities(const Case& tested) const {
    if (!tested.probe->gpus) return {};
    std::string text;
    for (const std::uint64_t index : tested.probe->gpus(tested)) {
      const auto gpu = gpus_.find(static_cast<int>(index));
      if (gpu == gpus_.end()) continue;
      text += fmt::format("{}GPU {} is {}, {}", text.empty() ? " (" : "; ", index,
                          gpu->second.device.uuid.value_or("without UUID"),
                          gpu->second.device.pci_bus_id.value_or("without bus id"));
    }
    return text.empty() ? text : text + ")";
  }

  void measure_into(report::Record& record, const Case& decided, const Workload& workload, TimedGpu& gpu,
                    measure::Session& session) {
    session.make_room(workload.allocated_bytes);
    // Asked for all of it at once: locking a part takes seconds before the rest is refused.
    if (workload.host_bytes > 0) require_host_memory(workload.host_bytes, "cannot have");
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

    options_.before_timing(workload);
    const auto before = gpu.nvml ? std::optional(gpu.nvml->health(true)) : std::nullopt;
    measure::Timing timing = measure::time_launches(*experiment, session, context_->gate, workload.clock,
                                                    options_.stopping, options_.interrupted);
    if (gpu.nvml && workload.host_bytes > 0) read_link(record, gpu);
    if (before) {
      const measure::Health after = gpu.nvml->health(true);
      for (std::string& flag : measure::health_flags(*before, after)) record.flags.push_back(std::move(flag));
      for (std::string& flag : measure::watched_flags(*before, after)) watched_.insert(std::move(flag));
    }
    const Probe& probe = *decided.probe;
    bool converged = timing.converged;
    if (probe.headline.from_seconds && !workload.sampled) {
      add_headline(
          record.headline, [&](double seconds) { return probe.headline.from_seconds(workload, seconds); },
          timing.summary);
    } else {
      measure::Samples samples =
          measure::sample_launches(*experiment, session, options_.stopping, options_.interrupted);
      converged = samples.converged;  // the case is not about the time of the launch
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

  /// Reads the link's speed while the link is still awake from the case that used it.
  void read_link(report::Record& record, TimedGpu& gpu) {
    const measure::PcieLink link = gpu.nvml->pcie_link();
    const auto degraded = is_degraded(link);
    if (degraded) watched_.insert("link_degraded");
    if (degraded == true) record.flags.emplace_back("link_degraded");
    if (!link.generation || !link.width) return;
    Device seen = gpu.device;
    seen.pcie_generation = link.generation;
    seen.pcie_width = link.width;
    if (seen.link_bytes_per_s() <= gpu.device.link_bytes_per_s()) return;  // an unknown speed is less than any
    gpu.device = std::move(seen);
    gpu.profile = model::adapted(std::move(gpu.profile), gpu.device);
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
    const auto alive = [](const auto& gpu) {
      return cudaSetDevice(gpu.first) == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess;
    };
    const bool all_alive = std::ranges::all_of(gpus_, alive);
    static_cast<void>(cudaSetDevice(device_index_));
    if (all_alive) return;
    context_.reset();
    for (const auto& [index, gpu] : gpus_) {
      if (cudaSetDevice(index) == cudaSuccess) static_cast<void>(cudaDeviceReset());
    }
  }

  MeasureOptions options_;
  int device_index_;
  std::shared_ptr<const measure::NvmlLibrary> nvml_library_;  ///< first, so that the session's query finds it loaded
  std::unique_ptr<Context> context_;                          ///< absent once a fault has killed it
  measure::NumaBinding numa_;
  std::map<int, TimedGpu> gpus_;  ///< by index: the chosen one, and where links are the point all of the machine's
  bool used_host_memory_ = false;
  /// The flags that can always be raised, and those whose causes could be read so far.
  std::set<std::string> watched_ = {"cache_resident", "predicted_from_attributes", "wide_interval"};
  Worker worker_;  ///< measures what is left once the context is lost
};

}  // namespace

std::unique_ptr<Backend> make_cuda_backend(const MeasureOptions& options) {
  return std::make_unique<CudaBackend>(options);
}

std::vector<Device> list_gpus() {
  std::vector<Device> gpus = measure::query_devices();
  measure::add_links(gpus);
  return gpus;
}

}  // namespace gpumem::app
