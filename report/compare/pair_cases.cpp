#include "report/compare/pair_cases.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace gpumem::report {

namespace {

/// How strictly parameters are held against each other.
enum class Likeness {
  all,       ///< in every value, and in which of them `auto` decided
  values,    ///< in every value
  asked_for  ///< values that `auto` decided count as "auto"
};

using Names = std::set<std::string, std::less<>>;

/// Values of a parameter among the cases of one probe. Only one: it tells no case from another.
using ValuesOf = std::map<std::string, Names, std::less<>>;

std::map<std::string, ValuesOf> values_by_probe(std::span<const Record> cases) {
  std::map<std::string, ValuesOf> values;
  for (const Record& record : cases) {
    for (const auto& [name, value] : record.parameters) values[record.probe][name].insert(gpumem::to_string(value));
  }
  return values;
}

/// Parameters by which the cases of a probe cannot be told apart in the one report, and which the other does not have:
/// an axis that came with a later version.
std::map<std::string, Names> unshared_constants(std::span<const Record> of, std::span<const Record> other) {
  const auto theirs = values_by_probe(other);
  std::map<std::string, Names> constants;
  for (const auto& [probe, values] : values_by_probe(of)) {
    const auto same_probe = theirs.find(probe);
    if (same_probe == theirs.end()) continue;
    for (const auto& [name, distinct] : values) {
      if (distinct.size() == 1 && !same_probe->second.contains(name)) constants[probe].insert(name);
    }
  }
  return constants;
}

std::string part(const Record& record, const Parameter& parameter, Likeness likeness) {
  const bool chosen = record.is_chosen(parameter.name);
  if (chosen && likeness == Likeness::asked_for) return "auto";
  const char* kind = parameter.value.index() == 0 ? "number " : "name ";
  return kind + gpumem::to_string(parameter.value) + (chosen && likeness == Likeness::all ? " chosen" : "");
}

/// Equal for cases that are alike. The order of parameters, which may differ between versions, does not count.
std::string key_of(const Record& record, const Names& left_out, Likeness likeness) {
  std::map<std::string, std::string> parts;
  for (const Parameter& parameter : record.parameters) {
    if (!left_out.contains(parameter.name)) parts[parameter.name] = part(record, parameter, likeness);
  }
  std::string key = record.probe;
  for (const auto& [name, value] : parts) key.append(1, '\x1e').append(name).append(1, '\x1f').append(value);
  return key;
}

class Pairing {
 public:
  Pairing(std::span<const Record> old_cases, std::span<const Record> new_cases)
      : old_(old_cases),
        new_(new_cases),
        only_old_(unshared_constants(old_cases, new_cases)),
        only_new_(unshared_constants(new_cases, old_cases)),
        partner_(old_cases.size()),
        taken_(new_cases.size(), false) {}

  void pair(Likeness likeness) {
    std::map<std::string, std::deque<std::size_t>> free;
    for (std::size_t i = 0; i < new_.size(); ++i) {
      if (!taken_[i]) free[key_of(new_[i], only_new_[new_[i].probe], likeness)].push_back(i);
    }
    for (std::size_t i = 0; i < old_.size(); ++i) {
      if (partner_[i]) continue;
      const auto found = free.find(key_of(old_[i], only_old_[old_[i].probe], likeness));
      if (found == free.end() || found->second.empty()) continue;
      partner_[i] = found->second.front();
      taken_[*partner_[i]] = true;
      found->second.pop_front();
    }
  }

  [[nodiscard]] std::vector<std::optional<std::size_t>> partners() && { return std::move(partner_); }

 private:
  std::span<const Record> old_;
  std::span<const Record> new_;
  std::map<std::string, Names> only_old_;
  std::map<std::string, Names> only_new_;
  std::vector<std::optional<std::size_t>> partner_;
  std::vector<bool> taken_;
};

}  // namespace

std::vector<std::optional<std::size_t>> pair_cases(std::span<const Record> old_cases,
                                                   std::span<const Record> new_cases) {
  Pairing pairing(old_cases, new_cases);
  for (const Likeness likeness : {Likeness::all, Likeness::values, Likeness::asked_for}) pairing.pair(likeness);
  return std::move(pairing).partners();
}

}  // namespace gpumem::report
