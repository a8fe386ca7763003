#include "report/check/expectation.hpp"

#include "report/record/cases.hpp"
#include "report/record/quantities.hpp"

namespace gpumem::report {

bool Condition::holds(const Record& record) const {
  const auto value = case_quantity(record, quantity);
  return value && !(at_least && *value < *at_least) && !(at_most && *value > *at_most);
}

CheckRecord blank_check(const Expectation& expectation) {
  CheckRecord check;
  check.name = expectation.name;
  check.about = expectation.cases.probes.empty() ? CheckRecord::About::report : CheckRecord::About::cases;
  check.quantity = expectation.subject == Expectation::Subject::flags ? "" : expectation.quantity;
  check.at_least = expectation.at_least;
  check.at_most = expectation.at_most;
  check.required = expectation.required;
  return check;
}

References::References(const Expectation& expectation, std::span<const Record> results)
    : reference_(expectation.relative_to.value()),
      same_probe_(reference_.probes.empty() || reference_.probes == expectation.cases.probes),
      results_(results) {
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (selects(reference_, results[i])) by_key_[key(results[i])].push_back(i);
  }
}

std::span<const std::size_t> References::of(std::size_t index) const {
  const auto found = by_key_.find(key(results_[index]));
  return found == by_key_.end() ? std::span<const std::size_t>() : std::span<const std::size_t>(found->second);
}

std::string References::key(const Record& record) const {
  if (!same_probe_) return "";
  std::vector<std::string> named;
  for (const Selection::Allowed& allowed : reference_.parameters) {
    named.insert(named.end(), allowed.parameters.begin(), allowed.parameters.end());
  }
  return asked_key(record, named);
}

}  // namespace gpumem::report
