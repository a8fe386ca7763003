// Concludes what the pairs of GPUs of a machine show together.

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/words.hpp"
#include "engine/machine/islands.hpp"
#include "engine/statistics/outliers.hpp"
#include "engine/statistics/statistics.hpp"
#include "probes/comparison.hpp"
#include "probes/peer/peer_case.hpp"

namespace gpumem::peer {

namespace {

/// All pairs by one method of copying.
struct Method {
  Via via;
  std::vector<Outcome> outcomes = {};
  measure::Spread spread = {};  ///< of their rates
};

/// The methods in words, in the order of Via.
constexpr std::array<const char*, 5> via_words = {"by the source's copy engine", "by the target's copy engine",
                                                  "by a kernel that reads", "by a kernel that writes",
                                                  "through the host's memory"};

/// The methods that ran, in the order of Via.
std::vector<Method> methods_of(std::span<const Outcome> outcomes) {
  std::vector<Method> methods;
  for (std::size_t via = 0; via < via_words.size(); ++via) {
    Method method{.via = static_cast<Via>(via)};
    std::vector<double> rates;
    for (const Outcome& outcome : outcomes) {
      if (outcome.tested[axis::via] != method.via || !(outcome.headline > 0)) continue;
      method.outcomes.push_back(outcome);
      rates.push_back(outcome.headline);
    }
    if (rates.empty()) continue;
    method.spread = measure::spread_of(rates);
    methods.push_back(std::move(method));
  }
  return methods;
}

std::string method_words(const Method& method) { return via_words[static_cast<std::size_t>(method.via)]; }

std::string pair_words(const Outcome& outcome) {
  const PeerCase peer(outcome.tested);
  const std::string source = std::to_string(peer.pair.source);
  const std::string target = std::to_string(peer.pair.target);
  return peer.both ? "between GPUs " + source + " and " + target : "from GPU " + source + " to " + target;
}

/// A pair with the ratio that it gains or keeps.
using PairRatio = std::pair<const Outcome*, double>;

/// Adds pairs to a fact as two lists, which name the first few of them.
void add_pairs(Fact& fact, const char* ratio_name, std::span<const PairRatio> found) {
  constexpr std::size_t most_named = 4;
  std::vector<double> ratios;
  std::vector<std::string> pairs;
  for (const auto& [outcome, ratio] : found) {
    fact.outcomes.push_back(outcome->index);
    if (pairs.size() == most_named) continue;
    ratios.push_back(ratio);
    pairs.push_back(pair_words(*outcome));
  }
  fact.values.insert(fact.values.end(), {{ratio_name, ratios}, {"pair", pairs}});
  if (found.size() == pairs.size()) return;
  fact.says += " The same holds for {more} more.";
  fact.values.emplace_back("more", static_cast<double>(found.size() - pairs.size()));
}

/// True if pairs copy as fast by `method` as by the best one.
bool is_as_fast(const Method& method, const Method& best) {
  if (method.outcomes.size() == 1 && best.outcomes.size() == 1) {
    return as_good(method.outcomes.front(), best.outcomes.front());
  }
  return !differs(method.spread.median / best.spread.median);
}

Fact fastest_method(std::span<const Method> methods) {
  std::vector<const Method*> order;
  for (const Method& method : methods) order.push_back(&method);
  std::ranges::stable_sort(order, std::greater(), [](const Method* method) { return method->spread.median; });
  const Method& best = *order.front();
  const Outcome& first = best.outcomes.front();
  const bool one_pair = best.outcomes.size() == 1;
  std::vector<std::string> fastest;
  std::vector<std::string> others;
  std::vector<double> other_rates;
  Fact fact{FactKind::fastest,
            {},
            "Copies {pair} are fastest {method}: {rate_gb_per_s} {direction}.",
            {{"pair", one_pair ? pair_words(first) : "between two GPUs"},
             {"direction", PeerCase(first.tested).both ? "both ways together" : "one way"},
             one_pair ? headline_value("rate_gb_per_s", first) : FactValue("rate_gb_per_s", best.spread.median)}};
  for (const Method* method : order) {
    std::ranges::copy(indices_of(method->outcomes), std::back_inserter(fact.outcomes));
    if (is_as_fast(*method, best)) {
      fastest.push_back(method_words(*method));
    } else {
      others.push_back(method_words(*method));
      other_rates.push_back(method->spread.median);
    }
  }
  if (methods.size() == 1) fact.says = "Copies {pair} reach {rate_gb_per_s} {direction} {method}.";
  if (!others.empty()) fact.says += " They reach {other_gb_per_s other}.";
  fact.values.insert(fact.values.end(), {{"method", fastest}, {"other_gb_per_s", other_rates}, {"other", others}});
  return fact;
}

/// Adds the pairs that copy faster through the host than by any direct method, and the usual causes of that.
void add_slower_than_host(std::vector<Fact>& facts, std::span<const Method> methods) {
  if (methods.back().via != Via::staged) return;
  std::vector<PairRatio> found;
  for (const Outcome& staged : methods.back().outcomes) {
    std::vector<Outcome> direct;
    for (const Method& method : methods.first(methods.size() - 1)) {
      std::ranges::copy_if(method.outcomes, std::back_inserter(direct), [&](const Outcome& outcome) {
        return PeerCase(outcome.tested).pair == PeerCase(staged.tested).pair;
      });
    }
    if (direct.empty() || !better(staged, best_of(direct))) continue;
    found.emplace_back(&staged, gain(best_of(direct), staged));
  }
  if (found.empty()) return;
  Fact fact{FactKind::fastest,
            {},
            "Copy through the host's memory where that is faster than direct copies: {gain_ratio pair}."};
  add_pairs(fact, "gain_ratio", found);
  facts.push_back(fact);
  facts.push_back({FactKind::limit, fact.outcomes,
                   "Usual causes of slow direct copies are PCIe access control (ACS) or an IOMMU, which send packets "
                   "between GPUs up to the host's bridge. Others are a small BAR (ReBAR off), or two sockets between "
                   "GPUs without NVLink."});
}

/// Adds the islands that GPUs form by one method, if they form any.
void add_islands(std::vector<Fact>& facts, const Method& method) {
  std::vector<measure::Nearness> pairs;
  for (const Outcome& outcome : method.outcomes) {
    const Pair pair = PeerCase(outcome.tested).pair;
    pairs.push_back({pair.source, pair.target, outcome.headline});
  }
  const std::vector<measure::Island> islands = measure::islands_of(pairs);
  if (islands.empty()) return;
  Fact fact{FactKind::costs, indices_of(method.outcomes), ""};
  std::vector<double> within;
  std::vector<double> between;
  for (const auto& [source, target, gb_per_s] : pairs) {
    (measure::on_one_island(islands, source, target) ? within : between).push_back(gb_per_s);
  }
  std::vector<std::string> names;
  for (const measure::Island& island : islands) {
    std::vector<std::string> gpus;
    for (const std::uint64_t gpu : island) gpus.push_back(std::to_string(gpu));
    names.push_back("(" + join_in_words(gpus) + ")");
  }
  fact.says =
      "{method}, GPUs are close to each other on islands: {island}. Copies reach {within_gb_per_s} within an island "
      "and {between_gb_per_s} between two.";
  fact.values = {{"method", method_words(method)},
                 {"island", names},
                 {"within_gb_per_s", measure::estimate_median(within).median},
                 {"between_gb_per_s", measure::estimate_median(between).median}};
  facts.push_back(std::move(fact));
}

/// Adds what pairs lose while all disjoint pairs copy.
void add_shared(std::vector<Fact>& facts, std::span<const Method> methods) {
  double least = 1;
  std::vector<std::size_t> compared;
  bool shares = false;
  for (const Method& method : methods) {
    std::vector<PairRatio> losers;
    for (const Outcome& outcome : method.outcomes) {
      const double alone_gb_per_s = outcome.metric("alone_gb_per_s").value_or(0);
      if (alone_gb_per_s <= 0) continue;
      const Outcome alone{.tested = outcome.tested, .headline = alone_gb_per_s};
      const double kept = gain(alone, outcome);
      compared.push_back(outcome.index);
      least = std::min(least, kept);
      if (better(alone, outcome)) losers.emplace_back(&outcome, kept);
    }
    if (losers.empty()) continue;
    shares = true;
    Fact& fact = facts.emplace_back(Fact{
        FactKind::limit,
        {},
        "{method}, pairs that copy at once share links. Each keeps this much of its rate alone: {kept_ratio pair}.",
        {{"method", method_words(method)}}});
    add_pairs(fact, "kept_ratio", losers);
  }
  if (compared.empty() || shares) return;
  facts.push_back({FactKind::as_fast_as,
                   compared,
                   "Pairs share nothing. With all disjoint ones at once, each keeps {kept_ratio} of its rate alone or "
                   "more.",
                   {{"kept_ratio", least}}});
}

void add_latency(std::vector<Fact>& facts, std::span<const Method> methods) {
  std::vector<double> all;
  std::vector<std::size_t> indices;
  for (const Method& method : methods) {
    for (const Outcome& outcome : method.outcomes) {
      const auto ns = outcome.metric("load_latency_ns");
      if (!ns) continue;
      all.push_back(*ns);
      indices.push_back(outcome.index);
    }
  }
  if (all.empty()) return;
  const measure::Spread spread = measure::spread_of(all);
  facts.push_back({FactKind::costs,
                   indices,
                   spread.max - spread.min >= 1
                       ? "A load from another GPU's memory takes {latency_ns}, from {least_ns} to {most_ns}."
                       : "A load from another GPU's memory takes {latency_ns}.",
                   {{"latency_ns", spread.median}, {"least_ns", spread.min}, {"most_ns", spread.max}}});
}

}  // namespace

std::vector<Quantity> concluded_of_peers() {
  return {{"median_pair_gb_per_s", "median of all pairs by one way", Better::more},
          {"slowest_pair_gb_per_s", "slowest of all pairs by one way", Better::more}};
}

Conclusion conclude_peers(std::span<const Outcome> outcomes) {
  const std::vector<Method> methods = methods_of(outcomes);
  if (methods.empty()) return {};
  Conclusion conclusion{.facts = {fastest_method(methods)}};
  std::vector<Fact>& facts = conclusion.facts;
  add_slower_than_host(facts, methods);
  for (const Method& method : methods) add_islands(facts, method);
  add_shared(facts, methods);
  add_latency(facts, methods);
  for (const Method& method : methods) {
    const std::vector<std::size_t> own = indices_of(method.outcomes);
    conclusion.quantities.push_back({"median_pair_gb_per_s", method.spread.median, own});
    conclusion.quantities.push_back({"slowest_pair_gb_per_s", method.spread.min, own});
  }
  return conclusion;
}

}  // namespace gpumem::peer
