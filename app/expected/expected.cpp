#include "app/expected/expected.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "app/run/backend.hpp"
#include "app/run/shape_choice.hpp"
#include "engine/model/profile_names.hpp"
#include "engine/model/rate_fields.hpp"
#include "engine/model/source.hpp"
#include "report/record/cases.hpp"
#include "report/text/text.hpp"

namespace gpumem::app {

namespace {

/// Two GPUs joined by NVLinks: the one that is asked about, and the first one that it has NVLinks to.
struct Pair {
  std::size_t source;
  std::size_t target;
};

std::optional<Pair> joined_pair(const model::Profile& profile, std::size_t gpu) {
  if (gpu >= profile.gpus.size()) return std::nullopt;
  const std::vector<PeerLink>& links = profile.gpus[gpu].links;
  for (std::size_t other = 0; other < std::min(links.size(), profile.gpus.size()); ++other) {
    if (other != gpu && links[other].nvlinks > 0) return Pair{gpu, other};
  }
  return std::nullopt;
}

/// Puts the pair in place of "{source}" and "{target}"; nullopt if the axes ask for a pair and there is none.
std::optional<std::vector<GivenAxis>> of_pair(std::vector<GivenAxis> axes, const std::optional<Pair>& pair) {
  for (GivenAxis& axis : axes) {
    for (std::string& text : axis.texts) {
      if (!text.starts_with('{')) continue;
      if (!pair) return std::nullopt;
      text = std::to_string(text == "{source}" ? pair->source : pair->target);
    }
  }
  return axes;
}

std::string command_of(const std::vector<GivenAxis>& axes) {
  std::string command = "gpumem probe";
  for (const GivenAxis& axis : axes) command += " --" + axis.flag + " " + report::join(axis.texts, ",");
  return command;
}

/// The one case that the axes select, in the shape that a probe would run it in; nullopt if it cannot run.
std::optional<Case> case_of(const std::vector<GivenAxis>& axes, const std::vector<Probe>& registry, Backend& backend) {
  Plan plan = fitted(make_plan(registry, {}, axes), backend.device());
  if (plan.size() != 1) return std::nullopt;
  PlannedSweep& sweep = plan.sweeps.front();
  if (sweep.cases.empty() || choose_shape(sweep, backend).failure) return std::nullopt;
  return sweep.cases.front();
}

std::optional<double> value_of(const ExpectedQuantity& quantity, const report::Record& record) {
  switch (quantity.reading) {
    case ExpectedQuantity::Reading::headline:
      return record.headline.predicted;
    case ExpectedQuantity::Reading::nanoseconds:
      return report::metric_of(record, "latency_ns").predicted;
    case ExpectedQuantity::Reading::microseconds:
      return record.predicted_s ? std::optional(*record.predicted_s * 1e6) : std::nullopt;
  }
  return std::nullopt;
}

/// Returns how far a value moves with a rate of the profile: 1 if it moves by the same factor, 0 if it does not.
double moved_by(const ExpectedQuantity& quantity, const Case& tested, double value, model::Profile profile,
                const model::RateField& rate) {
  constexpr double less = 0.01;
  profile.rates[rate.id] *= 1 - less;
  const auto moved = value_of(quantity, make_model_backend(std::move(profile))->run(tested));
  return moved ? std::abs(*moved / value - 1) / less : 0;
}

/// The rate of the profile that decides the value: the one that the value moves with most.
std::string deciding_rate(const ExpectedQuantity& quantity, const Case& tested, double value,
                          const model::Profile& profile) {
  constexpr double most_of_it = 0.5;  // of what all rates together move: no other moves more
  const auto moved = [&](const model::RateField& rate) { return moved_by(quantity, tested, value, profile, rate); };
  const auto fields = model::rate_fields();
  const auto usual = std::ranges::find(fields, std::string_view(quantity.rate), &model::RateField::name);
  std::pair<double, std::string_view> strongest = {moved(*usual), usual->name};
  if (strongest.first >= most_of_it) return quantity.rate;
  for (const model::RateField& rate : fields) {
    if (!rate.carried && profile.how.contains(rate.name)) strongest = std::max(strongest, {moved(rate), rate.name});
  }
  return std::string(strongest.second);
}

/// False for the latency of the far L2 on a GPU whose L2 is all near.
bool is_told(const ExpectedQuantity& quantity, const model::Profile& profile) {
  return std::string_view(quantity.rate) != "l2_far_latency_cycles" || profile.rates.l2.near_share < 1;
}

/// Returns the spread of healthy GPUs around the value, or nullopt if it is unknown: only shipped profiles have it, for
/// values that rest on measurements.
std::optional<Spread> spread_of(const ExpectedQuantity& quantity, const model::Profile& profile, model::Source source) {
  if (profile.source != model::ProfileSource::shipped || !model::rests_on_measurements(source)) return std::nullopt;
  for (const auto& [kind, spread] : quantity.spread_of_kind) {
    if (model::same_gpu(kind, profile.device.name)) return spread;
  }
  return quantity.spread;
}

/// The source of a rate for people. Rates of shipped profiles were measured with this program, which somebody else's
/// profile need not say.
std::string source_words(const model::Profile& profile, const std::string& rate) {
  if (profile.source == model::ProfileSource::shipped) {
    const model::Source source = model::source_of(profile, rate);
    if (source == model::Source::measured) return "measured with gpumem";
    if (source == model::Source::fitted) return "fitted to measurements with gpumem";
  }
  return model::source_words(profile, rate);
}

/// The value, how it is known, and how far healthy GPUs lie from it.
report::ExpectedValue expected_value(const ExpectedQuantity& quantity, double value, const std::string& rate,
                                     const report::HeadlineRecord& headline, const model::Profile& profile) {
  const model::Source source = model::source_of(profile, rate);
  report::ExpectedValue expected;
  expected.quantity = quantity.name;
  expected.group = quantity.group;
  expected.title = quantity.title;
  expected.in_other_unit = quantity.reading == ExpectedQuantity::Reading::nanoseconds;
  expected.value = value;
  const bool is_bandwidth = quantity.reading == ExpectedQuantity::Reading::headline && headline.better == Better::more;
  if (is_bandwidth) expected.peak = headline.peak;
  if (const auto spread = spread_of(quantity, profile, source)) {
    expected.low = value * spread->low;
    // No GPU is faster than its peak, which a prediction may reach by itself.
    expected.high = std::min(value * spread->high, std::max(value, expected.peak.value_or(HUGE_VAL)));
  }
  expected.rate = rate;
  expected.source = model::to_string(source);
  expected.source_words = source_words(profile, rate);
  expected.how = profile.how.at(rate);
  return expected;
}

}  // namespace

report::ExpectedGpu expected_of(const model::Profile& profile, const std::vector<Probe>& registry, std::size_t gpu) {
  report::ExpectedGpu found{.device = profile.device, .profile = std::nullopt, .values = {}};
  if (!profile.from_attributes) found.profile = profile.name;
  found.label = found.profile.value_or(profile.device.name);
  found.is_own = profile.source == model::ProfileSource::own || profile.source == model::ProfileSource::file;
  const std::unique_ptr<Backend> backend = make_model_backend(profile);
  const std::optional<Pair> pair = joined_pair(profile, gpu);
  for (const ExpectedQuantity& quantity : expected_quantities()) {
    const auto axes = of_pair(quantity.axes, pair);
    if (!axes || !is_told(quantity, profile)) continue;
    const auto tested = case_of(*axes, registry, *backend);
    if (!tested) continue;
    const report::Record record = backend->run(*tested);
    const auto value = record.status == report::Status::ok ? value_of(quantity, record) : std::nullopt;
    if (!value || *value <= 0) continue;
    const std::string rate = deciding_rate(quantity, *tested, *value, profile);
    found.values.push_back(expected_value(quantity, *value, rate, record.headline, profile));
    found.values.back().command = command_of(*axes);
  }
  return found;
}

}  // namespace gpumem::app
