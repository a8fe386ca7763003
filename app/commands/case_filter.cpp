#include "app/commands/case_filter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include "app/command_line/values.hpp"
#include "engine/base/error.hpp"
#include "engine/base/suggest.hpp"
#include "engine/base/unpack.hpp"
#include "engine/base/words.hpp"
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

/// The names that a user may give to the parameters of a report, each with the parameters it stands for.
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

/// The values of a word, read as those of an axis. Errors name the word's own left side.
std::vector<Value> parse_values(const Axis& axis, const std::string& text) {
  try {
    return parse_axis_values(axis, std::span(&text, 1));
  } catch (const Error& error) {
    throw usage_error(std::string(error.what()).substr(2));  // without the dashes of a flag
  }
}

/// An axis that takes the values in the reports: names, or any numbers.
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

/// Numbers in ascending order as a user would ask for them, neighbours as ranges: "0..32", "4KiB".
std::vector<std::string> range_words(const std::vector<std::uint64_t>& numbers, bool bytes) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::size_t first = i;
    while (i + 1 < numbers.size() && numbers[i + 1] == numbers[i] + 1) ++i;
    std::string word = bytes ? size_in_words(numbers[first]) : std::to_string(numbers[first]);
    std::erase(word, ' ');
    words.push_back(i > first ? fmt::format("{}..{}", word, numbers[i]) : word);
  }
  return words;
}

/// Lists the values present; of more than eight words, the first six and the last.
std::string in_words(const std::set<Value>& present, bool bytes) {
  constexpr std::size_t most = 8;
  constexpr std::size_t widest = 60;  // names of kernels have hundreds of letters
  std::vector<std::uint64_t> numbers;
  std::vector<std::string> names;
  for (const Value& value : present) {
    if (const auto* number = std::get_if<std::uint64_t>(&value)) {
      numbers.push_back(*number);
    } else {
      names.push_back(report::truncated(to_string(value), widest));
    }
  }
  std::vector<std::string> words = range_words(numbers, bytes);
  words.insert(words.end(), names.begin(), names.end());
  if (words.size() > most) {
    words[most - 2] = "...";
    words[most - 1] = words.back();
    words.resize(most);
  }
  return report::join(words, ", ");
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
  std::set<Value> present;
  bool chosen = false;
  for (const Record* record : cases) {
    for (const std::string& parameter : found->second) {
      if (const Parameter* value = find_parameter(*record, parameter)) present.insert(value->value);
      chosen = chosen || record->is_chosen(parameter);
    }
  }
  report::Selection::Allowed allowed{.parameters = {found->second.begin(), found->second.end()}};
  const auto is_present = [&](const Value& value) {
    return present.contains(value) || (chosen && value == Value("auto"));
  };
  bool any = false;
  if (found->second.contains(report::kernel_parameter)) {
    allowed.patterns = {report::NamePattern(text)};
    any = std::ranges::any_of(present,
                              [&](const Value& name) { return allowed.patterns.front().matches(to_string(name)); });
  } else {
    allowed.values = parse_values(axis_of(called, present, chosen), text);
    any = std::ranges::any_of(allowed.values, is_present);
  }
  if (!any) {
    const bool bytes = found->second.begin()->ends_with("_bytes");
    throw usage_error(fmt::format("no case has '{}={}'; there are: {}", called, text, in_words(present, bytes)));
  }
  return allowed;
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

report::Selection CaseWords::among(std::span<const report::NamedReport> reports, std::size_t most) const {
  Cases cases;
  for (const report::NamedReport& named : reports) {
    for (const Record& record : named.report.results) cases.push_back(&record);
  }
  return among(cases, most);
}

void CaseWords::refuse_none_of(std::size_t count) const {
  throw usage_error(fmt::format("none of {} fits '{}'", report::counted(count, "case"), report::join(words_, " ")));
}

std::vector<std::string> take_case_words(std::vector<std::string>& words) {
  const auto is_case_word = [](const std::string& word) {
    constexpr std::string_view of_positions = "0123456789.,:*";
    std::error_code ignored;
    if (word.empty() || std::filesystem::exists(word, ignored)) return false;
    if (word.find_first_not_of(of_positions) == std::string::npos) return true;
    return word.find('=') != std::string::npos && !is_json_name(word);
  };
  const auto taken = std::ranges::stable_partition(words, std::not_fn(is_case_word));
  std::vector<std::string> cases(taken.begin(), taken.end());
  words.erase(taken.begin(), taken.end());
  return cases;
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
