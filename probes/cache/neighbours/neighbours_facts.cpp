// Facts about neighbours: the share of its rate that a victim keeps beside a stream through device memory, and the
// protections that raise it.

#include <algorithm>
#include <utility>
#include <vector>

#include "probes/cache/neighbours/neighbours_case.hpp"
#include "probes/comparison.hpp"

namespace gpumem::cache {

namespace {

const char* victim_words(Neighbours::Victim victim) {
  if (victim == Neighbours::Victim::link) return "a copy over the link";
  return victim == Neighbours::Victim::l2 ? "a kernel that lives in L2" : "a kernel of atomics";
}

/// Adds what the victim keeps without protection, at the split at which it keeps least.
void add_loss(std::vector<Fact>& facts, std::span<const Outcome> outcomes) {
  const std::vector<Outcome> unprotected = outcomes_with(outcomes, axis::protection, Protection::none);
  if (unprotected.empty()) return;
  const Outcome& worst = worst_of(unprotected);
  const auto neighbour = worst.metric("neighbour_kept_percent");
  Fact fact{FactKind::costs,
            {worst.index},
            "",
            {{"victim", victim_words(worst.tested[axis::victim])},
             {"split_percent", worst.tested[axis::split]},
             headline_value("kept_percent", worst)}};
  const bool keeps_all = worst.headline >= 100 * (1 - least_difference);
  if (keeps_all) {
    fact.kind = FactKind::as_fast_as;
    fact.outcomes = indices_of(unprotected);
    fact.says = "Beside a stream through device memory, {victim} loses nothing";
  } else {
    fact.says =
        "Beside a stream through device memory, {victim} on {split_percent} of the multiprocessors keeps "
        "{kept_percent} "
        "of its rate";
  }
  if (neighbour) {
    fact.values.emplace_back("neighbour_percent", *neighbour);
    fact.says += keeps_all
                     ? "; at {split_percent} of the multiprocessors the stream keeps {neighbour_percent} of its own"
                     : ", the stream {neighbour_percent} of its own";
  }
  fact.says += ".";
  facts.push_back(std::move(fact));
}

}  // namespace

Conclusion conclude_neighbours(std::span<const Outcome> outcomes) {
  Conclusion conclusion;
  add_loss(conclusion.facts, outcomes);
  std::vector<Fact> protections;
  const auto add_protection = [&](Protection protection, const char* gains, const char* no_gain) {
    std::ranges::move(gains_of(outcomes, axis::protection, Protection::none, protection, axis::split, {gains, no_gain}),
                      std::back_inserter(protections));
  };
  add_protection(Protection::window,
                 "Set a persisting window for the victim: it is faster, with {split_percent gain_ratio}.",
                 "A persisting window saves nothing with {split_percent} of the multiprocessors.");
  add_protection(
      Protection::smaller_grid,
      "Give the neighbour half of its multiprocessors: the victim is faster, with {split_percent gain_ratio}.",
      "A neighbour on half of its multiprocessors takes as much, with {split_percent} for the victim.");
  add_protection(Protection::priority,
                 "Give the victim's stream the highest priority: it is faster, with {split_percent gain_ratio}.",
                 "The priority of streams saves nothing with {split_percent} of the multiprocessors: it decides whose "
                 "blocks start, not who is served.");
  // Protections that save something come first.
  std::ranges::stable_sort(protections, {}, &Fact::kind);
  std::ranges::move(protections, std::back_inserter(conclusion.facts));
  return conclusion;
}

}  // namespace gpumem::cache
