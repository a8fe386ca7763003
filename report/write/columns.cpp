// One block: which columns its cases have, and what is said about them together.

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "probes/words.hpp"
#include "report/record/readings.hpp"
#include "report/record/sweep.hpp"
#include "report/text/text.hpp"
#include "report/write/blocks.hpp"
#include "report/write/column_builder.hpp"

namespace gpumem::report {

namespace {

/// In the order of the axes, but alternatives first: they stand together, as the cases come.
std::vector<std::string> parameter_names(const Cases& cases) {
  std::vector<std::string> names;
  for (const Parameter& parameter : cases.front()->parameters) names.push_back(parameter.name);
  std::ranges::stable_partition(names, [&](const std::string& name) { return name == cases.front()->compared; });
  return names;
}

void add_parameters(const Cases& cases, Block& block, ColumnBuilder& columns) {
  std::set<std::string> chosen;
  for (const Record* record : cases) chosen.insert(record->chosen.begin(), record->chosen.end());
  const std::vector<std::string> names = parameter_names(cases);
  const bool several = std::ranges::any_of(names, [&](const std::string& name) { return varies(cases, name); });
  for (const std::string& name : names) {
    const bool shown = several ? varies(cases, name) : name == cases.front()->swept;
    if (!shown) {
      block.constants.push_back(parameter_phrase(*find_parameter(*cases.front(), name)) +
                                (chosen.contains(name) ? " (auto)" : ""));
      continue;
    }
    std::vector<std::string> cells;
    for (std::size_t i = 0; i < cases.size(); ++i) {
      const Parameter* value = find_parameter(*cases[i], name);
      cells.push_back(value == nullptr ? "-" : value_text(*value));
      if (value == nullptr) continue;
      if (!block.rows[i].position.empty()) block.rows[i].position += ", ";
      block.rows[i].position += position_phrase(*value);
    }
    columns.add_text(parameter_heading(name), 0, std::move(cells));
    ++block.parameter_columns;
  }
}

/// Marks the rows with which another alternative begins, where an alternative has several.
void mark_alternatives(const Cases& cases, Block& block) {
  const std::string& compared = cases.front()->compared;
  const auto same = [&](const Record* a, const Record* b) {
    const Parameter* one = find_parameter(*a, compared);
    const Parameter* other = find_parameter(*b, compared);
    return one != nullptr && other != nullptr && *one == *other;
  };
  if (compared.empty() || std::ranges::adjacent_find(cases, same) == cases.end()) return;
  for (std::size_t i = 1; i < cases.size(); ++i) block.rows[i].begins_alternative = !same(cases[i - 1], cases[i]);
}

/// The preamble names the peak of device memory; another one has to be said where it applies.
void add_peak(const Cases& cases, const std::optional<Device>& device, Block& block) {
  const double named = device ? device->theoretical_bandwidth_bytes_per_s() * per_giga : 0;
  const std::string& quantity = cases.front()->headline.quantity;
  std::vector<std::string> peaks;
  for (const Record* record : cases) {
    const auto& peak = record->headline.peak;
    if (!peak || (quantity == bandwidth_name && std::abs(*peak - named) < 0.001 * named)) continue;
    std::string words = significant(*peak, 3);
    if (std::ranges::find(peaks, words) == peaks.end()) peaks.push_back(std::move(words));
  }
  constexpr std::size_t few = 4;
  if (peaks.empty() || peaks.size() > few) return;
  const bool floor = cases.front()->headline.better == Better::less;
  block.constants.push_back((floor ? "at least " : "peak ") + join_in_words(peaks) + " " + unit_of(quantity));
}

std::optional<double> relative(const Record& record) {
  return record.relative_measured ? record.relative_measured : record.relative_predicted;
}

/// A ratio to the baseline says something only where there is another case.
void add_relative(const Cases& cases, ColumnBuilder& columns) {
  if (cases.size() < 2) return;
  const Record& first = *cases.front();
  const std::string& related = baseline_parameter(first);
  const Heading heading = {"vs " + value_text({related, first.baseline}), "x"};
  if (std::ranges::none_of(cases, [&](const Record* record) {
        const Parameter* place = find_parameter(*record, related);
        return relative(*record) && place != nullptr && place->value != record->baseline;
      })) {
    return;
  }
  columns.add(heading, 10, 2, 3, relative);
}

void add_times(const Cases& cases, ColumnBuilder& columns, unsigned rank) {
  double shortest = 0;
  for (const Record* record : cases) {
    if (!record->time) continue;
    const double median = record->time->summary.median.count();
    if (median > 0 && (shortest == 0 || median < shortest)) shortest = median;
  }
  const TimeUnit unit = time_unit(shortest);
  columns.add({"time", unit.name}, rank, 3, 3, [&](const Record& record) {
    return record.time ? std::optional(record.time->summary.median.count() * unit.per_second) : std::nullopt;
  });
}

void add_metrics(const Cases& cases, ColumnBuilder& columns) {
  std::vector<std::string> names;
  for (const Record* record : cases) {
    for (const MetricRecord& metric : record->metrics) {
      if (std::ranges::find(names, metric.name) == names.end()) names.push_back(metric.name);
    }
  }
  // Reports of earlier versions repeat in every case what several show together.
  if (const Probe* probe = find_probe(cases.front()->probe)) {
    for (const Quantity& concluded : probe->concluded) std::erase(names, concluded.name);
  }
  unsigned rank = 70;
  for (const std::string& name : names) {
    // The first is the next best to know, unless it only details a bandwidth.
    const bool first = name == names.front() && name.find("gb_per_s") == std::string::npos;
    columns.add(quantity_heading(name), first ? 15 : rank++, 3, 3,
                [&](const Record& record) { return metric_value(record, name); });
  }
}

/// "GB/s" says that it is a bandwidth.
Heading headline_heading(const std::string& quantity) {
  return quantity == bandwidth_name ? Heading{"GB/s", ""} : quantity_heading(quantity);
}

void add_readings(const Cases& cases, ColumnBuilder& columns) {
  const std::string& quantity = cases.front()->headline.quantity;
  const bool measured =
      std::ranges::any_of(cases, [](const Record* record) { return record->headline.measured.has_value(); });
  const bool any =
      std::ranges::any_of(cases, [](const Record* record) { return record->headline.value().has_value(); });
  columns.add(headline_heading(quantity), 0, 3, 2, [](const Record& record) { return record.headline.measured; });
  if (!any) add_times(cases, columns, 0);
  columns.add({"±", "%"}, 50, 2, 2, [](const Record& record) {
    const auto share = headline_uncertainty(record);
    return share ? std::optional(std::round(*share * 1e4) / 100) : std::nullopt;  // no more digits than are of use
  });
  const auto add_predicted = [&](unsigned rank) {
    columns.add({"predicted", unit_of(quantity)}, rank, 3, 2,
                [](const Record& record) { return record.headline.predicted; });
  };
  if (!measured) add_predicted(0);
  columns.add({"peak", "%"}, 20, 3, 1, [](const Record& record) {
    return record.fraction_of_peak ? std::optional(*record.fraction_of_peak * 100) : std::nullopt;
  });
  add_relative(cases, columns);
  columns.add_per_request({"sectors", "/request"}, 12, sectors, Source::predicted);
  columns.add_per_request({"counted", "sectors"}, 30, sectors, Source::counted);
  columns.add_per_request({"wavefronts", "/request"}, 12, wavefronts, Source::predicted);
  columns.add_per_request({"counted", "wavefronts"}, 30, wavefronts, Source::counted);
  columns.add_per_request({"addresses", "/request"}, 12, addresses, Source::predicted);  // not counted yet
  if (measured) add_predicted(40);
  add_metrics(cases, columns);
  if (any) add_times(cases, columns, 90);
  std::vector<std::string> limits;
  for (const Record* record : cases) limits.push_back(record->bottleneck ? record->bottleneck->predicted : "");
  columns.add_text({"limit", "predicted"}, 80, std::move(limits));
}

void add_why(const Cases& cases, ColumnBuilder& columns) {
  std::vector<std::string> reasons;
  for (const Record* record : cases) reasons.push_back(record->why_brief);
  columns.add_prose({"why", ""}, std::move(reasons));
}

/// Bars show the headline.
void add_bars(const Cases& cases, Block& block) {
  double longest = 0;
  for (const Record* record : cases) longest = std::max(longest, record->headline.value().value_or(0));
  if (longest <= 0) return;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (const auto value = cases[i]->headline.value()) block.rows[i].bar_fraction = std::max(0.0, *value / longest);
  }
}

std::string failure_of(const Record& record) {
  if (record.status == Status::ok) return {};
  return std::string(to_string(record.status)) + ": " + one_line(record.reason.value_or("no reason given"));
}

std::vector<std::string> flags_of(const Record& record) {
  std::vector<std::string> flags = record.flags;
  if (record.status == Status::ok && record.verified == false) flags.insert(flags.begin(), "wrong_output");
  return flags;
}

/// The flags of every one of several cases that ran.
std::vector<std::string> common_flags(const Cases& cases) {
  std::vector<std::string> common;
  std::size_t ran = 0;
  for (const Record* record : cases) {
    if (record->status != Status::ok) continue;
    const std::vector<std::string> flags = flags_of(*record);
    if (ran++ == 0) common = flags;
    std::erase_if(common, [&](const std::string& flag) { return std::ranges::find(flags, flag) == flags.end(); });
  }
  return ran > 1 ? common : std::vector<std::string>();
}

void add_notes(const Cases& cases, Block& block) {
  const std::vector<std::string> common = common_flags(cases);
  block.common_flags = join(common, ", ");
  for (std::size_t i = 0; i < cases.size(); ++i) {
    std::vector<std::string> own = flags_of(*cases[i]);
    std::erase_if(own, [&](const std::string& flag) { return std::ranges::find(common, flag) != common.end(); });
    block.rows[i].flags = join(own, ", ");
    block.rows[i].failure = failure_of(*cases[i]);
  }
}

}  // namespace

Block make_block(const Cases& cases, const std::optional<Device>& device, bool why) {
  Block block;
  block.title = cases.front()->probe;
  block.rows.resize(cases.size());
  ColumnBuilder columns(cases, block);
  add_parameters(cases, block, columns);
  mark_alternatives(cases, block);
  add_peak(cases, device, block);

  const std::string first_failure = failure_of(*cases.front());
  if (!first_failure.empty() &&
      std::ranges::all_of(cases, [&](const Record* record) { return failure_of(*record) == first_failure; })) {
    block.common_failure = first_failure;
    return block;
  }
  add_readings(cases, columns);
  if (why) add_why(cases, columns);
  add_bars(cases, block);
  add_notes(cases, block);
  block.timelines = telling_timelines(cases);
  return block;
}

}  // namespace gpumem::report
