// Facts about look-ups in constant memory: their cost, beside that of the same look-ups in other memories.

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "engine/statistics/straight_line.hpp"
#include "probes/comparison.hpp"
#include "probes/constant/pattern.hpp"

namespace gpumem::constant {

namespace {

/// Says from how many addresses on the same table is faster in another memory. Nullopt if the two have no number of
/// addresses in common.
std::optional<Fact> fact_beside(const OutcomesByNumber& constant, const OutcomesByNumber& other, const char* memory) {
  std::vector<std::size_t> indices;
  const Outcome* in_constant = nullptr;
  const Outcome* in_other = nullptr;
  const Outcome* from = nullptr;
  bool always = true;
  for (const PairAtNumber& pair : pairs_of(constant, other)) {
    in_constant = pair.first;
    in_other = pair.second;
    indices.insert(indices.end(), {in_other->index, in_constant->index});
    const bool is_faster = better(*in_other, *in_constant);
    always = always && is_faster;
    if (!is_faster) from = nullptr;
    if (is_faster && from == nullptr) from = in_other;
  }
  if (indices.empty()) return std::nullopt;
  Fact fact{always            ? FactKind::fastest
            : from != nullptr ? FactKind::pays_from
                              : FactKind::as_fast_as,
            std::move(indices),
            always            ? "The same table in {memory} is always faster: {gain_ratio} for {most}-address "
                                "requests, at {most_cycles} each."
            : from != nullptr ? "The same table in {memory} is faster from {from} addresses on: {gain_ratio} for "
                                "{most}-address requests, at {most_cycles} each."
                              : "The same table in {memory} is no faster: {most}-address requests take {most_cycles} "
                                "each.",
            {{"memory", memory},
             {"most", in_other->tested[axis::addresses]},
             headline_value("most_cycles", *in_other),
             gain_value("gain_ratio", *in_constant, *in_other)}};
  if (from != nullptr) fact.values.emplace_back("from", from->tested[axis::addresses]);
  return fact;
}

/// Adds the costs of constant memory as a straight line, if there are enough for one.
void add_fit(Conclusion& conclusion, std::span<const Outcome> outcomes) {
  constexpr std::size_t fewest = 3;
  constexpr double largest_error = 0.2;  // a line that misses a reading by more of it does not describe the cost
  constexpr double least_cycles = 0.05;  // less is none, next to whole cycles
  const std::vector<Outcome> constant = outcomes_with(outcomes, axis::space, access::Space::constant);
  const std::vector<std::size_t> indices = indices_of(constant);
  std::vector<measure::Point2D> points;
  for (const Outcome& outcome : constant) {
    points.push_back({static_cast<double>(outcome.tested[axis::addresses]), outcome.headline});
  }
  if (points.size() < fewest) return;
  const measure::StraightLine line = measure::fit_straight_line(points);
  double error = 0;
  for (const auto& [addresses, cycles] : points) error = std::max(error, std::abs(line.at(addresses) / cycles - 1));
  const bool fits = error <= largest_error;
  conclusion.facts.push_back(
      {FactKind::fit,
       indices,
       !fits ? "The cost of constant memory is not in proportion to the number of addresses."
       : line.at_zero < least_cycles
           ? "A request takes {address_cycles} for each address and nothing else, within {error_percent}."
           : "A request takes {fixed_cycles}, and {address_cycles} for each address, within {error_percent}.",
       {{"address_cycles", line.slope}, {"fixed_cycles", line.at_zero}, {"error_percent", std::ceil(error * 100)}}});
  if (!fits) return;
  conclusion.quantities = {{"fixed_cycles", line.at_zero, indices}, {"cycles_per_address", line.slope, indices}};
}

}  // namespace

Conclusion conclude_constant(std::span<const Outcome> outcomes) {
  const OutcomesByNumber constant = by_number(outcomes, axis::space, access::Space::constant, axis::addresses);
  if (constant.empty()) return {};
  Conclusion conclusion;
  bool others_are_faster = false;
  for (const auto& [space, memory] :
       {std::pair(access::Space::shared, "shared memory"), std::pair(access::Space::global, "L1 (global memory)")}) {
    if (auto fact = fact_beside(constant, by_number(outcomes, axis::space, space, axis::addresses), memory)) {
      others_are_faster = others_are_faster || fact->kind != FactKind::as_fast_as;
      conclusion.facts.push_back(*std::move(fact));
    }
  }
  // The fewest addresses and the most of them, which may be the same.
  Fact cost{FactKind::costs,
            {},
            others_are_faster
                ? "Keep in constant memory only what all lanes of a warp read alike: {addresses}-address requests take "
                  "{request_cycles} each there."
                : "{addresses}-address requests to constant memory take {request_cycles} each.",
            {{"addresses", std::vector<double>{}}, {"request_cycles", std::vector<double>{}}}};
  for (const auto& [addresses, outcome] : {*constant.begin(), *constant.rbegin()}) {
    if (!cost.outcomes.empty() && constant.size() == 1) break;
    cost.outcomes.push_back(outcome->index);
    cost.values[0].items.emplace_back(static_cast<double>(addresses));
    cost.values[1].items.emplace_back(outcome->headline);
  }
  conclusion.facts.insert(conclusion.facts.begin(), std::move(cost));
  add_fit(conclusion, outcomes);
  return conclusion;
}

}  // namespace gpumem::constant
