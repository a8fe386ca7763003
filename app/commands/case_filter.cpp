#include "app/commands/case_filter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "app/command_line/ranges.hpp"
#include "probes/error.hpp"
#include "probes/suggest.hpp"
#include "report/record/cases.hpp"
#include "report/text/names.hpp"
#include "report/text/text.hpp"

namespace gpumem::app {

namespace {

using report::Record;

/// "block-threads" and "block threads" are "block_threads".
std::string normal(std::string_view name) {
  std::string text(name);
  std::ranges::replace_if(
      text, [](char c) { return c == '-' || c == ' '; }, '_');
  return text;
}

/// What the parameters of a report may be called: a name, and the parameters it stands for.
using Names = std::map<std::string, std::set<std::string>>;

Names names_of(std::span<const Record> results, const std::vector<Probe>& registry) {
  Names names;
  for (const Record& record : results) {
    for (const Parameter& parameter : record.parameters) {
      names[parameter.name].insert(parameter.name);
      names[normal(report::parameter_heading(parameter.name).name)].insert(parameter.name);
    }
  }
  for (const Probe& probe : registry) {
    for (const Axis& axis : probe.axes) {
      if (names.contains(axis.parameter)) names[normal(axis.flag)].insert(axis.parameter);
    }
  }
  return names;
}

/// The values of a word, read as those of an axis; complaints name the word's own left side.
std::set<Value> parse_values(const Axis& axis, const std::string& text) {
  try {
    const std::vector<Value> values = parse_axis_values(axis, std::span(&text, 1));
    return {values.begin(), values.end()};
  } catch (const Error& error) {
    throw usage_error(std::string(error.what()).substr(2));  // without the dashes of a flag
  }
}

/// An axis that takes what the report has: names, or any numbers.
Axis axis_of(const std::string& called, const std::set<Value>& present) {
  Axis axis;
  axis.flag = called;
  for (const Value& value : present) {
    if (const auto* name = std::get_if<std::string>(&value)) axis.names.push_back(*name);
  }
  if (axis.names.size() < present.size()) {  // numbers, and perhaps what `auto` was never asked to decide
    axis.takes_auto = !axis.names.empty();
    axis.names.clear();
  }
  axis.minimum = 0;
  axis.maximum = std::numeric_limits<std::uint64_t>::max();
  return axis;
}

std::set<std::string> probe_names(std::span<const Record> results) {
  std::set<std::string> names;
  for (const Record& record : results) names.insert(record.probe);
  return names;
}

class Condition {
 public:
  Condition(const std::string& word, std::span<const Record> results, const Names& names) {
    const std::size_t sign = word.find('=');
    const std::string called = word.substr(0, sign);
    const std::string text = word.substr(sign + 1);
    std::set<Value> present;
    if (called == "probe") {
      by_probe_ = true;
      for (const std::string& name : probe_names(results)) present.insert(name);
    } else {
      const auto found = names.find(normal(called));
      if (found == names.end()) refuse(called, names);
      parameters_ = found->second;
      for (const Record& record : results) {
        for (const std::string& parameter : parameters_) {
          if (const Parameter* value = find_parameter(record, parameter)) present.insert(value->value);
        }
      }
    }
    values_ = parse_values(axis_of(called, present), text);
  }

  [[nodiscard]] bool admits(const Record& record) const {
    if (by_probe_) return values_.contains(Value(record.probe));
    return std::ranges::any_of(parameters_, [&](const std::string& name) {
      const Parameter* found = find_parameter(record, name);
      return found != nullptr && values_.contains(found->value);
    });
  }

 private:
  [[noreturn]] static void refuse(const std::string& called, const Names& names) {
    std::vector<std::string> known = {"probe"};
    for (const auto& [name, parameters] : names) known.push_back(name);
    std::string hint = did_you_mean(normal(called), known);
    if (hint.empty()) hint = "; there are: " + report::join(known, ", ");
    throw usage_error(fmt::format("the report has no parameter '{}'{}", called, hint));
  }

  bool by_probe_ = false;
  std::set<std::string> parameters_;
  std::set<Value> values_;
};

/// Positions by a word such as "3" or "0..5".
std::set<std::size_t> positions_of(const std::string& word, std::size_t count) {
  Axis axis;
  axis.flag = "CASE";
  axis.minimum = 0;
  axis.maximum = std::numeric_limits<std::uint64_t>::max();
  std::set<std::size_t> positions;
  for (const Value& value : parse_values(axis, word)) {
    const auto position = std::get<std::uint64_t>(value);
    if (position >= count) {
      const std::string there =
          count == 0 ? "has no cases" : fmt::format("has {}, 0 to {}", report::counted(count, "case"), count - 1);
      throw usage_error(fmt::format("there is no case {}; the report {}", position, there));
    }
    positions.insert(position);
  }
  return positions;
}

}  // namespace

std::vector<std::size_t> choose_cases(std::span<const Record> results, std::span<const std::string> words,
                                      const std::vector<Probe>& registry) {
  const Names names = names_of(results, registry);
  std::set<std::size_t> positions;
  std::vector<Condition> conditions;
  for (const std::string& word : words) {
    if (word.find('=') == std::string::npos) {
      positions.merge(positions_of(word, results.size()));
    } else {
      conditions.emplace_back(word, results, names);
    }
  }
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!positions.empty() && !positions.contains(i)) continue;
    if (std::ranges::all_of(conditions, [&](const Condition& one) { return one.admits(results[i]); })) {
      chosen.push_back(i);
    }
  }
  if (chosen.empty() && !words.empty()) {
    throw usage_error(fmt::format("no case of the report's {} fits '{}'", results.size(), report::join(words, " ")));
  }
  return chosen;
}

}  // namespace gpumem::app
