// Finds the same cases in two reports.

#include <deque>
#include <map>
#include <set>
#include <utility>

#include "report/compare/compare.hpp"

namespace gpumem::report {

namespace {

/// The strictness with which parameters are compared.
enum class Likeness {
  all,       ///< in every value, and in which of them `auto` decided
  values,    ///< in every value
  asked_for  ///< values that `auto` decided count as "auto"
};

/// The cases of a report, and the values that each parameter of a probe has among them.
struct Side {
  explicit Side(std::span<const Record> all) : cases(all) {
    for (const Record& record : cases) {
      for (const auto& [name, value] : record.parameters) values[{record.probe, name}].insert(gpumem::to_string(value));
    }
  }

  std::span<const Record> cases;
  std::map<std::pair<std::string, std::string>, std::set<std::string>> values;
};

/// Returns the same key for cases that are alike. The order of parameters may differ between versions and does not
/// count. A parameter also does not count if it has the same value in all cases and the other report lacks it: it is an
/// axis that came with a later version.
std::string key_of(const Record& record, const Side& own, const Side& other, Likeness likeness) {
  std::map<std::string, std::string> parts;
  for (const auto& [name, value] : record.parameters) {
    const std::pair place(record.probe, name);
    if (own.values.at(place).size() == 1 && !other.values.contains(place)) continue;
    const bool chosen = record.is_chosen(name);
    const char* kind = value.index() == 0 ? "number " : "name ";
    parts[name] = chosen && likeness == Likeness::asked_for
                      ? "auto"
                      : kind + gpumem::to_string(value) + (chosen && likeness == Likeness::all ? " chosen" : "");
  }
  std::string key = record.probe;
  for (const auto& [name, value] : parts) key.append(1, '\x1e').append(name).append(1, '\x1f').append(value);
  return key;
}

}  // namespace

Partners pair_cases(std::span<const Record> old_cases, std::span<const Record> new_cases) {
  const Side ours(old_cases);
  const Side theirs(new_cases);
  Partners partner(old_cases.size());
  std::vector<bool> taken(new_cases.size(), false);
  for (const Likeness likeness : {Likeness::all, Likeness::values, Likeness::asked_for}) {
    std::map<std::string, std::deque<std::size_t>> free;
    for (std::size_t i = 0; i < new_cases.size(); ++i) {
      if (!taken[i]) free[key_of(new_cases[i], theirs, ours, likeness)].push_back(i);
    }
    for (std::size_t i = 0; i < old_cases.size(); ++i) {
      if (partner[i]) continue;
      std::deque<std::size_t>& alike = free[key_of(old_cases[i], ours, theirs, likeness)];
      if (alike.empty()) continue;
      partner[i] = alike.front();
      taken[alike.front()] = true;
      alike.pop_front();
    }
  }
  return partner;
}

}  // namespace gpumem::report
