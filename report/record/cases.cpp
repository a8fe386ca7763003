#include "report/record/cases.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/base/error.hpp"
#include "report/record/kernels.hpp"
#include "report/text/names.hpp"
#include "report/text/text.hpp"

namespace gpumem::report {

namespace {

bool takes(const Axis& axis, const Value& value) {
  if (const auto* name = std::get_if<std::string>(&value)) {
    return axis.texts || std::ranges::find(axis.names, *name) != axis.names.end();
  }
  const auto number = std::get<std::uint64_t>(value);
  return axis.takes_numbers() && number >= axis.minimum && number <= axis.maximum &&
         (axis.numbers.empty() || std::ranges::find(axis.numbers, number) != axis.numbers.end());
}

}  // namespace

Cases cases_of(std::span<const Record> results, std::span<const std::size_t> members) {
  Cases cases;
  for (const std::size_t member : members) cases.push_back(&results[member]);
  return cases;
}

Cases cases_of(std::span<const Record> results) {
  Cases cases;
  for (const Record& record : results) cases.push_back(&record);
  return cases;
}

const Parameter* find_parameter(const Record& record, std::string_view name) {
  const auto found = std::ranges::find(record.parameters, name, &Parameter::name);
  return found == record.parameters.end() ? nullptr : &*found;
}

std::optional<std::uint64_t> number_of(const Record& record, std::string_view name) {
  const Parameter* found = find_parameter(record, name);
  const auto* number = found == nullptr ? nullptr : std::get_if<std::uint64_t>(&found->value);
  return number == nullptr ? std::nullopt : std::optional(*number);
}

Value asked_value(const Record& record, const Parameter& parameter) {
  return record.is_chosen(parameter.name) ? Value("auto") : parameter.value;
}

std::optional<Case> case_of(const Record& record, const Probe& probe, bool validated) {
  Case tested{.probe = &probe, .parameters = {}};
  for (const Axis& axis : probe.axes) {
    const Parameter* found = find_parameter(record, axis.parameter);
    // Reports of before an axis was there are of what it is by default.
    const Parameter given = found != nullptr ? *found : Parameter{axis.parameter, axis.defaults};
    if (!takes(axis, given.value)) return std::nullopt;
    tested.parameters.push_back(given);
  }
  try {
    if (validated && probe.validate) probe.validate(tested);
  } catch (const Error&) {  // values that do not go together
    return std::nullopt;
  }
  return tested;
}

std::optional<Case> case_of(const Record& record, std::span<const Probe> registry) {
  const auto probe = std::ranges::find(registry, record.probe, &Probe::name);
  return probe == registry.end() ? std::nullopt : case_of(record, *probe);
}

MetricRecord metric_of(const Record& record, std::string_view name) {
  const auto found = std::ranges::find(record.metrics, name, &MetricRecord::name);
  return found == record.metrics.end() ? MetricRecord{std::string(name), {}, {}} : *found;
}

std::optional<double> metric_value(const Record& record, std::string_view name) {
  const auto found = std::ranges::find(record.metrics, name, &MetricRecord::name);
  return found == record.metrics.end() ? std::nullopt : found->value();
}

std::optional<double> finite_value(const Record& record, std::string_view metric) {
  const auto value = metric_value(record, metric);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::string asked_key(const Record& record, std::span<const std::string> without) {
  const Probe* probe = find_described_probe(record.probe);
  std::vector<std::string> parts;
  for (const auto& [name, value] : record.parameters) {
    if (std::ranges::find(without, name) != without.end()) continue;
    const std::string text = record.is_chosen(name) ? "auto" : gpumem::to_string(value);
    // As in case_of(): what an axis is by default is not always named.
    const Axis* axis = probe == nullptr ? nullptr : probe->find_axis(name);
    if (axis != nullptr && text == axis->defaults) continue;
    parts.push_back(name + "=" + text);
  }
  std::ranges::sort(parts);
  return record.probe + "\n" + join(parts, "\n");
}

bool varies(const Cases& cases, std::string_view parameter) {
  const Parameter* first = find_parameter(*cases.front(), parameter);
  return std::ranges::any_of(cases, [&](const Record* record) {
    const Parameter* other = find_parameter(*record, parameter);
    return (first == nullptr) != (other == nullptr) || (first != nullptr && *first != *other);
  });
}

std::set<std::string> varying(const Cases& cases) {
  std::map<std::string, std::pair<const Value*, std::size_t>> seen;  // the first value, and how many have it
  for (const Record* record : cases) {
    for (const auto& [name, value] : record->parameters) {
      auto& [first, count] = seen.try_emplace(name, &value, 0).first->second;
      if (*first == value) ++count;
    }
  }
  std::set<std::string> names;
  for (const auto& [name, same] : seen) {
    if (same.second < cases.size()) names.insert(name);
  }
  return names;
}

std::map<std::string, std::set<std::string>> varying_by_probe(const Cases& cases) {
  std::map<std::string, Cases> of_probe;
  for (const Record* record : cases) of_probe[record->probe].push_back(record);
  std::map<std::string, std::set<std::string>> names;
  for (const auto& [probe, members] : of_probe) names[probe] = varying(members);
  return names;
}

std::string parameter_words(const Record& record, const std::set<std::string>& telling) {
  std::vector<std::string> parts;
  for (const Parameter& parameter : record.parameters) {
    if (!telling.contains(parameter.name)) continue;
    parts.push_back(parameter.name == "op" ? parameter_phrase(parameter) : position_phrase(parameter));
  }
  return one_line(join(parts, ", "));
}

std::string position_among(const Cases& cases, const Record& record) {
  std::vector<std::string> parts;
  for (const Parameter& parameter : record.parameters) {
    if (varies(cases, parameter.name)) parts.push_back(position_phrase(parameter));
  }
  return parts.empty() ? "this case" : join(parts, ", ");
}

}  // namespace gpumem::report
