#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "engine/base/words.hpp"
#include "engine/statistics/statistics.hpp"
#include "report/record/matrix.hpp"
#include "report/record/readings.hpp"
#include "report/text/names.hpp"
#include "report/text/text.hpp"
#include "report/write/matrix.hpp"

namespace gpumem::report {

namespace {

constexpr int summary_digits = 3;
constexpr std::size_t most_groups = 3;  // said one by one

/// Cases with the same prediction, or without one.
struct PredictedAlike {
  std::vector<double> values;     ///< measured; predicted where nothing was measured
  std::vector<double> ratios;     ///< measured / predicted
  std::vector<double> predicted;  ///< beside what was measured
};

double median_of(const std::vector<double>& values) { return measure::estimate_median(values).median; }

std::string range_words(const std::vector<double>& values) {
  const auto [low, high] = std::ranges::minmax(values);
  return significant(low, summary_digits) + (reads_same(values) ? "" : " to " + significant(high, summary_digits));
}

/// Compares a measured value to the prediction, by their ratio.
std::string measured_words(double ratio) {
  constexpr double negligible = 0.0005;
  if (std::abs(ratio - 1) < negligible) return "measured is as much";
  return fmt::format("measured is {} % {}", significant(100 * std::abs(ratio - 1), 2), ratio < 1 ? "less" : "more");
}

std::string words_of(const PredictedAlike& group, std::string_view quantity) {
  std::string text = value_words(quantity, median_of(group.values));
  if (!reads_same(group.values)) text = "median " + text + ", " + range_words(group.values);
  if (group.ratios.empty()) return text;
  return text + "; predicted " + range_words(group.predicted) + ", " + measured_words(median_of(group.ratios));
}

void add(PredictedAlike& all, const PredictedAlike& group) {
  all.values.insert(all.values.end(), group.values.begin(), group.values.end());
  all.ratios.insert(all.ratios.end(), group.ratios.begin(), group.ratios.end());
  all.predicted.insert(all.predicted.end(), group.predicted.begin(), group.predicted.end());
}

/// Groups the readings by prediction, as it is shown; by 0 if there is none. The largest first.
std::map<double, PredictedAlike, std::greater<>> groups_of(const Cases& cases, std::string_view quantity) {
  std::vector<MetricRecord> readings;
  for (const Record* record : cases) readings.push_back(quantity_of(*record, quantity));
  const bool measured =
      std::ranges::any_of(readings, [](const MetricRecord& reading) { return reading.measured.has_value(); });
  std::map<double, PredictedAlike, std::greater<>> groups;
  for (const MetricRecord& reading : readings) {
    const auto value = measured ? reading.measured : reading.predicted;
    if (!value) continue;
    PredictedAlike& group = groups[reading.predicted ? std::stod(significant(*reading.predicted, summary_digits)) : 0];
    group.values.push_back(*value);
    if (!measured || !reading.predicted) continue;
    group.ratios.push_back(*value / *reading.predicted);
    group.predicted.push_back(*reading.predicted);
  }
  return groups;
}

/// The widest confidence interval of all cases, in words.
std::string uncertainty_words(const Cases& cases) {
  double widest = 0;
  for (const Record* record : cases) widest = std::max(widest, headline_uncertainty(*record).value_or(0));
  return widest == 0 ? "" : fmt::format("each ± {} % at most", significant(100 * widest, 2));
}

/// The ratio to the baseline alternative, in words; empty for the baseline itself.
std::string relative_words(const Cases& cases) {
  const Record& first = *cases.front();
  const Parameter* own = find_parameter(first, first.compared);
  std::vector<double> ratios;
  for (const Record* record : cases) {
    if (const auto ratio = record->relative_measured ? record->relative_measured : record->relative_predicted) {
      ratios.push_back(*ratio);
    }
  }
  if (own == nullptr || own->value == first.baseline || ratios.empty()) return {};
  return fmt::format("{} of {} in the median", times_words(median_of(ratios)),
                     value_text({first.compared, first.baseline}));
}

}  // namespace

bool reads_same(const std::vector<double>& values) {
  return std::ranges::all_of(values, [&](double value) {
    return significant(value, summary_digits) == significant(values.front(), summary_digits);
  });
}

std::vector<std::string> summary_of(const Cases& cases, std::string_view quantity) {
  std::vector<std::string> lines;
  const auto groups = groups_of(cases, quantity);
  if (groups.size() > most_groups) {
    PredictedAlike all;
    for (const auto& [predicted, group] : groups) add(all, group);
    lines.push_back(words_of(all, quantity));
  } else {
    for (const auto& [predicted, group] : groups) {
      const std::string which = groups.size() > 1 ? counted(group.values.size(), "case") + ": " : "";
      lines.push_back(which + words_of(group, quantity));
    }
  }
  if (quantity != cases.front()->headline.quantity) return lines;
  std::vector<std::string> further = {uncertainty_words(cases), relative_words(cases)};
  std::erase(further, "");
  if (!further.empty()) lines.push_back(join(further, "; "));
  return lines;
}

}  // namespace gpumem::report
