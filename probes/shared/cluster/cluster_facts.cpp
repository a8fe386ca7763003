// The conclusions of the two probes of clusters.

#include <algorithm>

#include "probes/comparison.hpp"
#include "probes/shared/cluster/cluster_case.hpp"

namespace gpumem::shared {

namespace {

unsigned blocks_of(const Outcome& outcome) { return outcome.tested[axis::cluster_blocks]; }

const char* verb_of(const Outcome& outcome) {
  const access::Op op = outcome.tested[axis::pull_op];
  return op == access::Op::load ? "reads" : op == access::Op::store ? "writes" : "changes by atomics";
}

}  // namespace

Conclusion conclude_cluster(std::span<const Outcome> outcomes) {
  constexpr double own_bytes_per_cycle = access::bank_count * access::bank_bytes;
  Conclusion conclusion;
  const auto ring = by_number(outcomes, axis::pull_from, PullFrom::ring, axis::cluster_blocks);
  if (!ring.empty()) {
    const Outcome& smallest = *ring.begin()->second;
    const Outcome& largest = *ring.rbegin()->second;
    conclusion.facts.push_back({FactKind::fastest,
                                {smallest.index},
                                "In clusters of {blocks} a multiprocessor {verb} {bytes_per_cycle} in another block's "
                                "shared memory, {own_percent} "
                                "of what its own can do.",
                                {{"blocks", blocks_of(smallest)},
                                 {"verb", verb_of(smallest)},
                                 headline_value("bytes_per_cycle", smallest),
                                 {"own_percent", 100 * smallest.headline / own_bytes_per_cycle}}});
    if (&smallest != &largest) {
      conclusion.facts.push_back(
          cost_fact(largest, smallest,
                    "Keep clusters small where they share much: in those of {blocks} it takes {cost_ratio} as long.",
                    "Clusters of {blocks} are as fast.",
                    {{"blocks", blocks_of(largest)}, gain_value("cost_ratio", largest, smallest)}));
    }
  }
  const auto pairs = pairs_of(ring, by_number(outcomes, axis::pull_from, PullFrom::first, axis::cluster_blocks));
  if (pairs.empty()) return conclusion;
  const auto& [blocks, spread, alone] = pairs.back();
  const unsigned asked = alone->tested[axis::pulling_blocks];
  conclusion.facts.push_back(
      cost_fact(*alone, *spread,
                "Spread what a cluster shares over its blocks: {blocks} that ask one take {cost_ratio} as long as in a "
                "ring.",
                "{blocks} blocks that ask one are as fast as in a ring.",
                {{"blocks", asked == 0 ? blocks - 1 : asked}, gain_value("cost_ratio", *alone, *spread)}));
  return conclusion;
}

Conclusion conclude_multicast(std::span<const Outcome> outcomes) {
  const auto pairs = pairs_of(by_number(outcomes, axis::by_multicast, false, axis::cluster_blocks),
                              by_number(outcomes, axis::by_multicast, true, axis::cluster_blocks));
  if (pairs.empty()) return {};
  const auto gain_of = [](const PairAtNumber& pair) { return gain(*pair.first, *pair.second); };
  const double most = gain_of(*std::ranges::max_element(pairs, {}, gain_of));
  const auto nearly_most = [&](const PairAtNumber& pair) { return gain_of(pair) >= most * (1 - least_difference); };
  const auto& [blocks, each, multicast] =
      *std::find_if(pairs.rbegin(), pairs.rend(), nearly_most);  // the largest cluster
  return {.facts = {gain_fact(*each, *multicast,
                              "Fetch a tile once for a cluster of {blocks}, by multicast: {gain_ratio} as fast as each "
                              "block on its own, and L2 is read once instead of {blocks} times.",
                              "One fetch by multicast for a cluster of {blocks} is not faster than one for each block, "
                              "but L2 is read once instead of {blocks} times.",
                              {{"blocks", blocks}, gain_value("gain_ratio", *each, *multicast)})}};
}

}  // namespace gpumem::shared
