#include "app/commands/case_filter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include "app/command_line/values.hpp"
#include "engine/base/error.hpp"
#include "engine/base/suggest.hpp"
#include "report/record/kernels.hpp"
#include "report/text/names.hpp"
#include "report/text/text.hpp"

namespace gpumem::app {

namespace {

using report::Cases;
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

Names names_of(const Cases& cases, const std::vector<Probe>& registry) {
  Names names;
  for (const Record* record : cases) {
    for (const Parameter& parameter : record->parameters) {
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
std::vector<Value> parse_values(const Axis& axis, const std::string& text) {
  try {
    return parse_axis_values(axis, std::span(&text, 1));
  } catch (const Error& error) {
    throw usage_error(std::string(error.what()).substr(2));  // without the dashes of a flag
  }
}

/// An axis that takes what the reports have: names, or any numbers.
Axis axis_of(const std::string& called, const std::set<Value>& present = {}, bool chosen = false) {
  Axis axis;
  axis.flag = called;
  axis.maximum = std::numeric_limits<std::uint64_t>::max();
  for (const Value& value : present) {
    if (const auto* name = std::get_if<std::string>(&value)) axis.names.push_back(*name);
  }
  if (axis.names.size() < present.size()) {  // numbers, and perhaps what `auto` was never asked to decide
    axis.takes_auto = chosen || !axis.names.empty();
    axis.names.clear();
  }
  return axis;
}

/// The probes that a word "probe=..." names.
std::vector<std::string> parse_probes(const std::string& text, const Cases& cases) {
  std::set<Value> present;
  for (const Record* record : cases) present.insert(record->probe);
  std::vector<std::string> probes;
  for (const Value& value : parse_values(axis_of("probe", present), text)) probes.push_back(to_string(value));
  return probes;
}

report::Selection::Allowed parse_parameter(const std::string& called, const std::string& text, const Cases& cases,
                                           const Names& names) {
  const auto found = names.find(normal(called));
  if (found == names.end()) {
    std::vector<std::string> known = {"probe"};
    for (const auto& [name, parameters] : names) known.push_back(name);
    std::string hint = did_you_mean(normal(called), known);
    if (hint.empty()) hint = "; there are: " + report::join(known, ", ");
    throw usage_error(fmt::format("no case has a parameter '{}'{}", called, hint));
  }
  if (found->second.contains(report::kernel_parameter)) {
    return {.parameters = {report::kernel_parameter}, .patterns = {report::NamePattern(text)}};
  }
  std::set<Value> present;
  bool chosen = false;
  for (const Record* record : cases) {
    for (const std::string& parameter : found->second) {
      if (const Parameter* value = find_parameter(*record, parameter)) present.insert(value->value);
      chosen = chosen || record->is_chosen(parameter);
    }
  }
  return {.parameters = {found->second.begin(), found->second.end()},
          .values = parse_values(axis_of(called, present, chosen), text)};
}

/// Positions by a word such as "3" or "0..5".
void add_positions(const std::string& word, std::size_t count, std::vector<std::size_t>& positions) {
  for (const Value& value : parse_values(axis_of("CASE"), word)) {
    const auto position = std::get<std::uint64_t>(value);
    if (position >= count) {
      const std::string there =
          count == 0 ? "none" : fmt::format("{}, 0 to {}", report::counted(count, "case"), count - 1);
      throw usage_error(fmt::format("there is no case {}; there are {}", position, there));
    }
    positions.push_back(position);
  }
}

}  // namespace

report::Selection CaseWords::among(const Cases& cases, std::size_t most) const {
  const Names names = names_of(cases, registry_);
  report::Selection selection;
  for (const std::string& word : words_) {
    const std::size_t sign = word.find('=');
    const std::string called = word.substr(0, sign);
    if (sign == std::string::npos) {
      add_positions(word, most, selection.positions);
    } else if (called == "probe") {
      std::ranges::move(parse_probes(word.substr(sign + 1), cases), std::back_inserter(selection.probes));
    } else {
      selection.parameters.push_back(parse_parameter(called, word.substr(sign + 1), cases, names));
    }
  }
  return selection;
}

void CaseWords::refuse_none_of(std::size_t count) const {
  throw usage_error(fmt::format("none of {} fits '{}'", report::counted(count, "case"), report::join(words_, " ")));
}

std::vector<std::size_t> choose_cases(std::span<const Record> results, const CaseWords& words) {
  std::vector<std::size_t> all(results.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  if (words.empty()) return all;
  const report::Selection selection = words.among(report::cases_of(results, all), all.size());
  std::erase_if(all, [&](std::size_t index) { return !report::selects(selection, results[index], index); });
  if (all.empty()) words.refuse_none_of(results.size());
  return all;
}

}  // namespace gpumem::app
