#include "app/run/backend.hpp"
#include "app/run/record_of.hpp"
#include "probes/error.hpp"
#include "probes/suggest.hpp"

namespace gpumem::app {

namespace {

class ModelBackend final : public Backend {
 public:
  explicit ModelBackend(model::Profile profile) : profile_(std::move(profile)) {}

  [[nodiscard]] std::string name() const override { return "model"; }
  [[nodiscard]] const Device& device() const override { return profile_.device; }
  [[nodiscard]] std::optional<std::string> profile() const override { return profile_.name; }

  [[nodiscard]] double trial(const Case& one) override {
    const Workload workload = describe(one, profile_.device);
    const model::Prediction prediction = model::predict(workload, profile_);
    const auto& predict = one.probe->headline.predict;
    return goodness_of(*one.probe, workload, predict ? predict(workload, prediction, profile_) : std::nullopt,
                       prediction.seconds);
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
  model::Profile profile_;
};

}  // namespace

std::unique_ptr<Backend> make_model_backend(const std::string& gpu) {
  try {
    return std::make_unique<ModelBackend>(model::load_profile(gpu));
  } catch (const Error& error) {
    throw usage_error(error.what() + did_you_mean(gpu, model::profile_names()));  // no path is near to a name
  }
}

}  // namespace gpumem::app
