#pragma once
// Comparison of cases by their headlines: the one place that decides whether two of them differ.

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/thresholds.hpp"
#include "probes/probe.hpp"

namespace gpumem {

/// Returns the ratio of the two headlines, above 1 if `to` is better than `from`, whether more or less is better.
[[nodiscard]] double gain(const Outcome& from, const Outcome& to);
/// Returns true if `a` is better than `b`: by more than least_difference, and beyond both intervals.
[[nodiscard]] bool better(const Outcome& a, const Outcome& b);
/// Returns true if `a` is as good as `b`, or better.
[[nodiscard]] inline bool as_good(const Outcome& a, const Outcome& b) { return !better(b, a); }
/// Returns true if a ratio is more than least_difference off 1. For ratios without intervals, as of two metrics.
[[nodiscard]] constexpr bool differs(double ratio) {
  return ratio > 1 + least_difference || ratio < 1 - least_difference;
}

/// The outcome with the best headline, and the one with the worst; of at least one.
[[nodiscard]] const Outcome& best_of(std::span<const Outcome> outcomes);
[[nodiscard]] const Outcome& worst_of(std::span<const Outcome> outcomes);
/// The first outcome with a value of a parameter; null if none has it.
template <class Parameter>
[[nodiscard]] const Outcome* find_outcome(std::span<const Outcome> outcomes, const Parameter& parameter,
                                          const typename Parameter::Type& value) {
  const auto found =
      std::ranges::find_if(outcomes, [&](const Outcome& outcome) { return outcome.tested[parameter] == value; });
  return found == outcomes.end() ? nullptr : &*found;
}

/// The outcomes with a value of a parameter.
template <class Parameter>
[[nodiscard]] std::vector<Outcome> outcomes_with(std::span<const Outcome> outcomes, const Parameter& parameter,
                                                 const typename Parameter::Type& value) {
  std::vector<Outcome> found;
  std::ranges::copy_if(outcomes, std::back_inserter(found),
                       [&](const Outcome& outcome) { return outcome.tested[parameter] == value; });
  return found;
}
/// The indices of some of the outcomes that a probe concludes from (Outcome::index).
[[nodiscard]] std::vector<std::size_t> indices_of(std::span<const Outcome> outcomes);

/// The cases with the largest number of a parameter, at least one.
[[nodiscard]] std::vector<Outcome> largest_of(std::span<const Outcome> outcomes, const TypedParameter& parameter);
/// The cases of one alternative by a number: `parameter` names the alternatives, `number` is another parameter. If
/// several cases have the same number, the last counts.
using OutcomesByNumber = std::map<std::uint64_t, const Outcome*>;
template <class Parameter>
[[nodiscard]] OutcomesByNumber by_number(std::span<const Outcome> outcomes, const Parameter& parameter,
                                         const typename Parameter::Type& alternative, const TypedParameter& number) {
  OutcomesByNumber found;
  for (const Outcome& outcome : outcomes) {
    if (outcome.tested[parameter] == alternative) found[outcome.tested.number(number)] = &outcome;
  }
  return found;
}

/// Two alternatives for one number of a further parameter.
struct PairAtNumber {
  std::uint64_t number;
  const Outcome* first;
  const Outcome* second;
};
/// The numbers that both alternatives ran with, ascending.
[[nodiscard]] std::vector<PairAtNumber> pairs_of(const OutcomesByNumber& first, const OutcomesByNumber& second);

/// Says `gains` if `to` is better than `from`, and else `no_gain`. Both templates have the same values.
[[nodiscard]] Fact gain_fact(const Outcome& from, const Outcome& to, const char* gains, const char* no_gain,
                             std::vector<FactValue> values);
/// Says `costs` if `slow` is worse than `fast`, and else `no_cost`. Both templates have the same values.
[[nodiscard]] Fact cost_fact(const Outcome& slow, const Outcome& fast, const char* costs, const char* no_cost,
                             std::vector<FactValue> values);

/// The templates of facts about a gain. Both have places for the same values.
struct GainTemplates {
  const char* gains;
  const char* no_gain;
};

/// Returns what one alternative gains over another, for each number of a further parameter that both have: a fact for
/// the numbers where it is better, and one for those where it is not. The templates have places for the numbers, by the
/// name of their parameter, and `gain_ratio`.
template <class Parameter>
std::vector<Fact> gains_of(std::span<const Outcome> outcomes, const Parameter& alternatives,
                           const typename Parameter::Type& from, const typename Parameter::Type& to,
                           const TypedParameter& number, const GainTemplates& templates) {
  const std::vector<FactValue> places = {{number.name, std::vector<double>{}}, {"gain_ratio", std::vector<double>{}}};
  Fact better_fact{FactKind::fastest, {}, templates.gains, places};
  Fact other_fact{FactKind::as_fast_as, {}, templates.no_gain, places};
  for (const Outcome& after : outcomes) {
    if (after.tested[alternatives] != to) continue;
    const auto before = std::ranges::find_if(outcomes, [&](const Outcome& outcome) {
      return outcome.tested[alternatives] == from && outcome.tested.number(number) == after.tested.number(number);
    });
    if (before == outcomes.end()) continue;
    Fact& fact = better(after, *before) ? better_fact : other_fact;
    fact.outcomes.insert(fact.outcomes.end(), {after.index, before->index});
    fact.values[0].items.emplace_back(static_cast<double>(after.tested.number(number)));
    fact.values[1].items.emplace_back(gain(*before, after));
  }
  std::vector<Fact> facts;
  for (Fact* fact : {&better_fact, &other_fact}) {
    if (!fact->outcomes.empty()) facts.push_back(std::move(*fact));
  }
  return facts;
}

/// The headline as a value of a fact, with what was predicted of it.
[[nodiscard]] FactValue headline_value(std::string name, const Outcome& outcome);
/// gain(from, to) as a value of a fact, with the gain that was predicted.
[[nodiscard]] FactValue gain_value(std::string name, const Outcome& from, const Outcome& to);

}  // namespace gpumem
