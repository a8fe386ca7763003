// Concludes from how many copies on it pays to pack them, and what a call for each of them costs.

#include <iterator>
#include <utility>
#include <vector>

#include "probes/comparison.hpp"
#include "probes/host/batching/batching_case.hpp"

namespace gpumem::host {

namespace {

using Pairs = std::vector<PairAtNumber>;  // by the number of copies

/// The first pair from which on the first alternative is faster in all of them; null if there is none.
template <class Faster>
const PairAtNumber* pays_from(const Pairs& pairs, const Faster& faster) {
  const PairAtNumber* from = nullptr;
  for (const PairAtNumber& pair : pairs)
    from = !faster(*pair.first, *pair.second) ? nullptr : from == nullptr ? &pair : from;
  return from;
}

bool takes_less(const Outcome& a, const Outcome& b) { return a.seconds < b.seconds; }

/// Sentences about an alternative compared with another. Their ratio is gain_ratio, or slowdown_ratio if it is slower.
struct Templates {
  const char* faster;
  const char* slower;
  const char* same;
};

Fact compared(const Outcome& first, const Outcome& second, const Templates& templates) {
  const bool is_faster = better(first, second);
  const bool is_slower = better(second, first);
  return {is_faster   ? FactKind::fastest
          : is_slower ? FactKind::costs
                      : FactKind::as_fast_as,
          {first.index, second.index},
          is_faster   ? templates.faster
          : is_slower ? templates.slower
                      : templates.same,
          {is_slower ? gain_value("slowdown_ratio", first, second) : gain_value("gain_ratio", second, first)}};
}

/// Says whether packing, the first of each pair, is faster than the second, which is named `other`.
Fact on_packing(const Pairs& pairs, double bytes, const char* other) {
  const PairAtNumber& most = pairs.back();
  const PairAtNumber* from = pays_from(pairs, better);
  Fact fact = compared(
      *most.first, *most.second,
      {from == &most ? "Pack pieces of {piece_bytes}, {copies} of them: packing is {gain_ratio} as fast as {other}."
                     : "Pack pieces of {piece_bytes} or less, from {copies} of them on. At {most} copies packing is "
                       "{gain_ratio} as fast as {other}.",
       pairs.size() == 1 ? "Do not pack pieces of {piece_bytes}: packing takes {slowdown_ratio} as long as {other}."
                         : "Do not pack pieces of {piece_bytes} or more. At {most} copies packing takes "
                           "{slowdown_ratio} as long as {other}.",
       "Packing pieces of {piece_bytes} gains nothing: it takes as long as {other}."});
  if (from != nullptr) fact.kind = FactKind::pays_from;
  fact.outcomes.clear();
  for (const PairAtNumber& pair : pairs)
    fact.outcomes.insert(fact.outcomes.end(), {pair.first->index, pair.second->index});
  const auto copies = static_cast<double>((from == nullptr ? most : *from).number);
  fact.values.insert(fact.values.end(),
                     {{"piece_bytes", bytes / copies}, {"copies", copies}, {"most", most.number}, {"other", other}});
  return fact;
}

/// Adds the gain of one call for all pieces, at the largest number of copies.
void add_one_call(std::vector<Fact>& facts, const OutcomesByNumber& separate, const OutcomesByNumber& packed,
                  const OutcomesByNumber& batched) {
  const Pairs pairs = pairs_of(batched, separate);
  if (pairs.empty()) return;
  const auto& [copies, one_call, calls] = pairs.back();
  Fact fact = compared(
      *one_call, *calls,
      {"One call for all pieces (cudaMemcpyBatchAsync) is {gain_ratio} as fast as a call for each of {copies}.",
       "One call for all pieces (cudaMemcpyBatchAsync) takes {slowdown_ratio} as long as a call for each of {copies}.",
       "One call for all pieces (cudaMemcpyBatchAsync) is no faster than a call for each of {copies}."});
  fact.values.emplace_back("copies", copies);
  if (const auto found = packed.find(copies); found != packed.end()) {
    const Outcome& packing = *found->second;
    fact.outcomes.push_back(packing.index);
    fact.says += better(packing, *one_call)   ? " Packing is {packing_ratio} as fast as that."
                 : better(*one_call, packing) ? " Packing takes {packing_slowdown_ratio} as long as that."
                                              : " Packing is as fast as that.";
    fact.values.push_back(gain_value("packing_ratio", *one_call, packing));
    fact.values.push_back(gain_value("packing_slowdown_ratio", packing, *one_call));
  }
  facts.push_back(std::move(fact));
}

/// Adds the cost of one more copy call: the slope between the two largest numbers of copies. Adds nothing if the calls
/// do not dominate: then they hide behind the link.
void add_call(std::vector<Fact>& facts, const OutcomesByNumber& separate, const OutcomesByNumber& packed,
              double bytes) {
  if (separate.size() < 2) return;
  const auto& [most, slowest] = *separate.rbegin();
  const auto& [fewer, before] = *std::next(separate.rbegin());
  const double call_s = (slowest->seconds - before->seconds) / static_cast<double>(most - fewer);
  if (slowest->seconds < 2 * separate.begin()->second->seconds || call_s <= 0) return;
  Fact fact{FactKind::costs, {slowest->index, before->index}, "A copy call costs {call_s}.", {{"call_s", call_s}}};
  // Few copies hide their calls, so what packing adds to them is the pass over the data.
  const Pairs pairs = pairs_of(packed, separate);
  if (!pairs.empty() && better(*pairs.front().second, *pairs.front().first)) {
    const double packing_s = pairs.front().first->seconds - pairs.front().second->seconds;
    fact.outcomes.insert(fact.outcomes.end(), {pairs.front().first->index, pairs.front().second->index});
    fact.says = "A copy call costs {call_s}. Packing {packed_bytes} takes {packing_s}, as long as {calls} calls.";
    fact.values.insert(fact.values.end(),
                       {{"packed_bytes", bytes}, {"packing_s", packing_s}, {"calls", packing_s / call_s}});
  }
  facts.push_back(std::move(fact));
}

/// Adds the times of an alternative that has nothing to be compared with, for its largest and its smallest pieces.
void add_alone(std::vector<Fact>& facts, const OutcomesByNumber& cases, const char* alternative, double bytes) {
  std::vector<double> piece_bytes;
  std::vector<double> durations_s;
  std::vector<std::size_t> indices;
  for (const auto& [copies, outcome] : cases) {
    if (copies != cases.begin()->first && copies != cases.rbegin()->first) continue;
    piece_bytes.push_back(bytes / static_cast<double>(copies));
    durations_s.push_back(outcome->seconds);
    indices.push_back(outcome->index);
  }
  if (indices.empty()) return;
  facts.push_back({FactKind::costs,
                   indices,
                   "{alternative}, pieces of {piece_bytes} take {duration_s}.",
                   {{"alternative", alternative}, {"piece_bytes", piece_bytes}, {"duration_s", durations_s}}});
}

}  // namespace

Conclusion conclude_batching(std::span<const Outcome> outcomes) {
  const OutcomesByNumber separate = by_number(outcomes, axis::batching, Batching::separate, axis::copies);
  const OutcomesByNumber packed = by_number(outcomes, axis::batching, Batching::packed, axis::copies);
  const OutcomesByNumber batched = by_number(outcomes, axis::batching, Batching::batched, axis::copies);
  const auto bytes = static_cast<double>(outcomes.front().tested[axis::size_bytes]);

  Conclusion conclusion;
  std::vector<Fact>& facts = conclusion.facts;
  const Pairs pairs = pairs_of(packed, separate.empty() ? batched : separate);
  if (!pairs.empty()) {
    const char* other = separate.empty() ? "one call for all of them (cudaMemcpyBatchAsync)" : "separate copies";
    facts.push_back(on_packing(pairs, bytes, other));
  }
  add_one_call(facts, separate, packed, batched);
  add_call(facts, separate, packed, bytes);
  if (facts.empty()) {
    add_alone(facts, separate, "Copied separately", bytes);
    add_alone(facts, packed, "Packed", bytes);
    add_alone(facts, batched, "Copied in one call", bytes);
  }
  const Pairs beside_separate = pairs_of(packed, separate);
  if (const PairAtNumber* from = pays_from(beside_separate, takes_less)) {
    conclusion.quantities = {{"packing_pays_from_copies", static_cast<double>(from->number), all_of(outcomes)}};
  }
  return conclusion;
}

}  // namespace gpumem::host
