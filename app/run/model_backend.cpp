#include <algorithm>
#include <utility>
#include <vector>

#include "app/run/backend.hpp"
#include "app/run/record_of.hpp"
#include "probes/access/chunks.hpp"
#include "probes/error.hpp"

namespace gpumem::app {

namespace {

class ModelBackend final : public Backend {
 public:
  explicit ModelBackend(model::Profile profile) : profile_(std::move(profile)) {}

  [[nodiscard]] std::string name() const override { return "model"; }
  [[nodiscard]] const Device& device() const override { return profile_.device; }
  [[nodiscard]] std::optional<std::string> profile() const override { return profile_.name; }

  /// A launch that is played takes a processor a while.
  void expect_trials(const std::vector<Case>& shapes) override {
    known_.clear();
    std::vector<Workload> workloads;
    for (const Case& shape : shapes) {
      try {
        workloads.push_back(describe(shape, profile_.device));
        known_.emplace_back(shape.parameters, std::nullopt);
      } catch (const Error& error) {  // its trial will say so
        if (!concerns_case_alone(error)) throw;
      }
    }
    access::in_chunks(known_.size(), 1, access::threads_for(known_.size(), 1, 0),
                      [&](unsigned, std::uint64_t k, std::uint64_t /*end*/) {
                        try {
                          known_[k].second = look_at(*shapes.front().probe, workloads[k]);
                        } catch (const Error& error) {
                          if (!concerns_case_alone(error)) throw;
                        }
                      });
  }

  [[nodiscard]] double trial(const Case& one) override {
    const auto known = std::ranges::find(known_, one.parameters, &Known::first);
    if (known != known_.end() && known->second) return *known->second;
    return look_at(*one.probe, describe(one, profile_.device));
  }

  [[nodiscard]] report::Record run(const Case& decided) override {
    try {
      const Workload workload = describe(decided, profile_.device);
      report::Record record = record_of(decided, workload);
      add_prediction(record, *decided.probe, workload, profile_);
      add_peak(record, *decided.probe, workload, profile_.device);
      return record;
    } catch (const Error& error) {
      if (!concerns_case_alone(error)) throw;
      return failed_record(decided, error);
    }
  }

 private:
  using Known = std::pair<std::vector<Parameter>, std::optional<double>>;

  [[nodiscard]] double look_at(const Probe& probe, const Workload& workload) const {
    const model::Prediction prediction = model::predict(workload, profile_);
    const auto& predict = probe.headline.predict;
    return goodness_of(probe, workload, predict ? predict(workload, prediction, profile_) : std::nullopt,
                       prediction.seconds);
  }

  model::Profile profile_;
  std::vector<Known> known_;  ///< of the trials expected last
};

}  // namespace

std::unique_ptr<Backend> make_model_backend(const std::string& gpu) {
  return std::make_unique<ModelBackend>(model::load_profile(gpu));
}

}  // namespace gpumem::app
