#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "app/run/backend.hpp"
#include "app/run/case_records.hpp"
#include "engine/access/chunks.hpp"
#include "engine/base/error.hpp"
#include "report/record/fill.hpp"
#include "report/record/kernels.hpp"

namespace gpumem::app {

namespace {

/// A profile for each GPU of a node. One alone has no link but to itself.
std::vector<model::Profile> for_each_gpu(model::Profile profile) {
  std::vector<Device> gpus = std::exchange(profile.gpus, {});
  if (gpus.empty()) {
    gpus.push_back(profile.device);
    gpus.front().links = {{.path = PeerLink::Path::itself}};
  }
  std::vector<model::Profile> profiles(gpus.size(), profile);
  for (std::size_t i = 0; i < gpus.size(); ++i) profiles[i].device = std::move(gpus[i]);
  return profiles;
}

/// Does it for a case. If it fails for a reason of that case alone, it is left out: the case's own turn will say why.
template <class Action>
void unless_it_fails(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    if (!concerns_case_alone(error)) throw;
  }
}

/// Does it for so many cases at the same time, each on a processor.
template <class Action>
void at_the_same_time(std::size_t cases, const Action& action) {
  access::in_chunks(cases, 1, access::threads_for(cases, 1, 0),
                    [&](unsigned, std::uint64_t k, std::uint64_t /*end*/) { unless_it_fails([&] { action(k); }); });
}

class ModelBackend final : public Backend {
 public:
  ModelBackend(model::Profile profile, std::span<const std::uint64_t> side_by_side)
      : gpus_(for_each_gpu(std::move(profile))), side_by_side_(side_by_side.begin(), side_by_side.end()) {
    for (const std::uint64_t gpu : side_by_side_) gpus_[gpu].device.index = static_cast<unsigned>(gpu);
  }

  [[nodiscard]] std::string name() const override { return "model"; }
  [[nodiscard]] const Device& device() const override {
    return gpus_[side_by_side_.empty() ? 0 : side_by_side_.front()].device;
  }
  [[nodiscard]] std::vector<Device> devices() const override {
    std::vector<Device> used;
    for (const std::uint64_t gpu : side_by_side_) used.push_back(gpus_[gpu].device);
    if (!used.empty()) return used;
    for (const model::Profile& gpu : gpus_) {
      used.push_back(gpu.device);
      if (!several_) break;
    }
    return used;
  }
  [[nodiscard]] std::vector<std::uint64_t> side_by_side() const override { return side_by_side_; }
  [[nodiscard]] std::optional<std::string> profile() const override { return gpus_.front().name; }
  [[nodiscard]] std::optional<std::string> profile_source() const override {
    return std::string(model::to_string(gpus_.front().source));
  }

  /// A launch that is simulated takes a processor a while: first with few of its lines.
  [[nodiscard]] std::vector<std::optional<double>> estimates(const std::vector<Case>& shapes) override {
    constexpr unsigned log2_fewer_lines = 3;
    known_.clear();
    std::vector<std::optional<Workload>> workloads(shapes.size());
    for (std::size_t k = 0; k < shapes.size(); ++k) {
      unless_it_fails([&] { workloads[k] = describe(shapes[k], gpu_of(shapes[k]).device); });
    }
    std::vector<std::optional<double>> found(shapes.size());
    at_the_same_time(shapes.size(), [&](std::size_t k) {
      if (!workloads[k]) return;
      const model::Profile& gpu = gpu_of(shapes[k]);
      found[k] = goodness(shapes[k], *workloads[k], model::predict(*workloads[k], gpu, log2_fewer_lines), gpu);
    });
    return found;
  }

  [[nodiscard]] double trial(const Case& tested) override {
    const model::Profile& gpu = gpu_of(tested);
    const Workload workload = describe(tested, gpu.device);
    return goodness(tested, workload, predicted(tested, workload, gpu), gpu);
  }

  void expect(std::span<const Case> cases) override {
    expected_.assign(cases.begin(), cases.end());
    next_ = 0;
  }

  [[nodiscard]] report::Record run(const Case& decided) override {
    const model::Profile& gpu = gpu_of(decided);
    several_ = several_ || static_cast<bool>(decided.probe->gpus);
    try {
      const Workload workload = describe(decided, gpu.device);
      report::Record record = report::record_of(decided, workload);
      add_prediction(record, *decided.probe, workload, gpu, predicted(decided, workload, gpu));
      add_peak(record, *decided.probe, workload, gpu.device);
      // Each GPU is predicted as if it were alone.
      if (!side_by_side_.empty() && uses_host(workload)) record.host_shared_by = 1;
      return record;
    } catch (const Error& error) {
      if (!concerns_case_alone(error)) throw;
      return failed_record(decided, error);
    }
  }

 private:
  using Known = std::pair<std::vector<Parameter>, model::Prediction>;
  static constexpr std::size_t most_known = 64;

  /// That times the case.
  [[nodiscard]] const model::Profile& gpu_of(const Case& tested) const {
    const auto beside_others = std::ranges::find(tested.parameters, report::device_parameter, &Parameter::name);
    if (!side_by_side_.empty() && beside_others != tested.parameters.end()) {
      return gpus_[std::get<std::uint64_t>(beside_others->value)];
    }
    return gpus_[timing_gpu(tested, gpus_.size()).value_or(0)];
  }

  /// The shape that a trial has chosen is a case of the sweep, mostly. GPUs side by side are all of the profile's kind.
  [[nodiscard]] const model::Prediction& predicted(const Case& tested, const Workload& workload,
                                                   const model::Profile& gpu) {
    std::vector<Parameter> parameters = predicted_by(tested);
    if (const model::Prediction* known = find_known(parameters)) return *known;
    if (known_.size() >= most_known) known_.clear();
    predict_expected(tested);
    if (const model::Prediction* known = find_known(parameters)) return *known;
    return known_.emplace_back(std::move(parameters), model::predict(workload, gpu)).second;
  }

  [[nodiscard]] std::vector<Parameter> predicted_by(const Case& tested) const {
    std::vector<Parameter> parameters = tested.parameters;
    if (!side_by_side_.empty()) {
      std::erase_if(parameters, [](const Parameter& parameter) { return parameter.name == report::device_parameter; });
    }
    return parameters;
  }

  [[nodiscard]] const model::Prediction* find_known(const std::vector<Parameter>& parameters) const {
    const auto known = std::ranges::find(known_, parameters, &Known::first);
    return known == known_.end() ? nullptr : &known->second;
  }

  /// Predicts this case and those that follow it at the same time, each on a processor. Leaves out a case that cannot
  /// be predicted: its own turn says why.
  void predict_expected(const Case& tested) {
    const auto is_this = [&](const Case& other) { return other.parameters == tested.parameters; };
    const auto begin = expected_.begin() + static_cast<std::ptrdiff_t>(next_);
    const auto first = std::find_if(begin, expected_.end(), is_this);
    if (first == expected_.end()) return;
    struct Pending {
      std::vector<Parameter> parameters;
      const model::Profile* gpu;
      Workload workload;
      std::optional<model::Prediction> prediction = {};
    };
    std::vector<Pending> pending;
    const auto begun = std::chrono::steady_clock::now();
    const unsigned processors = access::threads_for(expected_.size(), 1, 0);
    const std::size_t at_once = cases_at_once(processors);
    auto other = first;
    for (; other != expected_.end() && pending.size() < at_once; ++other) {
      std::vector<Parameter> parameters = predicted_by(*other);
      if (find_known(parameters) != nullptr || std::ranges::count(pending, parameters, &Pending::parameters) > 0)
        continue;
      unless_it_fails([&] {
        const model::Profile& gpu = gpu_of(*other);
        pending.push_back({std::move(parameters), &gpu, describe(*other, gpu.device)});
      });
    }
    next_ = static_cast<std::size_t>(other - expected_.begin());
    at_the_same_time(pending.size(), [&](std::size_t k) {
      pending[k].prediction = model::predict(pending[k].workload, *pending[k].gpu);
    });
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
    const auto cases = static_cast<double>(pending.size());
    if (cases > 0) case_s_ = took.count() * std::min<double>(processors, cases) / cases;
    for (Pending& one : pending) {
      if (one.prediction) known_.emplace_back(std::move(one.parameters), *std::move(one.prediction));
    }
  }

  /// The first result is there as soon as it can be. Later ones wait a second for those that are predicted with them.
  [[nodiscard]] std::size_t cases_at_once(unsigned processors) const {
    constexpr double longest_s = 1;
    constexpr double most = 16;  // of each processor
    if (!case_s_) return 1;
    return static_cast<std::size_t>(processors * std::clamp(longest_s / std::max(*case_s_, 1e-9), 1.0, most));
  }

  [[nodiscard]] static double goodness(const Case& tested, const Workload& workload,
                                       const model::Prediction& prediction, const model::Profile& gpu) {
    const auto& predict = tested.probe->headline.predict;
    return goodness_of(*tested.probe, workload, predict ? predict(workload, prediction, gpu) : std::nullopt,
                       prediction.seconds);
  }

  std::vector<model::Profile> gpus_;  ///< of the machine, by index
  std::vector<std::uint64_t> side_by_side_;
  bool several_ = false;          ///< some case was of any of them, not just the first
  std::vector<Known> known_;      ///< of late
  std::optional<double> case_s_;  ///< that the latest cases took a processor each
  std::vector<Case> expected_;
  std::size_t next_ = 0;  ///< of the expected ones, the first that was not predicted ahead
};

}  // namespace

std::unique_ptr<Backend> make_model_backend(model::Profile profile, std::span<const std::uint64_t> side_by_side) {
  return std::make_unique<ModelBackend>(std::move(profile), side_by_side);
}

}  // namespace gpumem::app
