#include "report/check/check_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

#include "engine/base/words.hpp"
#include "report/record/kernel_place.hpp"
#include "report/record/kernels.hpp"
#include "report/text/names.hpp"
#include "report/text/text.hpp"

namespace gpumem::report {

namespace {

constexpr int fewest_digits = 3;
constexpr int most_digits = 12;

std::string bound(double value) { return fmt::format("{:.6g}", value); }

/// Whole numbers below a million, for example counts, have no decimals.
std::string number_words(double value) {
  return value == std::trunc(value) && std::abs(value) < 1e6 ? fmt::format("{:.0f}", value)
                                                             : significant(value, fewest_digits);
}

/// Returns the value with as many digits as it takes to differ from the bound that it misses.
std::string apart_from(double value, double missed) {
  for (int digits = fewest_digits; digits < most_digits; ++digits) {
    std::string text = significant(value, digits);
    if (text != significant(missed, digits) && text != bound(missed)) return text;
  }
  return fmt::format("{}", value);
}

}  // namespace

std::string case_words(const Cases& among, const Record& record) {
  if (is_kernel(record)) return KernelPlaces(among).words(record);
  std::set<std::string> telling = varying(among);
  for (const std::string& chosen : record.chosen) telling.erase(chosen);  // by nobody's wish
  telling.insert({record.swept, record.compared});
  const std::string place = parameter_words(record, telling);
  const std::string probe = one_line(record.probe);
  if (place.empty()) return probe;
  const auto other_probe = [&](const Record* other) { return other->probe != record.probe; };
  return std::ranges::any_of(among, other_probe) ? probe + ", " + place : place;
}

std::string reason_of(const Record& record) { return one_line(record.reason.value_or("no reason known")); }

std::string probe_and_case_words(const Cases& all, const Record& record) {
  Cases own;
  std::ranges::copy_if(all, std::back_inserter(own), [&](const Record* other) { return other->probe == record.probe; });
  std::string words = case_words(own, record);
  if (is_kernel(record)) return words;
  const std::string probe = one_line(record.probe);
  return words == probe || words.starts_with(probe + " ") ? words : probe + " " + words;
}

Cases missing_cases(const Report& report, const CheckRules& rules) {
  if (rules.planned.empty()) return {};
  std::set<std::string> there;
  for (const Record& record : report.results) there.insert(asked_key(record));
  Cases missing;
  for (const Record& record : rules.planned) {
    if (!there.contains(asked_key(record))) missing.push_back(&record);
  }
  return missing;
}

std::string missing_words(const Cases& missing, std::size_t planned) {
  return fmt::format("{} of {} not in the report, the first: {}", missing.size(), counted(planned, "case"),
                     probe_and_case_words(missing, *missing.front()));
}

std::string labelled_value(std::string_view quantity, double value) {
  const std::string number = number_words(value);
  const Heading heading = quantity_heading(quantity);
  if (quantity == "fraction_of_peak") return number + " of peak";
  if (quantity == "measured_over_predicted") return number + " of the prediction";
  if (heading.unit.starts_with('/')) return fmt::format("{} {} per {}", number, heading.name, heading.unit.substr(1));
  if (heading.unit == "bytes" && value >= 0) return decimal_size(value);
  if (heading.unit == "GB/s" || heading.unit == "s" || heading.name.find('/') != std::string::npos) {
    return heading.unit == "s" ? duration_words(value, fewest_digits) : number + " " + unit_of(quantity);
  }
  return fmt::format("{} {}{}{}", heading.name, number, heading.unit.empty() ? "" : " ", heading.unit);
}

std::string bound_words(const CheckRecord& check) {
  if (!check.measured) return {};
  const double value = *check.measured;
  if (check.at_least && value < *check.at_least) {
    return fmt::format("{} < {}", apart_from(value, *check.at_least), bound(*check.at_least));
  }
  if (check.at_most && value > *check.at_most) {
    return fmt::format("{} > {}", apart_from(value, *check.at_most), bound(*check.at_most));
  }
  const std::string number = number_words(value);
  if (check.at_least && check.at_most) {
    return fmt::format("{} in {}..{}", number, bound(*check.at_least), bound(*check.at_most));
  }
  if (check.at_least) return fmt::format("{} >= {}", number, bound(*check.at_least));
  if (check.at_most) return fmt::format("{} <= {}", number, bound(*check.at_most));
  return number;
}

std::string demand_words(const Expectation& expectation) {
  if (expectation.subject == Expectation::Subject::flags) return "none flagged " + join(expectation.flags, ", ");
  std::string text = quantity_words(expectation.quantity);
  if (expectation.relative_to) text += " relative to another case";
  if (expectation.at_least) text += " at least " + bound(*expectation.at_least);
  if (expectation.at_least && expectation.at_most) text += " and";
  if (expectation.at_most) text += " at most " + bound(*expectation.at_most);
  if (const auto& where = expectation.where) {
    text += " where " + quantity_words(where->quantity);
    if (where->at_least) text += " is at least " + bound(*where->at_least);
    if (where->at_least && where->at_most) text += " and";
    if (where->at_most) text += " is at most " + bound(*where->at_most);
  }
  return text;
}

}  // namespace gpumem::report
