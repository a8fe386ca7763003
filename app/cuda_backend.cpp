#include <cuda_runtime_api.h>
#include <fmt/format.h>
#include <nvtx3/nvToolsExt.h>

#include "app/backend.hpp"
#include "app/record_of.hpp"
#include "app/worker.hpp"
#include "probes/error.hpp"
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
  explicit Context(int device_index) : session(device_index) {}
  measure::Session session;
  measure::Gate gate;
};

class CudaBackend final : public Backend {
 public:
  explicit CudaBackend(MeasureOptions options)
      : options_(std::move(options)),
        device_index_(measure::select_device(options_.device)),
        nvml_library_(measure::load_nvml()),
        context_(std::make_unique<Context>(device_index_)),
        device_(context_->session.device()),
        profile_(model::profile_of(device_)),
        nvml_(measure::Nvml::find(nvml_library_, device_)),
        worker_(options_) {}

  [[nodiscard]] std::string name() const override { return "cuda"; }
  [[nodiscard]] const Device& device() const override { return device_; }
  [[nodiscard]] std::optional<std::string> profile() const override {
    return profile_.from_attributes ? std::nullopt : std::optional(profile_.name);
  }

  [[nodiscard]] bool lost() const override { return !context_; }

  [[nodiscard]] double trial_bytes_per_s(const Case& trial) override {
    if (lost()) return worker_.trial_bytes_per_s(trial);
    const Workload workload = trial.probe->describe(trial, device_);
    if (const auto reason = does_not_fit(workload, device_)) throw probe_error(*reason);
    try {
      context_->session.make_room(workload.allocated_bytes);
      const auto experiment = trial.probe->prepare(trial, context_->session);
      return static_cast<double>(workload.useful_bytes()) /
             measure::estimate_launch(*experiment, context_->session).count();
    } catch (const Error&) {
      leave_lost_context();
      throw;
    }
  }

  [[nodiscard]] report::Record run(const Case& decided) override {
    if (lost()) return run_elsewhere(decided);
    const Workload workload = decided.probe->describe(decided, device_);
    if (const auto reason = does_not_fit(workload, device_)) return failed_record(decided, *reason);
    report::Record record = record_of(decided, workload);
    add_prediction(record, workload, model::predict(workload, profile_), profile_);
    try {
      const ProfilerRange range(decided);
      measure_into(record, decided, workload);
    } catch (const Error& error) {
      record.status = report::Status::failed;
      record.reason = error.what();
      leave_lost_context();
    }
    return record;
  }

 private:
  void measure_into(report::Record& record, const Case& decided, const Workload& workload) {
    measure::Session& session = context_->session;
    session.make_room(workload.allocated_bytes);
    const auto experiment = decided.probe->prepare(decided, session);
    cudaStream_t stream = session.stream().get();

    const measure::Verification verification = experiment->verify(stream);
    record.verified = verification.mismatches == 0;
    if (!*record.verified) {
      record.status = report::Status::failed;
      record.reason = fmt::format("wrong data: {} {} differ from what was expected, the first at index {}",
                                  verification.mismatches, verification.what, verification.first_mismatch);
      return;
    }

    const auto before = nvml_ ? std::optional(nvml_->health(true)) : std::nullopt;
    measure::Timing timing =
        measure::time_launches(*experiment, session, context_->gate, options_.stopping, options_.interrupted);
    if (before) {
      for (std::string& flag : measure::health_flags(*before, nvml_->health(true))) {
        record.flags.push_back(std::move(flag));
      }
    }
    if (!timing.converged) record.flags.emplace_back("wide_interval");

    constexpr double bytes_per_gb = 1e9;
    record.measured_gb_per_s =
        static_cast<double>(workload.useful_bytes()) / timing.summary.median.count() / bytes_per_gb;
    for (const auto& [name, value] : experiment->metrics(stream, timing.summary.median)) {
      for (report::MetricRecord& metric : record.metrics) {
        if (metric.name == name) metric.value = value;
      }
    }
    record.time = report::TimeRecord{timing.summary, std::move(timing.samples)};
    add_peak(record, workload, device_);
  }

  [[nodiscard]] report::Record run_elsewhere(const Case& decided) {
    try {
      return worker_.run(decided);
    } catch (const std::exception& error) {
      return failed_record(decided, error.what());
    }
  }

  /// After a failure: if a kernel's fault has killed the context, every later call in this process fails too. Only
  /// the results survive, and those are ours already.
  void leave_lost_context() {
    if (cudaDeviceSynchronize() == cudaSuccess) return;
    context_.reset();
    static_cast<void>(cudaDeviceReset());
  }

  MeasureOptions options_;
  int device_index_;
  std::shared_ptr<const measure::NvmlLibrary> nvml_library_;  ///< first, so that the session's query finds it loaded
  std::unique_ptr<Context> context_;                          ///< absent once a fault has killed it
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
