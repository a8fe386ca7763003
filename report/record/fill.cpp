#include "report/record/fill.hpp"

#include <algorithm>

#include "engine/access/describe.hpp"
#include "report/record/kernels.hpp"

namespace gpumem::report {

Record record_of(const Case& decided, const Workload& workload) {
  const Probe& probe = *decided.probe;
  Record record;
  record.probe = probe.name;
  record.parameters = decided.parameters;
  record.swept = probe.axes.front().parameter;
  record.compared = probe.compared;
  const bool beside_others =
      std::ranges::find(decided.parameters, device_parameter, &Parameter::name) != decided.parameters.end() &&
      probe.find_axis(device_parameter) == nullptr;  // that of kernels is another
  record.across = beside_others ? device_parameter : probe.across;
  record.drawn_over = probe.drawn_over;
  record.baseline = probe.baseline;
  record.headline.quantity = probe.headline.quantity.name;
  record.headline.better = probe.headline.quantity.better;
  for (const Metric& metric : probe.metrics) record.metrics.push_back({metric.quantity.name, {}, {}});
  record.useful_bytes_read = workload.useful_bytes_read;
  record.useful_bytes_written = workload.useful_bytes_written;
  record.useful_flops = workload.useful_flops;
  for (const access::Site& site : workload.sites) {
    record.access.push_back({.site = site.name,
                             .space = std::string(to_string(site.space)),
                             .op = std::string(to_string(site.op)),
                             .word_bytes = site.word_bytes,
                             .costs = {},
                             .pattern = site.described ? access::describe(access::requests_of(site)).brief : ""});
  }
  if (probe.bank_grid && !workload.sites.empty()) record.bank_grid = probe.bank_grid(decided);
  return record;
}

void add_prediction(Record& record, const Probe& probe, const Workload& workload, const model::Profile& profile) {
  add_prediction(record, probe, workload, profile, model::predict(workload, profile));
}

void add_prediction(Record& record, const Probe& probe, const Workload& workload, const model::Profile& profile,
                    const model::Prediction& prediction) {
  for (std::size_t i = 0; i < record.access.size(); ++i) {
    const access::SiteCost& cost = prediction.sites[i].cost;
    const access::Costed costed = access::costed(workload.sites[i].space, workload.sites[i].op);
    if (costed.sectors) record.access[i].cost(sectors).predicted = cost.sectors_per_request;
    if (costed.wavefronts) record.access[i].cost(wavefronts).predicted = cost.wavefronts_per_request;
    if (costed.addresses) record.access[i].cost(addresses).predicted = cost.addresses_per_request;
  }
  // A workload that the model does not reach may visit other data in every launch, so that one launch's footprint tells
  // nothing.
  if (prediction.served_by_l2 && workload.modelled()) record.flags.emplace_back("cache_resident");
  if (profile.from_attributes) record.flags.emplace_back("predicted_from_attributes");
  const std::string why_not = model::why_unpredicted(workload, profile);
  const bool of_headline_alone = workload.headline_alone() && why_not == workload.unmodelled;
  if (!why_not.empty() && !of_headline_alone) {
    record.no_prediction = why_not;
    return;
  }

  const auto value_of = [&](const auto& quantity) -> std::optional<double> {
    if (quantity.predict) return quantity.predict(workload, prediction, profile);
    if (!workload.modelled() || !quantity.from_seconds) return std::nullopt;
    return quantity.from_seconds(workload, prediction.seconds);
  };
  record.headline.predicted = value_of(probe.headline);
  for (std::size_t i = 0; i < probe.metrics.size(); ++i) record.metrics[i].predicted = value_of(probe.metrics[i]);
  if (!workload.modelled()) return;

  record.predicted_s = prediction.seconds;
  record.bottleneck = Bottleneck{std::string(prediction.bottleneck), std::nullopt};
  for (const model::StageTime& stage : prediction.stages) {
    record.stages.push_back({std::string(stage.stage), stage.seconds, std::nullopt});
  }
  if (!record.time) record.timeline = prediction.timeline;  // of a run that was measured it would be taken for measured
}

void add_headline(HeadlineRecord& headline, const std::function<std::optional<double>(double)>& of_seconds,
                  const measure::Summary& time) {
  headline.measured = of_seconds(time.median.count());
  if (time.count < measure::fewest_samples) return;
  // A rate's interval is that of the time, turned round.
  headline.ci95_low = of_seconds(time.ci95_low.count());
  headline.ci95_high = of_seconds(time.ci95_high.count());
  if (headline.ci95_low && headline.ci95_high && *headline.ci95_low > *headline.ci95_high) {
    std::swap(headline.ci95_low, headline.ci95_high);
  }
}

void add_samples(HeadlineRecord& headline, std::vector<double> samples) {
  const measure::Estimate estimate = measure::estimate_median(samples);
  headline.measured = estimate.median;
  headline.ci95_low = estimate.ci95_low;
  headline.ci95_high = estimate.ci95_high;
  headline.samples = std::move(samples);
}

void add_peak(Record& record, const Probe& probe, const Workload& workload, const Device& device) {
  HeadlineRecord& headline = record.headline;
  const auto peak = probe.headline.peak ? probe.headline.peak(workload, device) : std::nullopt;
  if (!peak || *peak <= 0) return;
  headline.peak = peak;
  const auto value = headline.value();
  if (!value || *value <= 0) return;
  const double fraction = headline.goodness(*value) / headline.goodness(*peak);
  // A broadcast hands one word to many lanes, and data that crossed the link once may be used many times. A rate above
  // the peak is then no fraction of what the banks or the link can do. For data that fits in L2 it is kept: the flag
  // says that the rate is not the memory's.
  const bool cached = std::ranges::find(record.flags, "cache_resident") != record.flags.end();
  if (fraction <= 1 || cached) record.fraction_of_peak = fraction;
}

}  // namespace gpumem::report
