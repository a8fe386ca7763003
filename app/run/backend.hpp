#pragma once
// The source of readings: a GPU, or the model of one. Commands know nothing else about either.

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/machine/numa.hpp"
#include "engine/measure/counters.hpp"
#include "engine/model/find_profile.hpp"
#include "engine/statistics/statistics.hpp"
#include "probes/probe.hpp"
#include "report/record/record.hpp"

namespace gpumem::app {

class Backend {
 public:
  virtual ~Backend() = default;
  Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;

  [[nodiscard]] virtual std::string name() const = 0;  ///< "cuda" or "model"
  /// The device, as far as it is known by now: a link that was idle at first shows its speed later.
  [[nodiscard]] virtual const Device& device() const = 0;
  /// Every GPU that cases use, as far as that is known by now.
  [[nodiscard]] virtual std::vector<Device> devices() const { return {device()}; }
  /// CUDA's indices of the GPUs that run every case side by side; the parameter `device` of a case then names its GPU.
  /// Empty if there is one GPU, which cases do not name.
  [[nodiscard]] virtual std::vector<std::uint64_t> side_by_side() const { return {}; }
  /// Name of the GPU profile predictions come from; absent when they come from the device's own attributes.
  [[nodiscard]] virtual std::optional<std::string> profile() const = 0;
  /// The origin of that profile: "shipped", "own", "file", or "attributes"; absent if it is not known.
  [[nodiscard]] virtual std::optional<std::string> profile_source() const { return std::nullopt; }
  /// Takes a quick look at a case's headline, to choose between launch shapes. The greater the result the better, even
  /// if less is better for the headline. Throws a probe error.
  [[nodiscard]] virtual double trial(const Case& tested) = 0;
  /// Estimates trial() for each shape in less time. Estimates are right up to a factor that is common to all shapes,
  /// within the share `estimate_error`. An estimate is absent if only a trial can say why the shape cannot run. Empty:
  /// nothing is known before a trial.
  [[nodiscard]] virtual std::vector<std::optional<double>> estimates(const std::vector<Case>& /*shapes*/) { return {}; }
  static constexpr double estimate_error = 0.01;
  /// Announces the cases that run() will be asked for. A backend may then run several at once.
  virtual void expect(std::span<const Case> /*cases*/) {}
  /// Takes all readings of a case whose values are decided. Never throws for a problem of this case alone: the record
  /// then says why it was `skipped` (a capability is missing) or `failed`.
  [[nodiscard]] virtual report::Record run(const Case& decided) = 0;
  /// Returns true if run() of the case would return at once, because it has run beside another.
  [[nodiscard]] virtual bool has_run(const Case& /*decided*/) const { return false; }
  /// Sets how long cases are repeated from now on. Before the first call it is as the backend was opened.
  virtual void use_stopping_rule(const measure::StoppingRule& /*rule*/) {}
  /// Adds the hardware's counts to the records of `cases`, which `run` returned, if the backend was opened to count and
  /// can. Returns why not, the first time that it cannot.
  [[nodiscard]] virtual std::optional<std::string> count(std::span<const Case> /*cases*/,
                                                         std::span<report::Record> /*records*/) {
    return std::nullopt;
  }
  /// The placement of the cases' host memory so far; absent if none used any.
  [[nodiscard]] virtual std::optional<report::HostPlacement> host_placement() const { return std::nullopt; }
  /// The flags that the cases so far could have raised, because their causes were watched. Predictions have none.
  [[nodiscard]] virtual std::vector<std::string> watched_flags() const { return {}; }
  /// True if this process can measure no more.
  [[nodiscard]] virtual bool lost() const { return false; }
};

/// Predicts for the GPU, or the node, of a profile. If GPUs of the node are given by their indices, they run every case
/// side by side.
[[nodiscard]] std::unique_ptr<Backend> make_model_backend(model::Profile profile,
                                                          std::span<const std::uint64_t> side_by_side = {});

/// Returns true if a case uses what the GPUs of a host share: its memory, its processors, the links and switches
/// between.
[[nodiscard]] inline bool uses_host(const Workload& workload) {
  return workload.host_bytes > 0 || workload.clock == measure::Clock::host;
}

struct MeasureOptions {
  measure::StoppingRule stopping;
  std::string device = "0";  ///< CUDA index, UUID ("GPU-...", or a unique beginning of it) or PCI bus id
  measure::NumaRequest numa = {};
  measure::Counting counting = measure::Counting::off;
  bool links = false;                    ///< some case is about what joins the GPUs of the machine
  bool predicts = true;                  ///< each measurement has a prediction beside it
  model::ProfileChoice predicting = {};  ///< by which profile
  /// Called between samples. If it returns true, `run` throws Interrupted instead of finishing its case.
  std::function<bool()> interrupted = [] { return false; };
  /// If set, GPUs that share what a case uses of the host (uses_host()) take turns with it. Otherwise all GPUs are
  /// timed at the same time, and show what they share.
  bool host_in_turns = false;
  /// Called when a case has been verified and is about to be timed.
  std::function<void(const Workload&)> before_timing = [](const Workload&) {};
};

/// Measures on a GPU. Throws a no-GPU error when there is none or the selected one does not exist, and a usage error
/// for a profile that is none.
[[nodiscard]] std::unique_ptr<Backend> make_cuda_backend(const MeasureOptions& options);

/// The GPUs of this machine, with what joins them; throws a no-GPU error naming the reason when there is none.
[[nodiscard]] std::vector<Device> list_gpus();

}  // namespace gpumem::app
