#include "app/expected/guesses.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "app/run/case_records.hpp"
#include "engine/base/error.hpp"
#include "engine/model/complete_profile.hpp"
#include "engine/model/rate_fields.hpp"
#include "engine/model/source.hpp"
#include "report/record/cases.hpp"
#include "report/record/fill.hpp"

namespace gpumem::app {

namespace {

constexpr const char* guessed_flag = "predicted_from_guesses";

/// The shipped one behind the report's predictions, for the report's device.
std::optional<model::Profile> profile_behind(const report::Report& report) {
  if (!report.profile || !report.device || report.profile_source.value_or("shipped") != "shipped") return std::nullopt;
  const std::vector<std::string> names = model::profile_names();
  if (std::ranges::find(names, *report.profile) == names.end()) return std::nullopt;
  model::Profile profile = model::load_profile(*report.profile);
  profile.device = *report.device;
  return profile;
}

/// Returns the profile with its guesses changed by a factor. The constants of the model's formulas are no guess about
/// the GPU, and stay. Guessed rates of L2 still keep up with what is known of the memory.
model::Profile otherwise(const model::Profile& profile) {
  constexpr double factor = 0.8;
  const auto is_guess = [&](std::string_view rate) {
    return !model::rests_on_measurements(model::source_of(profile, rate));
  };
  model::Profile other = profile;
  for (const model::RateField& field : model::rate_fields()) {
    if (!field.carried && !field.measured_only && is_guess(field.name)) other.rates[field.id] *= factor;
  }
  model::keep_up(other, is_guess);
  return other;
}

std::optional<double> headline(const Case& tested, const model::Profile& profile) {
  const Workload workload = describe(tested, profile.device);
  report::Record record = report::record_of(tested, workload);
  add_prediction(record, *tested.probe, workload, profile);
  return record.headline.predicted;
}

/// The report's GPU that times the case.
Device timed_on(const report::Report& report, const Case& tested) {
  const auto gpu = timing_gpu(tested, std::numeric_limits<std::size_t>::max());
  for (std::size_t i = 0; gpu && i < report.devices.size(); ++i) {
    if (report.devices[i].index.value_or(i) == *gpu) return report.devices[i];
  }
  return *report.device;
}

bool rests_on_guesses(const Case& tested, const model::Profile& profile, const model::Profile& guessed_otherwise) {
  constexpr double little = 0.05;
  try {
    const auto told = headline(tested, profile);
    const auto else_told = headline(tested, guessed_otherwise);
    return told && else_told && std::abs(*else_told / *told - 1) > little;
  } catch (const Error& error) {
    if (!concerns_case_alone(error)) throw;
    return false;
  }
}

}  // namespace

void flag_guesses(report::Report& report, std::span<const report::Expectation> expectations,
                  const std::vector<Probe>& registry) {
  auto profile = profile_behind(report);
  if (!profile) return;
  model::Profile guessed_otherwise = otherwise(*profile);
  for (report::Record& record : report.results) {
    const bool is_held = std::ranges::any_of(expectations, [&](const report::Expectation& expectation) {
      return expectation.quantity == "measured_over_predicted" && report::selects(expectation.cases, record);
    });
    if (!is_held || record.has_flag(guessed_flag) || !record.headline.measured) continue;
    const auto tested = report::case_of(record, registry);
    if (tested) profile->device = guessed_otherwise.device = timed_on(report, *tested);
    if (tested && rests_on_guesses(*tested, *profile, guessed_otherwise)) record.flags.emplace_back(guessed_flag);
  }
}

}  // namespace gpumem::app
