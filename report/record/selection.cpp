#include "report/record/selection.hpp"

#include <algorithm>

#include "report/record/cases.hpp"

namespace gpumem::report {

namespace {

template <class T>
bool is_in(const std::vector<T>& all, const T& item) {
  return std::ranges::find(all, item) != all.end();
}

bool matches(const std::vector<NamePattern>& patterns, const Value& value) {
  const auto* name = std::get_if<std::string>(&value);
  return name != nullptr && std::ranges::any_of(patterns, [&](const auto& pattern) { return pattern.matches(*name); });
}

bool allows(const Selection::Allowed& allowed, const Record& record) {
  return std::ranges::any_of(allowed.parameters, [&](const std::string& name) {
    const Parameter* parameter = find_parameter(record, name);
    if (parameter == nullptr) return false;
    return is_in(allowed.values, parameter->value) || matches(allowed.patterns, parameter->value) ||
           (record.is_chosen(name) && is_in(allowed.values, Value("auto")));
  });
}

}  // namespace

bool selects(const Selection& selection, const Record& record) {
  return (selection.probes.empty() || is_in(selection.probes, record.probe)) &&
         std::ranges::all_of(selection.parameters, [&](const auto& allowed) { return allows(allowed, record); });
}

bool selects(const Selection& selection, const Record& record, std::size_t position) {
  return (selection.positions.empty() || is_in(selection.positions, position)) && selects(selection, record);
}

bool names_parameter(const Selection& selection, const std::string& parameter) {
  return std::ranges::any_of(selection.parameters,
                             [&](const auto& allowed) { return is_in(allowed.parameters, parameter); });
}

}  // namespace gpumem::report
