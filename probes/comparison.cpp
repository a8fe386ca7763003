#include "probes/comparison.hpp"

namespace gpumem {

namespace {

bool less_is_better(const Outcome& outcome) {
  return outcome.tested.probe != nullptr && outcome.tested.probe->headline.quantity.better == Better::less;
}

double gain_between(const Outcome& from, double from_headline, double to_headline) {
  return less_is_better(from) ? from_headline / to_headline : to_headline / from_headline;
}

/// Returns true if all of a's interval is better than all of b's.
bool beyond(const Outcome& a, const Outcome& b) {
  const auto [a_low, a_high] = a.interval.value_or(std::pair(a.headline, a.headline));
  const auto [b_low, b_high] = b.interval.value_or(std::pair(b.headline, b.headline));
  return less_is_better(a) ? a_high < b_low : a_low > b_high;
}

}  // namespace

double gain(const Outcome& from, const Outcome& to) { return gain_between(from, from.headline, to.headline); }

bool better(const Outcome& a, const Outcome& b) { return gain(b, a) > 1 + least_difference && beyond(a, b); }

const Outcome& best_of(std::span<const Outcome> outcomes) {
  return *std::ranges::max_element(outcomes, [](const Outcome& a, const Outcome& b) { return gain(a, b) > 1; });
}

const Outcome& worst_of(std::span<const Outcome> outcomes) {
  return *std::ranges::max_element(outcomes, [](const Outcome& a, const Outcome& b) { return gain(b, a) > 1; });
}

std::vector<std::size_t> indices_of(std::span<const Outcome> outcomes) {
  std::vector<std::size_t> indices;
  for (const Outcome& outcome : outcomes) indices.push_back(outcome.index);
  return indices;
}

std::vector<Outcome> largest_of(std::span<const Outcome> outcomes, const TypedParameter& parameter) {
  const auto number = [&](const Outcome& outcome) { return outcome.tested.number(parameter); };
  const std::uint64_t most = number(*std::ranges::max_element(outcomes, {}, number));
  std::vector<Outcome> largest;
  for (const Outcome& outcome : outcomes) {
    if (number(outcome) == most) largest.push_back(outcome);
  }
  return largest;
}

std::vector<PairAtNumber> pairs_of(const OutcomesByNumber& first, const OutcomesByNumber& second) {
  std::vector<PairAtNumber> pairs;
  for (const auto& [number, outcome] : first) {
    if (const auto other = second.find(number); other != second.end())
      pairs.push_back({number, outcome, other->second});
  }
  return pairs;
}

Fact gain_fact(const Outcome& from, const Outcome& to, const char* gains, const char* no_gain,
               std::vector<FactValue> values) {
  if (!better(to, from)) return {FactKind::as_fast_as, {to.index, from.index}, no_gain, std::move(values)};
  return {FactKind::fastest, {to.index, from.index}, gains, std::move(values)};
}

Fact cost_fact(const Outcome& slow, const Outcome& fast, const char* costs, const char* no_cost,
               std::vector<FactValue> values) {
  if (!better(fast, slow)) return {FactKind::as_fast_as, {slow.index, fast.index}, no_cost, std::move(values)};
  return {FactKind::costs, {slow.index, fast.index}, costs, std::move(values)};
}

FactValue headline_value(std::string name, const Outcome& outcome) {
  return {std::move(name), outcome.headline, outcome.predicted};
}

FactValue gain_value(std::string name, const Outcome& from, const Outcome& to) {
  std::optional<double> predicted;
  if (from.predicted && to.predicted) predicted = gain_between(from, *from.predicted, *to.predicted);
  return {std::move(name), gain(from, to), predicted};
}

}  // namespace gpumem
