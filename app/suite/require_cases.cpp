// Whether an expectation finds what it speaks of in the suite's own plan: found out before hours of measuring.

#include <fmt/format.h>

#include <algorithm>

#include "app/suite/reading.hpp"
#include "report/check/expectation.hpp"
#include "report/text/text.hpp"

namespace gpumem::app {

namespace {

using report::Record;
using report::Selection;

std::string words(const Record& record, const Selection& without) {
  std::vector<std::string> parts = {record.probe};
  for (const Parameter& parameter : record.parameters) {
    if (report::names_parameter(without, parameter.name)) continue;
    parts.push_back(parameter.name + "=" + to_string(parameter.value));
  }
  return report::join(parts, " ");
}

/// Why a selection selects nothing.
std::string nothing_selected(const Selection& selection, const std::vector<Record>& planned) {
  const auto any = [&](const Selection& wider) {
    return std::ranges::any_of(planned, [&](const Record& record) { return report::selects(wider, record); });
  };
  const std::string& probe = selection.probes.front();
  if (!any({.probes = {probe}})) return fmt::format("the suite does not run the probe '{}'", probe);
  for (const Selection::Allowed& allowed : selection.parameters) {
    if (any({.probes = {probe}, .parameters = {allowed}})) continue;
    std::vector<std::string> values;
    for (const Value& value : allowed.values) values.push_back(to_string(value));
    constexpr std::size_t most_listed = 5;
    if (values.size() > most_listed) values = {values.front(), "...", values.back()};
    return fmt::format("no case of '{}' in this suite has {} {}", probe, allowed.parameters.front(),
                       report::join(values, ", "));
  }
  return fmt::format("no case of '{}' in this suite has all of these values", probe);
}

void require_references(const JsonReader& json, const report::Expectation& expectation,
                        const std::vector<Record>& planned, const std::vector<std::size_t>& selected) {
  const report::References references(expectation, planned);
  const Selection& reference = *expectation.relative_to;
  const auto is_own = [&](std::size_t index) {
    const auto found = references.of(index);
    return found.size() == 1 && found.front() == index;
  };
  if (std::ranges::all_of(selected, is_own)) {
    json.refuse("relates each of these cases to itself; name the values in which the other case differs");
  }
  for (const std::size_t index : selected) {
    const std::size_t found = references.of(index).size();
    if (found == 1) continue;
    if (reference.probes != expectation.cases.probes) {
      json.refuse(fmt::format("selects {} cases; name enough axes for one", found));
    }
    const std::string one = words(planned[index], reference);
    if (found == 0) json.refuse(fmt::format("no case of this suite has these values and else is {}", one));
    json.refuse(fmt::format("{} cases have these values and else are {}; name enough axes for one", found, one));
  }
}

}  // namespace

void require_cases(const JsonReader& json, const report::Expectation& expectation, const std::vector<Record>& planned) {
  if (expectation.cases.probes.empty()) return;
  std::vector<std::size_t> selected;
  for (std::size_t i = 0; i < planned.size(); ++i) {
    if (report::selects(expectation.cases, planned[i])) selected.push_back(i);
  }
  if (selected.empty()) json.member("cases").refuse(nothing_selected(expectation.cases, planned));
  if (!expectation.relative_to) return;
  const JsonReader reference = json.member("relative_to");
  const auto is_reference = [&](const Record& record) { return report::selects(*expectation.relative_to, record); };
  if (std::ranges::none_of(planned, is_reference)) {
    reference.refuse(nothing_selected(*expectation.relative_to, planned));
  }
  require_references(reference, expectation, planned, selected);
}

}  // namespace gpumem::app
