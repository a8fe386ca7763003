// Finds the same cases in two reports: by their parameters, and kernels of a program also by their place, although
// their names or launches differ.

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "report/compare/compare.hpp"
#include "report/record/cases.hpp"
#include "report/record/kernels.hpp"

namespace gpumem::report {

namespace {

// ---- By parameters

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

// ---- By place

using Indices = std::vector<std::size_t>;
using Key = std::function<std::string(const Record&)>;

std::string exact_name_of(const Record& record) {
  const Parameter* name = find_parameter(record, kernel_parameter);
  return name == nullptr ? "" : gpumem::to_string(name->value);
}

std::string launches_of(const Record& record) {
  return std::to_string(metric_value(record, launches_name).value_or(0));
}

/// Kernels in the order of their first launches, as far as the report says it.
Indices in_order(std::span<const Record> results) {
  Indices order;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (is_kernel(results[i]) && results[i].first_launch) order.push_back(i);
  }
  std::ranges::stable_sort(order, {}, [&](std::size_t index) { return *results[index].first_launch; });
  return order;
}

/// Kernels of both runs that stand between two that match, or before the first or after the last.
struct Gap {
  Indices olds = {};
  Indices new_reports = {};
};

/// The new kernel of a match; nullopt: the beginning or the end of the run.
using Match = std::optional<std::size_t>;

/// Kernels without a match by the match before them, with the match behind them. `match_of` a kernel is its own.
template <class MatchOf>
std::map<Match, std::pair<Indices, Match>> stretches(const Indices& order, const MatchOf& match_of) {
  std::map<Match, std::pair<Indices, Match>> found;
  Match last;
  for (const std::size_t index : order) {
    const Match match = match_of(index);
    if (match) {
      found[last].second = match;
      last = match;
    } else {
      found[last].first.push_back(index);
    }
  }
  return found;
}

class KernelPairing {
 public:
  KernelPairing(std::span<const Record> olds, std::span<const Record> new_reports, Partners& partner)
      : olds_(olds), news_(new_reports), partner_(partner), taken_(new_reports.size(), false) {
    for (const auto& index : partner) {
      if (index) taken_[*index] = true;
    }
  }

  void pair() {
    for (Gap& gap : gaps()) {
      pair_alike(gap, exact_name_of);                                               // in another grid or block
      pair_alike(gap, launches_of);                                                 // as often
      if (gap.olds.size() == 1) pair_alike(gap, [](const Record&) { return ""; });  // the only one left
    }
  }

 private:
  /// Returns the gaps that lie between the same two matches in both runs. A match at different places in the two runs
  /// tells nothing about its neighbours.
  [[nodiscard]] std::vector<Gap> gaps() const {
    const auto in_new = stretches(in_order(news_), [&](std::size_t i) { return taken_[i] ? Match(i) : Match(); });
    std::vector<Gap> gaps;
    for (const auto& [before, in_old] : stretches(in_order(olds_), [&](std::size_t i) { return partner_[i]; })) {
      const auto beside = in_new.find(before);
      if (beside == in_new.end() || beside->second.second != in_old.second) continue;
      gaps.push_back({.olds = in_old.first, .new_reports = beside->second.first});
    }
    return gaps;
  }

  /// Pairs the kernels of a gap that have the same key, in their order, if both runs have equally many of them.
  void pair_alike(Gap& gap, const Key& key) {
    std::map<std::string, Gap> groups;
    for (const std::size_t index : gap.olds) groups[key(olds_[index])].olds.push_back(index);
    for (const std::size_t index : gap.new_reports) groups[key(news_[index])].new_reports.push_back(index);
    for (const auto& [ignored, group] : groups) {
      if (group.olds.size() != group.new_reports.size()) continue;
      for (std::size_t i = 0; i < group.olds.size(); ++i) {
        partner_[group.olds[i]] = group.new_reports[i];
        taken_[group.new_reports[i]] = true;
      }
    }
    std::erase_if(gap.olds, [&](std::size_t index) { return partner_[index].has_value(); });
    std::erase_if(gap.new_reports, [&](std::size_t index) { return taken_[index]; });
  }

  std::span<const Record> olds_;
  std::span<const Record> news_;
  Partners& partner_;
  std::vector<bool> taken_;  ///< of the new ones
};

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

void pair_kernels_by_place(std::span<const Record> old_kernels, std::span<const Record> new_kernels,
                           Partners& partner) {
  KernelPairing(old_kernels, new_kernels, partner).pair();
}

}  // namespace gpumem::report
