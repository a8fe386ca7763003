#include "app/run/record_of.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/access/describe.hpp"
#include "engine/base/words.hpp"
#include "report/record/kernels.hpp"

namespace gpumem::app {

namespace {

/// Returns "needs 128 GiB, the GPU has 80 GiB", with sizes that differ.
std::string needed_and_had(std::uint64_t needed_bytes, std::uint64_t had_bytes) {
  const auto [needed, had] = sizes_apart(needed_bytes, had_bytes);
  return fmt::format("needs {}, the GPU has {}", needed, had);
}

/// Advises how to make a case of the probe smaller: "; pass a smaller --buffer". Empty if no axis does.
std::string advice_on_size(const Probe& probe) {
  const auto is_size = [](const Axis& axis) {
    return axis.parameter == "buffer_bytes" || axis.parameter == "size_bytes" || axis.parameter == "footprint_bytes";
  };
  const auto size = std::ranges::find_if(probe.axes, is_size);
  return size == probe.axes.end() ? "" : "; pass a smaller --" + size->flag;
}

}  // namespace

report::Record record_of(const Case& decided, const Workload& workload) {
  const Probe& probe = *decided.probe;
  report::Record record;
  record.probe = probe.name;
  record.parameters = decided.parameters;
  record.swept = probe.axes.front().parameter;
  record.compared = probe.compared;
  const bool beside_others =
      std::ranges::find(decided.parameters, report::device_parameter, &Parameter::name) != decided.parameters.end() &&
      probe.find_axis(report::device_parameter) == nullptr;  // that of kernels is another
  record.across = beside_others ? report::device_parameter : probe.across;
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
  return record;
}

void add_prediction(report::Record& record, const Probe& probe, const Workload& workload,
                    const model::Profile& profile) {
  add_prediction(record, probe, workload, profile, model::predict(workload, profile));
}

void add_prediction(report::Record& record, const Probe& probe, const Workload& workload, const model::Profile& profile,
                    const model::Prediction& prediction) {
  for (std::size_t i = 0; i < record.access.size(); ++i) {
    const access::SiteCost& cost = prediction.sites[i].cost;
    const access::Costed costed = access::costed(workload.sites[i].space, workload.sites[i].op);
    if (costed.sectors) record.access[i].cost(report::sectors).predicted = cost.sectors_per_request;
    if (costed.wavefronts) record.access[i].cost(report::wavefronts).predicted = cost.wavefronts_per_request;
    if (costed.addresses) record.access[i].cost(report::addresses).predicted = cost.addresses_per_request;
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
  record.bottleneck = report::Bottleneck{std::string(prediction.bottleneck), std::nullopt};
  for (const model::StageTime& stage : prediction.stages) {
    record.stages.push_back({std::string(stage.stage), stage.seconds, std::nullopt});
  }
  if (!record.time) record.timeline = prediction.timeline;  // of a run that was measured it would be taken for measured
}

void add_headline(report::HeadlineRecord& headline, const std::function<std::optional<double>(double)>& of_seconds,
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

void add_samples(report::HeadlineRecord& headline, std::vector<double> samples) {
  const measure::Estimate estimate = measure::estimate_median(samples);
  headline.measured = estimate.median;
  headline.ci95_low = estimate.ci95_low;
  headline.ci95_high = estimate.ci95_high;
  headline.samples = std::move(samples);
}

void add_peak(report::Record& record, const Probe& probe, const Workload& workload, const Device& device) {
  report::HeadlineRecord& headline = record.headline;
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

double goodness_of(const Probe& probe, const Workload& workload, std::optional<double> headline, double seconds) {
  if (!headline && probe.headline.from_seconds) headline = probe.headline.from_seconds(workload, seconds);
  if (!headline || !(*headline > 0) || probe.headline.quantity.better == Better::neither) return 1 / seconds;
  return probe.headline.quantity.better == Better::less ? 1 / *headline : *headline;
}

bool concerns_case_alone(const Error& error) {
  return error.kind() == ErrorKind::probe_failed || error.kind() == ErrorKind::missing_capability;
}

void add_failure(report::Record& record, const Error& error) {
  record.status = error.kind() == ErrorKind::missing_capability ? report::Status::skipped : report::Status::failed;
  record.reason = error.what();
}

report::Record failed_record(const Case& decided, const Error& error) {
  report::Record record = record_of(decided);
  add_failure(record, error);
  return record;
}

std::vector<report::Record> planned_records(const Plan& plan) {
  std::vector<report::Record> records;
  for (const PlannedSweep& sweep : plan.sweeps) {
    for (const Case& tested : sweep.cases) {
      report::Record& record = records.emplace_back(record_of(tested));
      record.status = report::Status::skipped;
      record.reason = "dry run";
    }
  }
  return records;
}

std::string words_of(const report::Record& record, const std::function<bool(const std::string&)>& wanted) {
  std::string words = record.probe;
  for (const auto& [name, value] : record.parameters) {
    if (wanted(name)) words += " " + name + "=" + to_string(value);
  }
  return words;
}

Workload describe(const Case& decided, const Device& device) {
  Workload workload = decided.probe->describe(decided, device);
  if (workload.shared_bytes_per_block > device.shared_bytes_per_block) {
    throw missing_capability_error(
        fmt::format("too little shared memory per block: {}",
                    needed_and_had(workload.shared_bytes_per_block, device.shared_bytes_per_block)));
  }
  if (workload.allocated_bytes > device.memory_bytes) {
    throw probe_error(fmt::format("out of memory: {}{}", needed_and_had(workload.allocated_bytes, device.memory_bytes),
                                  advice_on_size(*decided.probe)));
  }
  const bool addresses_host =
      std::ranges::find(workload.sites, access::Space::host, &access::Site::space) != workload.sites.end();
  if (addresses_host && !device.maps_host_memory) {
    throw missing_capability_error("kernels of this GPU cannot address host memory");
  }
  return workload;
}

std::optional<std::uint64_t> timing_gpu(const Case& tested, std::size_t gpus) {
  if (!tested.probe->gpus) return std::nullopt;
  const std::uint64_t wanted = tested.probe->gpus(tested).front();
  return wanted < gpus ? std::optional(wanted) : std::nullopt;
}

}  // namespace gpumem::app
