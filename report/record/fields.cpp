#include "report/record/fields.hpp"

#include <algorithm>

#include "engine/access/request.hpp"

namespace gpumem::report {

namespace {

/// A rate's interval is that of the time, turned round.
void take_interval(HeadlineRecord& headline, const std::optional<TimeRecord>& time) {
  if (!headline.measured || !time || time->summary.count < measure::fewest_samples) return;
  const measure::Summary& summary = time->summary;
  if (!(summary.ci95_low.count() > 0)) return;
  headline.ci95_low = *headline.measured * (summary.median / summary.ci95_high);
  headline.ci95_high = *headline.measured * (summary.median / summary.ci95_low);
}

}  // namespace

const char* misfit_of(const BankGrid& grid) {
  const auto fits = [&](const std::string& row) {
    return row.size() == grid.columns() && row.find_first_not_of(BankGrid::digits) == std::string::npos;
  };
  if (grid.rows() == 0 || grid.rows() > BankGrid::most || grid.columns() == 0 || grid.columns() > BankGrid::most ||
      !std::ranges::all_of(grid.banks, fits)) {
    return "1 to 128 rows, as many of the digits 0 to v in each";
  }
  const auto served = [&](const BankGrid::Lane& lane) {
    return lane.lane < access::warp_lanes && lane.wavefront < grid.wavefronts;
  };
  if (grid.wavefronts > BankGrid::digits.size() || grid.lanes.size() > access::warp_lanes ||
      !std::ranges::all_of(grid.lanes, served)) {
    return "at most 32 lanes, in at most 32 wavefronts";
  }
  const bool sized = grid.element_bytes > 0 && grid.element_bytes <= 16 && grid.elements > 0 && grid.elements <= 16;
  return sized ? nullptr : "elements of 1 to 16 bytes, and 1 to 16 of them in a lane";
}

void name_headline(Record& record, const MetricRecord& bandwidth, std::optional<double> peak_gb_per_s) {
  HeadlineRecord& headline = record.headline;
  headline.measured = bandwidth.measured;
  headline.predicted = bandwidth.predicted;
  headline.peak = peak_gb_per_s;
  take_interval(headline, record.time);
  if (bandwidth.predicted && *bandwidth.predicted > 0 && record.useful_bytes() > 0) {
    record.predicted_s = record.useful_bytes() / *bandwidth.predicted * per_giga;
  }
  const Probe* probe = find_probe(record.probe);
  if (probe == nullptr) return;
  const Quantity& quantity = probe->headline.quantity;
  const auto metric = std::ranges::find(record.metrics, quantity.name, &MetricRecord::name);
  if (quantity.name == headline.quantity || metric == record.metrics.end() || !metric->measured) return;
  headline = {.quantity = quantity.name, .better = quantity.better, .measured = metric->measured};
  record.metrics.erase(metric);
}

NamedValues named_metrics(const Record& record, std::optional<double> MetricRecord::*reading,
                          std::optional<double> HeadlineRecord::*headline) {
  NamedValues values;
  if (record.headline.quantity != bandwidth_name) {
    values.emplace_back(record.headline.quantity, record.headline.*headline);
  }
  for (const MetricRecord& metric : record.metrics) values.emplace_back(metric.name, metric.*reading);
  return values;
}

void set_metrics(Record& record, const NamedValues& values, std::optional<double> MetricRecord::*reading) {
  for (const auto& [name, value] : values) {
    if (name == record.headline.quantity) continue;
    auto metric = std::ranges::find(record.metrics, name, &MetricRecord::name);
    if (metric == record.metrics.end()) metric = record.metrics.insert(metric, {name, {}, {}});
    (*metric).*reading = value;
  }
}

std::vector<NumberedLink> links_to_others(const std::vector<PeerLink>& links) {
  std::vector<NumberedLink> others;
  for (unsigned gpu = 0; gpu < links.size(); ++gpu) {
    if (links[gpu].path != PeerLink::Path::itself) others.push_back({gpu, links[gpu]});
  }
  return others;
}

std::optional<std::vector<PeerLink>> links_by_gpu(const std::vector<NumberedLink>& others) {
  std::vector<PeerLink> links(others.size() + 1, {.path = PeerLink::Path::itself});
  for (const NumberedLink& other : others) {
    if (other.gpu >= links.size() || links[other.gpu].path != PeerLink::Path::itself) return std::nullopt;
    links[other.gpu] = other.link;
  }
  return links;
}

}  // namespace gpumem::report
