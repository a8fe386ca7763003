#include "report/explain/say.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string_view>

#include "engine/base/words.hpp"
#include "report/text/names.hpp"
#include "report/text/text.hpp"

namespace gpumem::report {

namespace {

std::string number_words(std::string_view name, double number) {
  constexpr double per_tera = 1000;
  if (name.ends_with("ratio")) return times_words(number);
  if (name.ends_with("gflop_per_s") && number >= per_tera) return significant(number / per_tera, 3) + " TFLOP/s";
  const std::string unit = unit_of(name);
  if (unit == "%") return (number < 1 ? significant(number, 1) : fixed(number, 0)) + " %";
  constexpr std::array<std::string_view, 8> counted = {"",      "elements", "copies",  "rows",
                                                       "words", "lines",    "sectors", "passes"};
  if (number == std::round(number) && std::ranges::find(counted, unit) != counted.end()) {
    return fixed(number, 0) + (unit.empty() ? "" : " " + unit);
  }
  return value_words(name, number);
}

std::string item_words(const FactValue& value, std::size_t item) {
  if (const auto* words = std::get_if<std::string>(&value.items[item])) {
    return value.name.ends_with("stage") ? stage_words(*words) : one_line(*words);
  }
  const double number = std::get<double>(value.items[item]);
  const std::string said = number_words(value.name, number);
  if (!value.predicted || !value.name.ends_with("ratio")) return said;
  return fmt::format("{} (predicted {})", said, number_words(value.name, *value.predicted));
}

/// Returns the words for one pair of braces. `names` is the text between them: names of values, separated by spaces.
std::string fact_values(const Fact& fact, std::string_view names) {
  std::vector<std::string> items;
  while (!names.empty()) {
    const std::string_view name = names.substr(0, names.find(' '));
    names.remove_prefix(std::min(names.size(), name.size() + 1));
    const auto value = std::ranges::find(fact.values, name, &FactValue::name);
    if (value == fact.values.end()) throw std::logic_error(fmt::format("no value '{}' for: {}", name, fact.says));
    const std::size_t count = value->items.size();
    if (!items.empty() && items.size() != count) throw std::logic_error("lists of different lengths in: " + fact.says);
    const bool first = items.empty();
    items.resize(count);
    for (std::size_t i = 0; i < count; ++i) items[i] += (first ? "" : " ") + item_words(*value, i);
  }
  return join_in_words(items);
}

}  // namespace

std::string say(const Fact& fact) {
  std::string text;
  std::string_view rest = fact.says;
  while (!rest.empty()) {
    const std::size_t open = rest.find('{');
    text += rest.substr(0, open);
    if (open == std::string_view::npos) break;
    const std::size_t close = rest.find('}', open);
    if (close == std::string_view::npos) throw std::logic_error("a place that does not end: " + fact.says);
    text += fact_values(fact, rest.substr(open + 1, close - open - 1));
    rest.remove_prefix(close + 1);
  }
  return capitalised(text);
}

std::string say(const std::vector<Fact>& facts) {
  std::vector<std::string> sentences;
  for (const Fact& fact : facts) sentences.push_back(say(fact));
  return paragraph(sentences);
}

}  // namespace gpumem::report
