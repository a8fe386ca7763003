#include "report/check/check_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "report/check/check_words.hpp"
#include "report/text/text.hpp"

namespace gpumem::report {

namespace {

/// Alike for cases that were asked for alike, in whatever order a report that went through other hands names things.
std::string asked_key(const Record& record) {
  std::vector<std::string> parts;
  for (const Parameter& parameter : record.parameters) {
    parts.push_back(parameter.name + "=" +
                    (record.is_chosen(parameter.name) ? "auto" : gpumem::to_string(parameter.value)));
  }
  std::ranges::sort(parts);
  return record.probe + "\n" + join(parts, "\n");
}

}  // namespace

std::string reason_of(const Record& record) { return one_line(record.reason.value_or("no reason known")); }

std::string place_words(const Cases& all, const Record& record) {
  Cases own;
  std::ranges::copy_if(all, std::back_inserter(own), [&](const Record* other) { return other->probe == record.probe; });
  std::string words = case_words(own, record);
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
                     place_words(missing, *missing.front()));
}

CheckRecord blank_check(const Expectation& expectation) {
  CheckRecord check;
  check.name = expectation.name;
  check.quantity = expectation.subject == Expectation::Subject::flags ? "" : expectation.quantity;
  check.at_least = expectation.at_least;
  check.at_most = expectation.at_most;
  check.required = expectation.required;
  return check;
}

}  // namespace gpumem::report
