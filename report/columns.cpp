// One block: which columns its cases have, and the text in them.

#include "report/columns.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <utility>

#include "report/readings.hpp"
#include "report/text.hpp"

namespace gpumem::report {

namespace {

using Reader = std::function<std::optional<double>(const Record&)>;

const Parameter* find_parameter(const Record& record, std::string_view name) {
  const auto found = std::ranges::find(record.parameters, name, &Parameter::name);
  return found == record.parameters.end() ? nullptr : &*found;
}

bool varies(const Cases& cases, std::string_view parameter) {
  const Parameter* first = find_parameter(*cases.front(), parameter);
  return std::ranges::any_of(cases, [&](const Record* record) {
    const Parameter* other = find_parameter(*record, parameter);
    return (first == nullptr) != (other == nullptr) || (first != nullptr && *first != *other);
  });
}

/// Builds the columns of a block left to right. A column without any value is left out.
class Columns {
 public:
  Columns(const Cases& cases, Block& block) : cases_(cases), block_(block) {}

  void add_text(Heading heading, unsigned rank, std::vector<std::string> cells) {
    if (std::ranges::all_of(cells, &std::string::empty)) return;
    const bool names = std::ranges::any_of(cells, [](const std::string& cell) {
      return !cell.empty() && (cell[0] < '0' || cell[0] > '9') && cell[0] != '-';
    });
    block_.columns.push_back({std::move(heading), rank, names});
    for (std::size_t i = 0; i < cells.size(); ++i) block_.rows[i].cells.push_back(std::move(cells[i]));
  }

  /// Numbers with the same decimals in all rows: as many as give the smallest of them `significant` digits.
  void add(Heading heading, unsigned rank, int significant, int most_decimals, const Reader& read_any) {
    const auto read = [&](const Record& record) {
      const auto value = read_any(record);
      return value && std::isfinite(*value) ? value : std::nullopt;
    };
    std::vector<double> values;
    for (const Record* record : cases_) {
      if (const auto value = read(*record)) values.push_back(*value);
    }
    const int decimals = decimals_for(values, significant, most_decimals);
    std::vector<std::string> cells;
    for (const Record* record : cases_) {
      const auto value = read(*record);
      cells.push_back(value ? fixed(*value, decimals) : "");
    }
    add_text(std::move(heading), rank, std::move(cells));
  }

  void add_per_request(Heading heading, unsigned rank, Quantity quantity, Source source) {
    std::vector<std::string> cells;
    bool split = false;
    for (const Record* record : cases_) {
      const PerRequest value = per_request(*record, quantity, source);
      const std::string load = value.load ? trimmed(*value.load, 2) : "";
      const std::string store = value.store ? trimmed(*value.store, 2) : "";
      const bool one = load.empty() || store.empty() || load == store;
      split = split || !one;
      cells.push_back(one ? (load.empty() ? store : load) : load + "/" + store);
    }
    if (split) heading.unit = "ld/st";
    add_text(std::move(heading), rank, std::move(cells));
  }

 private:
  const Cases& cases_;
  Block& block_;
};

void add_parameters(const Cases& cases, Block& block, Columns& columns) {
  std::set<std::string> chosen;
  for (const Record* record : cases) chosen.insert(record->chosen.begin(), record->chosen.end());
  const bool several =
      std::ranges::any_of(cases.front()->parameters, [&](const Parameter& p) { return varies(cases, p.name); });
  for (const Parameter& parameter : cases.front()->parameters) {
    const bool shown = several ? varies(cases, parameter.name) : parameter.name == cases.front()->swept;
    if (!shown) {
      block.constants.push_back(parameter_phrase(parameter) + (chosen.contains(parameter.name) ? " (auto)" : ""));
      continue;
    }
    std::vector<std::string> cells;
    for (std::size_t i = 0; i < cases.size(); ++i) {
      const Parameter* value = find_parameter(*cases[i], parameter.name);
      cells.push_back(value == nullptr ? "-" : value_text(*value));
      if (value == nullptr) continue;
      if (!block.rows[i].position.empty()) block.rows[i].position += ", ";
      block.rows[i].position += position_phrase(*value);
    }
    columns.add_text(parameter_heading(parameter.name), 0, std::move(cells));
    ++block.parameter_columns;
  }
  // The preamble names the peak of device memory; another one has to be said where it applies.
  const Record& first = *cases.front();
  const bool on_chip = !first.access.empty() && first.access.front().space == "shared";
  if (on_chip && first.peak_gb_per_s) block.constants.push_back("peak " + fixed(*first.peak_gb_per_s, 0) + " GB/s");
}

std::optional<double> relative(const Record& record) {
  return record.relative_measured ? record.relative_measured : record.relative_predicted;
}

/// A ratio to the baseline says something only where there is another case.
void add_relative(const Cases& cases, Columns& columns) {
  if (cases.size() < 2) return;
  const Record& first = *cases.front();
  const Heading heading = {"vs " + value_text({first.swept, first.baseline}), "x"};
  if (std::ranges::none_of(cases, [&](const Record* record) {
        const Parameter* swept = find_parameter(*record, record->swept);
        return relative(*record) && swept != nullptr && swept->value != record->baseline;
      })) {
    return;
  }
  columns.add(heading, 10, 2, 3, relative);
}

void add_times(const Cases& cases, Columns& columns, unsigned rank) {
  double shortest = 0;
  for (const Record* record : cases) {
    if (!record->time) continue;
    const double median = record->time->summary.median.count();
    if (median > 0 && (shortest == 0 || median < shortest)) shortest = median;
  }
  const auto [unit, factor] = shortest < 1e-6   ? std::pair("ns", 1e9)
                              : shortest < 1e-3 ? std::pair("us", 1e6)
                              : shortest < 1    ? std::pair("ms", 1e3)
                                                : std::pair("s", 1.0);
  columns.add({"time", unit}, rank, 3, 3, [factor = factor](const Record& record) {
    return record.time ? std::optional(record.time->summary.median.count() * factor) : std::nullopt;
  });
}

void add_metrics(const Cases& cases, Columns& columns) {
  std::vector<std::string> names;
  for (const Record* record : cases) {
    for (const MetricRecord& metric : record->metrics) {
      if (std::ranges::find(names, metric.name) == names.end()) names.push_back(metric.name);
    }
  }
  for (const std::string& name : names) {
    columns.add(metric_heading(name), name == names.front() ? 15 : 70, 3, 3, [&](const Record& record) {
      const auto found = std::ranges::find(record.metrics, name, &MetricRecord::name);
      return found == record.metrics.end() ? std::nullopt : found->value;
    });
  }
}

void add_readings(const Cases& cases, Columns& columns) {
  const bool measured =
      std::ranges::any_of(cases, [](const Record* record) { return record->measured_gb_per_s.has_value(); });
  const bool bandwidth =
      std::ranges::any_of(cases, [](const Record* record) { return record->headline_gb_per_s().has_value(); });
  columns.add({"GB/s", ""}, 0, 3, 2, [](const Record& record) { return record.measured_gb_per_s; });
  if (!bandwidth) add_times(cases, columns, 0);
  columns.add({"±", "%"}, 50, 2, 2, [](const Record& record) {
    return record.time ? std::optional(record.time->summary.relative_width() * 50) : std::nullopt;
  });
  const auto add_predicted = [&](unsigned rank) {
    columns.add({"predicted", "GB/s"}, rank, 3, 2, [](const Record& record) { return record.predicted_gb_per_s; });
  };
  if (!measured) add_predicted(0);
  columns.add({"peak", "%"}, 20, 3, 1, [](const Record& record) {
    return record.fraction_of_peak ? std::optional(*record.fraction_of_peak * 100) : std::nullopt;
  });
  add_relative(cases, columns);
  columns.add_per_request({"sectors", "/request"}, 12, Quantity::sectors, Source::predicted);
  columns.add_per_request({"counted", "sectors"}, 30, Quantity::sectors, Source::counted);
  columns.add_per_request({"wavefronts", "/request"}, 12, Quantity::wavefronts, Source::predicted);
  columns.add_per_request({"counted", "wavefronts"}, 30, Quantity::wavefronts, Source::counted);
  if (measured) add_predicted(40);
  add_metrics(cases, columns);
  if (bandwidth) add_times(cases, columns, 90);
  std::vector<std::string> limits;
  for (const Record* record : cases) limits.push_back(record->bottleneck ? record->bottleneck->predicted : "");
  columns.add_text({"limit", "predicted"}, 80, std::move(limits));
}

/// Bars show the bandwidth, or the first metric where there is none.
void add_bars(const Cases& cases, Block& block) {
  const auto bandwidth = [](const Record& record) { return record.headline_gb_per_s(); };
  const auto metric = [](const Record& record) {
    return record.metrics.empty() ? std::nullopt : record.metrics.front().value;
  };
  const bool any = std::ranges::any_of(cases, [&](const Record* record) { return bandwidth(*record).has_value(); });
  const Reader read = any ? Reader(bandwidth) : Reader(metric);
  double longest = 0;
  for (const Record* record : cases) longest = std::max(longest, read(*record).value_or(0));
  if (longest <= 0) return;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (const auto value = read(*cases[i])) block.rows[i].bar_fraction = std::max(0.0, *value / longest);
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

Block make_block(const Cases& cases) {
  Block block;
  block.probe = cases.front()->probe;
  block.rows.resize(cases.size());
  Columns columns(cases, block);
  add_parameters(cases, block, columns);

  const std::string first_failure = failure_of(*cases.front());
  if (!first_failure.empty() &&
      std::ranges::all_of(cases, [&](const Record* record) { return failure_of(*record) == first_failure; })) {
    block.common_failure = first_failure;
    return block;
  }
  add_readings(cases, columns);
  add_bars(cases, block);
  add_notes(cases, block);
  return block;
}

}  // namespace gpumem::report
