#include "report/cases.hpp"

#include <algorithm>

#include "report/text.hpp"
#include "report/vocabulary.hpp"

namespace gpumem::report {

Cases cases_of(std::span<const Record> results, std::span<const std::size_t> members) {
  Cases cases;
  for (const std::size_t member : members) cases.push_back(&results[member]);
  return cases;
}

const Parameter* find_parameter(const Record& record, std::string_view name) {
  const auto found = std::ranges::find(record.parameters, name, &Parameter::name);
  return found == record.parameters.end() ? nullptr : &*found;
}

std::optional<double> metric_value(const Record& record, std::string_view name) {
  const auto found = std::ranges::find(record.metrics, name, &MetricRecord::name);
  return found == record.metrics.end() ? std::nullopt : found->value;
}

bool varies(const Cases& cases, std::string_view parameter) {
  const Parameter* first = find_parameter(*cases.front(), parameter);
  return std::ranges::any_of(cases, [&](const Record* record) {
    const Parameter* other = find_parameter(*record, parameter);
    return (first == nullptr) != (other == nullptr) || (first != nullptr && *first != *other);
  });
}

std::string position_among(const Cases& cases, const Record& record) {
  std::vector<std::string> parts;
  for (const Parameter& parameter : record.parameters) {
    if (varies(cases, parameter.name)) parts.push_back(position_phrase(parameter));
  }
  return parts.empty() ? "this case" : join(parts, ", ");
}

}  // namespace gpumem::report
