#include "report/check/expectation.hpp"

#include <algorithm>

#include "report/record/cases.hpp"

namespace gpumem::report {

namespace {

/// A value that `auto` decided is also what was asked for, "auto".
bool allows(const Selection::Allowed& allowed, const Record& record) {
  const Parameter* parameter = find_parameter(record, allowed.parameter);
  if (parameter == nullptr) return false;
  const auto has = [&](const Value& value) { return std::ranges::find(allowed.values, value) != allowed.values.end(); };
  return has(parameter->value) || (record.is_chosen(allowed.parameter) && has(Value("auto")));
}

}  // namespace

bool selects(const Selection& selection, const Record& record) {
  if (!selection.probe.empty() && selection.probe != record.probe) return false;
  return std::ranges::all_of(selection.parameters,
                             [&](const Selection::Allowed& allowed) { return allows(allowed, record); });
}

}  // namespace gpumem::report
