#include "app/expected/expected.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "app/run/backend.hpp"
#include "app/run/shape_choice.hpp"
#include "engine/model/source.hpp"
#include "report/record/cases.hpp"
#include "report/text/text.hpp"

namespace gpumem::app {

namespace {

/// Two GPUs that NVLinks join: the one that is asked about, and the first that it has links to.
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

/// The axes with the pair in its places; nothing where there is none and they ask for one.
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

/// The one case that the axes mean, as a probe would run it; absent where it cannot run or nothing is predicted.
std::optional<report::Record> predicted(const std::vector<GivenAxis>& axes, const std::vector<Probe>& registry,
                                        Backend& backend) {
  Plan plan = fitted(make_plan(registry, {}, axes), backend.device());
  if (plan.size() != 1) return std::nullopt;
  PlannedSweep& sweep = plan.sweeps.front();
  if (sweep.cases.empty() || choose_shape(sweep, backend).failure) return std::nullopt;
  report::Record record = backend.run(sweep.cases.front());
  return record.status == report::Status::ok ? std::optional(std::move(record)) : std::nullopt;
}

std::optional<double> value_of(const ExpectedQuantity& quantity, const report::Record& record) {
  switch (quantity.reading) {
    case ExpectedQuantity::Reading::headline:
      return record.headline.predicted;
    case ExpectedQuantity::Reading::nanoseconds: {
      const auto metric = std::ranges::find(record.metrics, "latency_ns", &report::MetricRecord::name);
      return metric == record.metrics.end() ? std::nullopt : metric->predicted;
    }
    case ExpectedQuantity::Reading::microseconds:
      return record.predicted_s ? std::optional(*record.predicted_s * 1e6) : std::nullopt;
  }
  return std::nullopt;
}

/// Where all of L2 is as near, none of it is far.
bool is_told(const ExpectedQuantity& quantity, const model::Profile& profile) {
  return std::string_view(quantity.rate) != "l2_far_latency_cycles" || profile.rates.l2_near_share < 1;
}

}  // namespace

report::ExpectedGpu expected_of(const model::Profile& profile, const std::vector<Probe>& registry, std::size_t gpu) {
  report::ExpectedGpu found{.device = profile.device, .profile = std::nullopt, .values = {}};
  if (!profile.from_attributes) found.profile = profile.name;
  const std::unique_ptr<Backend> backend = make_model_backend(profile);
  const std::optional<Pair> pair = joined_pair(profile, gpu);
  for (const ExpectedQuantity& quantity : expected_quantities()) {
    const auto axes = of_pair(quantity.axes, pair);
    if (!axes || !is_told(quantity, profile)) continue;
    const auto record = predicted(*axes, registry, *backend);
    const auto value = record ? value_of(quantity, *record) : std::nullopt;
    if (!value || *value <= 0) continue;
    const model::Source source = model::source_of(profile, quantity.rate);
    report::ExpectedValue& expected = found.values.emplace_back();
    expected.quantity = quantity.name;
    expected.group = quantity.group;
    expected.title = quantity.title;
    expected.in_other_unit = quantity.reading == ExpectedQuantity::Reading::nanoseconds;
    expected.value = *value;
    const bool is_bandwidth =
        quantity.reading == ExpectedQuantity::Reading::headline && record->headline.better == Better::more;
    if (is_bandwidth) expected.peak = record->headline.peak;
    if (quantity.spread && model::rests_on_measurements(source)) {
      expected.low = *value * quantity.spread->low;
      // No GPU is faster than its peak, which a prediction may reach by itself.
      expected.high = std::min(*value * quantity.spread->high, std::max(*value, expected.peak.value_or(HUGE_VAL)));
    }
    expected.source = model::to_string(source);
    expected.source_words = model::source_words(profile, quantity.rate);
    expected.how = profile.how.at(quantity.rate);
    expected.command = command_of(*axes);
  }
  return found;
}

}  // namespace gpumem::app
