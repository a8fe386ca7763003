#include "report/record/readings.hpp"

namespace gpumem::report {

std::optional<double> mean_per_request(const Record& record, std::string_view op, Quantity quantity, Source source) {
  double sum = 0;
  unsigned count = 0;
  for (const SiteRecord& site : record.access) {
    if (site.op != op) continue;
    const Reading& reading = quantity == Quantity::sectors ? site.sectors_per_request : site.wavefronts_per_request;
    const std::optional<double>& value = source == Source::predicted ? reading.predicted : reading.counted;
    if (!value) continue;
    sum += *value;
    ++count;
  }
  if (count == 0) return std::nullopt;
  return sum / count;
}

PerRequest per_request(const Record& record, Quantity quantity, Source source) {
  return {mean_per_request(record, "load", quantity, source), mean_per_request(record, "store", quantity, source)};
}

std::optional<double> seconds_of(const Record& record) {
  if (record.time) return record.time->summary.median.count();
  const auto gb_per_s = record.headline_gb_per_s();
  if (!gb_per_s || !(*gb_per_s > 0)) return std::nullopt;
  return static_cast<double>(record.useful_bytes_read + record.useful_bytes_written) / (*gb_per_s * 1e9);
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
  return slowest == nullptr ? "" : slowest->stage;
}

std::string_view to_string(Status status) {
  switch (status) {
    case Status::ok:
      return "ok";
    case Status::skipped:
      return "skipped";
    case Status::failed:
      return "failed";
  }
  return "failed";
}

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::pass:
      return "pass";
    case Verdict::fail:
      return "fail";
    case Verdict::skip:
      return "skip";
  }
  return "skip";
}

}  // namespace gpumem::report
