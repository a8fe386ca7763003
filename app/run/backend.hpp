#pragma once
// Where readings come from: a GPU, or the model of one. Commands know nothing else about either.

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
  /// What is known of the device by now: a link that was idle at first shows its speed later.
  [[nodiscard]] virtual const Device& device() const = 0;
  /// Every GPU that cases use, as far as that is known by now.
  [[nodiscard]] virtual std::vector<Device> devices() const { return {device()}; }
  /// CUDA's indices of the GPUs that run every case side by side, which its parameter `device` then tells apart; empty
  /// where there is one GPU, which cases do not name.
  [[nodiscard]] virtual std::vector<std::uint64_t> side_by_side() const { return {}; }
  /// Name of the GPU profile predictions come from; absent when they come from the device's own attributes.
  [[nodiscard]] virtual std::optional<std::string> profile() const = 0;
  /// Where that profile is from: "shipped", "own", "file", or "attributes"; absent where nobody says.
  [[nodiscard]] virtual std::optional<std::string> profile_source() const { return std::nullopt; }
  /// How good a case is by a quick look at its headline, to choose between launch shapes: the more the better,
  /// whichever way the headline is. Throws a probe error.
  [[nodiscard]] virtual double trial(const Case& tested) = 0;
  /// About what trial() will say of each of the shapes, from who can say so in less time: trials find so many times as
  /// much, nearly the same of all shapes, the most and the least of that `estimate_error` apart. Absent of a shape that
  /// a trial has to say why not of. Empty: nothing is known before a trial.
  [[nodiscard]] virtual std::vector<std::optional<double>> estimates(const std::vector<Case>& /*shapes*/) { return {}; }
  static constexpr double estimate_error = 0.01;
  /// Is told of the cases that run() will be asked for, for who can run several at once.
  virtual void expect(std::span<const Case> /*cases*/) {}
  /// All readings of a case whose values are decided. Never throws for what only this case suffers from: the record
  /// then says why it was `skipped` (a capability is missing) or `failed`.
  [[nodiscard]] virtual report::Record run(const Case& decided) = 0;
  /// Returns true if run() of the case would return at once, because it has run beside another.
  [[nodiscard]] virtual bool has_run(const Case& /*decided*/) const { return false; }
  /// How long the cases from now on are repeated; until then as the backend was opened.
  virtual void use_stopping_rule(const measure::StoppingRule& /*rule*/) {}
  /// Adds the hardware's counts to the records of `cases`, which `run` returned, if the backend was opened to count and
  /// can. Returns why not, the first time that it cannot.
  [[nodiscard]] virtual std::optional<std::string> count(std::span<const Case> /*cases*/,
                                                         std::span<report::Record> /*records*/) {
    return std::nullopt;
  }
  /// Where the host memory of the cases so far lies; absent when none used any.
  [[nodiscard]] virtual std::optional<report::HostPlacement> host_placement() const { return std::nullopt; }
  /// The flags that the cases so far could have raised, because what they tell of was watched. None of a prediction.
  [[nodiscard]] virtual std::vector<std::string> watched_flags() const { return {}; }
  /// Whether this process can measure no more.
  [[nodiscard]] virtual bool lost() const { return false; }
};

/// Predicts for the GPU, or the node, of a profile.
[[nodiscard]] std::unique_ptr<Backend> make_model_backend(model::Profile profile);

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
  bool links = false;                    ///< whether some case is about what joins the GPUs of the machine
  bool predicts = true;                  ///< whether anything is predicted beside each measurement
  model::ProfileChoice predicting = {};  ///< and by what
  /// Asked between samples; when it says true, `run` throws Interrupted instead of finishing its case.
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
