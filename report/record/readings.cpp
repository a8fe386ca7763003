#include "report/record/readings.hpp"

#include <cmath>

namespace gpumem::report {

std::optional<double> mean_per_request(const Record& record, std::string_view op, std::string_view unit,
                                       Source source) {
  double sum = 0;
  unsigned count = 0;
  for (const SiteRecord& site : record.access) {
    if (site.op != op) continue;
    const Reading reading = site.per_request(unit);
    const std::optional<double>& value = source == Source::predicted ? reading.predicted : reading.counted;
    if (!value) continue;
    sum += *value;
    ++count;
  }
  if (count == 0) return std::nullopt;
  return sum / count;
}

PerRequest per_request(const Record& record, std::string_view unit, Source source) {
  return {mean_per_request(record, "load", unit, source), mean_per_request(record, "store", unit, source)};
}

std::optional<double> positive(std::optional<double> value) {
  return value && std::isfinite(*value) && *value > 0 ? value : std::nullopt;
}

std::optional<double> positive_headline(const Record& record, bool measured) {
  return positive(measured ? record.headline.measured : record.headline.predicted);
}

ComparedQuantity headline_quantity(const Record& record) {
  return {record.headline.quantity, record.headline.better == Better::less ? Better::less : Better::more};
}

ComparedQuantity time_quantity() { return {"time_seconds", Better::less}; }

std::optional<double> seconds_of(const Record& record) {
  return record.time ? std::optional(record.time->summary.median.count()) : record.predicted_s;
}

std::optional<double> bandwidth_of(const Record& record, bool measured) {
  if (record.headline.quantity == bandwidth_name)
    return measured ? record.headline.measured : record.headline.predicted;
  const auto timed = record.time ? std::optional(record.time->summary.median.count()) : std::nullopt;
  const auto seconds = measured ? timed : record.predicted_s;
  if (!seconds || !(*seconds > 0) || !(record.useful_bytes() > 0)) return std::nullopt;
  return record.useful_bytes() / *seconds * per_giga;
}

std::optional<double> headline_uncertainty(const Record& record) {
  const HeadlineRecord& headline = record.headline;
  if (headline.samples.empty()) {  // it follows from the time
    return record.time ? std::optional(record.time->summary.relative_width() / 2) : std::nullopt;
  }
  if (!headline.measured || !headline.ci95_low || !headline.ci95_high || *headline.measured == 0) return std::nullopt;
  return (*headline.ci95_high - *headline.ci95_low) / *headline.measured / 2;
}

std::optional<double> seconds_of(const StageRecord& stage) {
  return stage.counted_s ? stage.counted_s : stage.predicted_s;
}

std::string limit_of(const Record& record) {
  if (record.bottleneck) return record.bottleneck->counted.value_or(record.bottleneck->predicted);
  const StageRecord* slowest = nullptr;
  for (const StageRecord& stage : record.stages) {
    const auto seconds = seconds_of(stage);
    if (seconds && (slowest == nullptr || *seconds > *seconds_of(*slowest))) slowest = &stage;
  }
  // If the slowest stage takes less than this share of the time, something that the model does not know may be the
  // limit.
  constexpr double limiting_share = 0.5;
  const auto whole = seconds_of(record);
  if (slowest == nullptr || (whole && *seconds_of(*slowest) < limiting_share * *whole)) return "";
  return slowest->stage;
}

}  // namespace gpumem::report
