// One block: which columns its cases have, and what is said about them together.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <utility>

#include "engine/base/words.hpp"
#include "report/record/kernels.hpp"
#include "report/record/readings.hpp"
#include "report/record/sweep.hpp"
#include "report/text/text.hpp"
#include "report/write/blocks.hpp"
#include "report/write/cells.hpp"

namespace gpumem::report {

namespace {

std::optional<double> relative(const Record& record) {
  return record.relative_measured ? record.relative_measured : record.relative_predicted;
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

/// Adds columns left to right. One without any value is left out.
class BlockOfCases {
 public:
  explicit BlockOfCases(const Cases& cases)
      : cases_(cases), first_(*cases.front()), probe_(find_described_probe(first_.probe)) {
    block_.title = first_.probe;
    block_.rows.resize(cases.size());
  }

  [[nodiscard]] Block build(const std::optional<Device>& device, bool why) && {
    add_parameters();
    mark_alternatives();
    add_peak(device);
    const std::string failure = failure_of(first_);
    if (!failure.empty() && !any([&](const Record& record) { return failure_of(record) != failure; })) {
      block_.common_failure = failure;
      return std::move(block_);
    }
    add_pictures();
    add_matrices(why);
    if (!block_.matrices.empty()) return std::move(block_);
    add_readings();
    if (why) add({.heading = {"why", ""}, .names = true, .prose = true}, texts(&Record::why_brief));
    add_bars();
    std::vector<std::vector<std::string>> flags;
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      block_.rows[i].failure = failure_of(*cases_[i]);
      flags.push_back(flags_of(*cases_[i]));
    }
    set_flags(block_, std::move(flags));
    block_.timelines = telling_timelines(cases_);
    return std::move(block_);
  }

 private:
  void add(Column column, std::vector<std::string> cells) {
    if (std::ranges::all_of(cells, &std::string::empty)) return;
    block_.columns.push_back(std::move(column));
    for (std::size_t i = 0; i < cells.size(); ++i) block_.rows[i].cells.push_back(std::move(cells[i]));
  }

  void add_text(Heading heading, unsigned rank, std::vector<std::string> cells) {
    const bool names = std::ranges::any_of(cells, [](const std::string& cell) {
      return !cell.empty() && (cell[0] < '0' || cell[0] > '9') && cell[0] != '-';
    });
    add({.heading = std::move(heading), .rank = rank, .names = names}, std::move(cells));
  }

  void add_numbers(Heading heading, unsigned rank, int digits, int most_decimals,
                   const std::function<std::optional<double>(const Record&)>& read) {
    std::vector<std::optional<double>> values;
    for (const Record* record : cases_) {
      const auto value = read(*record);
      values.push_back(value && std::isfinite(*value) ? value : std::nullopt);
    }
    add_text(std::move(heading), rank, aligned(values, digits, most_decimals));
  }

  [[nodiscard]] std::vector<std::string> texts(const std::function<std::string(const Record&)>& text) const {
    std::vector<std::string> cells;
    for (const Record* record : cases_) cells.push_back(text(*record));
    return cells;
  }

  [[nodiscard]] bool any(const std::function<bool(const Record&)>& holds) const {
    return std::ranges::any_of(cases_, [&](const Record* record) { return holds(*record); });
  }

  /// In the order of the axes, but alternatives first: they stand together, as the cases come.
  void add_parameters() {
    std::set<std::string> chosen;
    for (const Record* record : cases_) chosen.insert(record->chosen.begin(), record->chosen.end());
    std::vector<Parameter> parameters = first_.parameters;
    std::ranges::stable_partition(parameters,
                                  [&](const Parameter& parameter) { return parameter.name == first_.compared; });
    const bool several =
        std::ranges::any_of(parameters, [&](const Parameter& parameter) { return varies(cases_, parameter.name); });
    for (const Parameter& parameter : parameters) {
      const std::string& name = parameter.name;
      const bool shown = several ? varies(cases_, name) : name == first_.swept;
      if (!shown) {
        if (!is_said(first_.probe, parameter)) continue;
        block_.constants.push_back(parameter_phrase(parameter) + (chosen.contains(name) ? " (auto)" : ""));
        continue;
      }
      std::vector<std::string> cells;
      for (std::size_t i = 0; i < cases_.size(); ++i) {
        const Parameter* value = find_parameter(*cases_[i], name);
        cells.push_back(value == nullptr ? "-" : value_text(*value));
        if (value == nullptr) continue;
        std::string& position = block_.rows[i].position;
        position += (position.empty() ? "" : ", ") + position_phrase(*value);
      }
      add_text(parameter_heading(name), 0, std::move(cells));
      ++block_.parameter_columns;
    }
  }

  /// Marks the rows with which another alternative begins, where an alternative has several.
  void mark_alternatives() {
    const auto same = [&](const Record* a, const Record* b) {
      const Parameter* before = find_parameter(*a, first_.compared);
      const Parameter* after = find_parameter(*b, first_.compared);
      return before != nullptr && after != nullptr && *before == *after;
    };
    if (first_.compared.empty() || std::ranges::adjacent_find(cases_, same) == cases_.end()) return;
    for (std::size_t i = 1; i < cases_.size(); ++i) {
      block_.rows[i].begins_alternative = !same(cases_[i - 1], cases_[i]);
    }
  }

  /// The preamble names the peak of device memory; another one has to be said where it applies.
  void add_peak(const std::optional<Device>& device) {
    const double named = device ? device->theoretical_bandwidth_bytes_per_s() * per_giga : 0;
    const std::string& quantity = first_.headline.quantity;
    std::vector<std::string> peaks;
    for (const Record* record : cases_) {
      const auto& peak = record->headline.peak;
      if (!peak || (quantity == bandwidth_name && std::abs(*peak - named) < 0.001 * named)) continue;
      std::string words = significant(*peak, 3);
      if (std::ranges::find(peaks, words) == peaks.end()) peaks.push_back(std::move(words));
    }
    constexpr std::size_t few = 4;
    if (peaks.empty() || peaks.size() > few) return;
    const bool floor = first_.headline.better == Better::less;
    block_.constants.push_back((floor ? "at least " : "peak ") + join_in_words(peaks) + " " + unit_of(quantity));
  }

  void add_readings() {
    const std::string& quantity = first_.headline.quantity;
    const bool measured = any([](const Record& record) { return record.headline.measured.has_value(); });
    const bool some = any([](const Record& record) { return record.headline.value().has_value(); });
    const Heading heading = quantity == bandwidth_name ? Heading{"GB/s", ""} : quantity_heading(quantity);
    add_numbers(heading, 0, 3, 2, [](const Record& record) { return record.headline.measured; });
    if (!some) add_times(0);
    add_numbers({"±", "%"}, 50, 2, 2, [](const Record& record) {
      const auto share = headline_uncertainty(record);
      return share ? std::optional(std::round(*share * 1e4) / 100) : std::nullopt;  // no more digits than are of use
    });
    const auto add_predicted = [&](unsigned rank) {
      add_numbers({"predicted", unit_of(quantity)}, rank, 3, 2,
                  [](const Record& record) { return record.headline.predicted; });
    };
    if (!measured) add_predicted(0);
    const bool portrait =
        probe_ != nullptr && (!probe_->reported.empty() || std::ranges::any_of(probe_->metrics, &Metric::essential));
    add_numbers({"peak", "%"}, portrait ? 5 : 20, 3, 1, [](const Record& record) {
      return record.fraction_of_peak ? std::optional(*record.fraction_of_peak * 100) : std::nullopt;
    });
    add_relative();
    add_per_request({"sectors", "/request"}, 12, sectors, Source::predicted);
    add_per_request({"counted", "sectors"}, 30, sectors, Source::counted);
    add_per_request({"wavefronts", "/request"}, 12, wavefronts, Source::predicted);
    add_per_request({"counted", "wavefronts"}, 30, wavefronts, Source::counted);
    add_per_request({"addresses", "/request"}, 12, addresses, Source::predicted);  // not counted yet
    if (measured) add_predicted(40);
    add_metrics();
    add_counters();
    if (some) add_times(rank_reported("time_seconds").value_or(90));
    add_text({"limit", "predicted"}, 80,
             texts([](const Record& record) { return record.bottleneck ? record.bottleneck->predicted : ""; }));
  }

  /// The place among what the probe's tables keep beside the headline.
  [[nodiscard]] std::optional<unsigned> rank_reported(std::string_view name) const {
    constexpr unsigned first = 6;
    if (probe_ == nullptr) return std::nullopt;
    const auto found = std::ranges::find(probe_->reported, name);
    if (found == probe_->reported.end()) return std::nullopt;
    return first + static_cast<unsigned>(found - probe_->reported.begin());
  }

  void add_counters() {
    for (const measure::CounterField& field : measure::counter_fields()) {
      const auto rank = rank_reported(field.name);
      if (!rank) continue;
      const Heading heading = quantity_heading(field.name);
      const bool share = field.is_share && heading.unit.empty();
      add_numbers(share ? in_percent(heading) : heading, *rank, 3, 1,
                  [&](const Record& record) -> std::optional<double> {
                    const auto value = record.counters ? (*record.counters).*field.value : std::nullopt;
                    return value ? std::optional(*value * (share ? 100 : 1)) : std::nullopt;
                  });
    }
  }

  void add_times(unsigned rank) {
    double shortest = 0;
    for (const Record* record : cases_) {
      if (!record->time) continue;
      const double median = record->time->summary.median.count();
      if (median > 0 && (shortest == 0 || median < shortest)) shortest = median;
    }
    const TimeUnit unit = time_unit(shortest);
    add_numbers({"time", unit.name}, rank, 3, 3, [&](const Record& record) {
      return record.time ? std::optional(record.time->summary.median.count() * unit.per_second) : std::nullopt;
    });
  }

  void add_pictures() {
    for (const Record* record : cases_) {
      if (record->bank_grid) block_.pictures.push_back({position_among(cases_, *record), &*record->bank_grid});
    }
  }

  /// Adds matrices for each alternative: one of the headline, and one of each important metric that all cases that ran
  /// have.
  void add_matrices(bool why) {
    const std::vector<CaseMatrix> all = report::matrices(cases_);
    const std::vector<std::string> names = metric_names();
    for (const CaseMatrix& cases : all) {
      const Cases own = cases.cases();
      const Parameter* alternative = find_parameter(*own.front(), first_.compared);
      MatrixWish wish{.quantity = first_.headline.quantity,
                      .better = first_.headline.better,
                      .alternative = all.size() > 1 && alternative != nullptr ? parameter_phrase(*alternative) : "",
                      .why = why};
      block_.matrices.push_back(make_matrix(cases, wish));
      for (const std::string& name : names) {
        const bool everywhere = std::ranges::all_of(
            own, [&](const Record* record) { return !record->ran() || metric_value(*record, name).has_value(); });
        if (!everywhere || !(is_essential(name) || is_next_best(name, names))) continue;
        wish.quantity = name;
        wish.better = better_of(name);
        block_.matrices.push_back(make_matrix(cases, wish));
      }
    }
  }

  [[nodiscard]] Better better_of(std::string_view metric) const {
    if (probe_ == nullptr) return Better::neither;
    const auto found = std::ranges::find_if(probe_->metrics,
                                            [&](const Metric& candidate) { return candidate.quantity.name == metric; });
    return found == probe_->metrics.end() ? Better::neither : found->quantity.better;
  }

  /// A ratio to the baseline says something only where there is another case.
  void add_relative() {
    const std::string& related = baseline_parameter(first_);
    const bool told = any([&](const Record& record) {
      const Parameter* place = find_parameter(record, related);
      return relative(record) && place != nullptr && place->value != record.baseline;
    });
    if (cases_.size() < 2 || !told) return;
    add_numbers({"vs " + value_text({related, first_.baseline}), "x"}, 10, 2, 3, relative);
  }

  /// Loads' and stores' readings of a unit, in one number where they agree.
  void add_per_request(Heading heading, unsigned rank, std::string_view unit, Source source) {
    bool split = false;
    std::vector<std::string> cells = texts([&](const Record& record) {
      const PerRequest value = per_request(record, unit, source);
      const std::string load = value.load ? trimmed(*value.load, 2) : "";
      const std::string store = value.store ? trimmed(*value.store, 2) : "";
      const bool alike = load.empty() || store.empty() || load == store;
      split = split || !alike;
      return alike ? (load.empty() ? store : load) : load + "/" + store;
    });
    if (split) heading.unit = "ld/st";
    add_text(std::move(heading), rank, std::move(cells));
  }

  void add_metrics() {
    const std::vector<std::string> names = metric_names();
    unsigned rank = 70;
    for (const std::string& name : names) {
      add_metric(name, is_essential(name) ? 5 : is_next_best(name, names) ? 15 : rank++);
    }
  }

  /// The first is the next best to know after the headline, unless it only details a bandwidth.
  [[nodiscard]] static bool is_next_best(const std::string& name, const std::vector<std::string>& names) {
    return name == names.front() && name.find("gb_per_s") == std::string::npos;
  }

  [[nodiscard]] std::vector<std::string> metric_names() const {
    std::vector<std::string> names;
    for (const Record* record : cases_) {
      for (const MetricRecord& metric : record->metrics) {
        if (std::ranges::find(names, metric.name) == names.end()) names.push_back(metric.name);
      }
    }
    // Reports of earlier versions repeat in every case what several show together.
    if (probe_ != nullptr) {
      for (const Quantity& concluded : probe_->concluded) std::erase(names, concluded.name);
    }
    return names;
  }

  [[nodiscard]] bool is_essential(const std::string& name) const {
    return probe_ != nullptr && std::ranges::any_of(probe_->metrics, [&](const Metric& metric) {
             return metric.essential && metric.quantity.name == name;
           });
  }

  /// Bytes of many sizes are said as sizes.
  void add_metric(const std::string& name, unsigned rank) {
    constexpr double large_bytes = 64 * 1024;
    const auto read = [&](const Record& record) { return metric_value(record, name); };
    if (unit_of(name) != "bytes" ||
        !any([&](const Record& record) { return read(record).value_or(0) >= large_bytes; })) {
      add_numbers(quantity_heading(name), rank, 3, 3, read);
      return;
    }
    add_text({quantity_heading(name).name, ""}, rank, texts([&](const Record& record) {
               const auto bytes = read(record);
               return bytes ? size_text(static_cast<std::uint64_t>(std::llround(*bytes))) : "";
             }));
  }

  /// Bars show the headline.
  void add_bars() {
    double longest = 0;
    for (const Record* record : cases_) longest = std::max(longest, record->headline.value().value_or(0));
    if (longest <= 0) return;
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      if (const auto value = cases_[i]->headline.value()) block_.rows[i].bar_fraction = std::max(0.0, *value / longest);
    }
  }

  const Cases& cases_;
  const Record& first_;
  const Probe* probe_;  ///< null for one of another version
  Block block_;
};

}  // namespace

Block make_block(const Cases& cases, const std::optional<Device>& device, bool why) {
  return BlockOfCases(cases).build(device, why);
}

}  // namespace gpumem::report
