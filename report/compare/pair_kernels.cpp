// Pairs kernels of two runs of a program by their place, although their names or launches differ.

#include <algorithm>
#include <functional>
#include <map>
#include <string>

#include "report/compare/compare.hpp"
#include "report/record/cases.hpp"
#include "report/record/kernels.hpp"

namespace gpumem::report {

namespace {

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

void pair_kernels_by_place(std::span<const Record> old_kernels, std::span<const Record> new_kernels,
                           Partners& partner) {
  KernelPairing(old_kernels, new_kernels, partner).pair();
}

}  // namespace gpumem::report
