#include "report/readings.hpp"

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

}  // namespace gpumem::report
