#include "probes/global/atomics/atomics.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "probes/comparison.hpp"
#include "probes/requests.hpp"

namespace gpumem::global {

namespace {

double addresses_of(const Outcome& outcome) { return outcome.tested[axis::addresses]; }

/// Returns the cases with an address per so many lanes, sorted by addresses.
std::vector<Outcome> with_address_per(std::span<const Outcome> outcomes, std::uint32_t unit_lanes) {
  std::vector<Outcome> found = outcomes_with(outcomes, axis::unit_lanes, unit_lanes);
  std::ranges::sort(found, {}, addresses_of);
  return found;
}

/// Says how many addresses it takes for the best rate. The cases have one kind of unit and are sorted by addresses.
Fact addresses_fact(std::span<const Outcome> outcomes) {
  const Outcome& first = outcomes.front();
  const Outcome& best = best_of(outcomes);
  const Outcome& fewest = *std::ranges::find_if(outcomes, [&](const Outcome& outcome) {
    return as_good(outcome, best) || gain(best, outcome) >= saturated_share;
  });
  Fact fact{FactKind::fastest,
            {best.index},
            "An address per {address_per}, {addresses} in all, allows {giga_atomics_per_s}.",
            {{"address_per", best.tested.name(axis::unit_lanes)},
             {"addresses", addresses_of(fewest)},
             headline_value("giga_atomics_per_s", best)}};
  if (outcomes.size() == 1) return fact;
  if (&fewest == &first) {
    fact.kind = FactKind::as_fast_as;
    fact.says = "With an address per {address_per}, more than {addresses} gain nothing: {giga_atomics_per_s}.";
    fact.outcomes = indices_of(outcomes);
    return fact;
  }
  // Nothing is known of more than the most that ran.
  const bool saturates = &fewest != &outcomes.back();
  fact.kind = saturates ? FactKind::saturates_at : FactKind::fastest;
  fact.says = saturates ? "With an address per {address_per}, {addresses} suffice for the best rate: "
                          "{giga_atomics_per_s}, {gain_ratio} that of {fewest_addresses}."
                        : "With an address per {address_per}, more are still faster: {addresses} reach "
                          "{giga_atomics_per_s}, {gain_ratio} the rate of {fewest_addresses}.";
  fact.outcomes.push_back(first.index);
  if (&fewest != &best) fact.outcomes.push_back(fewest.index);
  fact.values.emplace_back("fewest_addresses", addresses_of(first));
  fact.values.push_back(gain_value("gain_ratio", first, best));
  return fact;
}

}  // namespace

AtomicsLaunch::AtomicsLaunch(const Case& decided, const Device& device)
    : in_shared(decided[axis::in_shared]),
      returns(decided[axis::returns]),
      unit_lanes(decided[axis::unit_lanes]),
      addresses(decided[axis::addresses]),
      blocks(std::max(device.multiprocessors, 1U)) {
  // The fewer the addresses, the more updates wait for each other. Each word of L2 takes one at a time, at about the
  // clock of L2. Shared memory also takes one at a time, but in each of many multiprocessors. Lanes that meet at an
  // address wait for each other too.
  const std::uint64_t at_once =
      std::max<std::uint64_t>(std::min<std::uint64_t>(addresses, in_shared ? 4 : 256) / unit_lanes, 1);
  const std::uint64_t updates = at_once << (in_shared ? 28U : 20U);
  turns =
      static_cast<std::uint32_t>(std::max<std::uint64_t>(updates / threads() / atomics_in_a_row, 1) * atomics_in_a_row);
}

std::uint32_t AtomicsLaunch::returned() const {
  const auto of_one = [&](std::uint64_t updates) { return updates * (updates - 1) / 2 * value; };
  const std::uint64_t least = updates_of(addresses - 1);
  std::uint64_t more = 0;  // addresses that have one turn more, which come first
  if (updates_of(0) != least) {
    const std::uint64_t numbers = std::uint64_t{in_shared ? 1 : blocks} * atomics_threads / unit_lanes * turns;
    more = numbers % addresses;
  }
  const std::uint64_t sum = more * of_one(least + unit_lanes) + (addresses - more) * (least == 0 ? 0 : of_one(least));
  return static_cast<std::uint32_t>(sum * (in_shared ? blocks : 1));
}

access::WarpRequest AtomicsLaunch::request_of_sums(std::uint64_t k) const {
  return consecutive_request(sizeof(std::uint32_t), k % requests_of_sums(), addresses);
}

Conclusion conclude_atomics(std::span<const Outcome> outcomes) {
  const std::vector<Outcome> lanes = with_address_per(outcomes, 1);
  const std::vector<Outcome> warps = with_address_per(outcomes, access::warp_lanes);
  const Outcome* contended = find_outcome(outcomes, axis::addresses, 1);
  std::vector<Fact> facts;
  if (!lanes.empty() && !warps.empty() && better(best_of(lanes), best_of(warps))) {
    facts.push_back({FactKind::costs,
                     {best_of(warps).index, best_of(lanes).index},
                     "Add up within the warp first: lanes that meet at an address cost {slowdown_ratio}.",
                     {gain_value("slowdown_ratio", best_of(warps), best_of(lanes))}});
  }
  const bool only_contended = contended != nullptr && outcomes.size() == 1;
  if (!lanes.empty() && !only_contended) facts.push_back(addresses_fact(lanes));
  if (!warps.empty() && !only_contended) facts.push_back(addresses_fact(warps));
  if (contended != nullptr) {
    facts.push_back({FactKind::limit,
                     {contended->index},
                     "All threads of {who} on one address do {giga_atomics_per_s}.",
                     {{"who", contended->tested[axis::in_shared] ? "a block" : "the GPU"},
                      headline_value("giga_atomics_per_s", *contended)}});
  }
  return {.facts = std::move(facts)};
}

}  // namespace gpumem::global
