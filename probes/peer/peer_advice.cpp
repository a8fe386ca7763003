#include "probes/peer/peer_advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>

#include "engine/base/words.hpp"
#include "engine/machine/islands.hpp"
#include "engine/statistics/outliers.hpp"
#include "engine/statistics/statistics.hpp"
#include "probes/peer/peer_case.hpp"

namespace gpumem::peer {

namespace {

/// Rates closer than this are called the same.
constexpr double same_within = 0.02;
constexpr std::size_t most_named = 4;

std::string sentence(std::string_view text) { return text.empty() ? "" : capitalised(text) + "."; }

/// A pair by one way.
struct Reading {
  Pair pair;
  std::size_t index;  ///< of its outcome
  double bytes_per_s;
  const Outcome* outcome;
};

/// All pairs by one way.
struct Mover {
  std::string_view via;
  std::vector<Reading> readings = {};
  measure::Spread spread = {};  ///< of their rates
};

std::vector<Mover> ways_of(std::span<const Outcome> outcomes) {
  std::vector<Mover> ways;
  for (const std::string_view via : via_names) {
    Mover way{.via = via};
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      const PeerCase peer(outcomes[i].one);
      if (via_names[static_cast<std::size_t>(peer.via)] != via || !(outcomes[i].headline > 0)) continue;
      way.readings.push_back({peer.pair, i, outcomes[i].headline / per_giga, &outcomes[i]});
    }
    if (way.readings.empty()) continue;
    std::vector<double> rates;
    for (const Reading& reading : way.readings) rates.push_back(reading.bytes_per_s);
    way.spread = measure::spread_of(rates);
    ways.push_back(std::move(way));
  }
  return ways;
}

std::string way_words(std::string_view via) {
  if (via == "copy-engine") return "by the source's copy engine";
  if (via == "copy-engine-read") return "by the target's copy engine";
  if (via == "kernel-read") return "by a kernel that reads";
  if (via == "kernel-write") return "by a kernel that writes";
  return "through the host's memory";
}

std::string pair_words(const Pair& pair, bool both) {
  return both ? fmt::format("GPUs {} and {}", pair.source, pair.target)
              : fmt::format("GPU {} to {}", pair.source, pair.target);
}

std::string named(std::span<const std::string> parts) {
  const std::size_t shown = std::min(parts.size(), most_named);
  std::vector<std::string> some(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(shown));
  if (parts.size() > shown) some.push_back(fmt::format("{} more", parts.size() - shown));
  return join_in_words(some);
}

std::string gpus_words(const measure::Island& island) {
  std::vector<std::string> parts;
  for (const std::uint64_t gpu : island) parts.push_back(std::to_string(gpu));
  return join_in_words(parts);
}

/// "One way: 394 GB/s by the source's copy engine and 376 GB/s (0.95 x) by a kernel that reads."
std::string which_way(std::span<const Mover> ways, bool both) {
  std::vector<const Mover*> order;
  for (const Mover& way : ways) order.push_back(&way);
  std::ranges::stable_sort(order, std::greater(), [](const Mover* way) { return way->spread.median; });
  const double best = order.front()->spread.median;
  std::vector<std::string> parts;
  for (const Mover* way : order) {
    const double rate = way->spread.median;
    parts.push_back(fmt::format("{}{} {}", rate_words(rate * per_giga),
                                way == order.front() ? "" : " (" + times_words(rate / best) + ")",
                                way_words(way->via)));
  }
  const std::size_t pairs = order.front()->readings.size();
  return sentence(fmt::format("{} {}: {}",
                              pairs == 1 ? pair_words(order.front()->readings.front().pair, both) : "a pair",
                              both ? "both ways together" : "one way", join_in_words(parts)));
}

/// Where GPUs stand on islands, by one way.
std::string islands_words(const Mover& way) {
  std::vector<measure::Nearness> pairs;
  for (const Reading& one : way.readings) pairs.push_back({one.pair.source, one.pair.target, one.bytes_per_s});
  const std::vector<measure::Island> islands = measure::islands_of(pairs);
  if (islands.empty()) return {};
  std::vector<double> on_one;
  std::vector<double> between;
  for (const auto& [source, target, rate] : pairs) {
    (measure::on_one_island(islands, source, target) ? on_one : between).push_back(rate);
  }
  std::vector<std::string> groups;
  for (const measure::Island& island : islands) groups.push_back(gpus_words(island));
  const auto median = [](std::span<const double> rates) {
    return rate_words(measure::estimate_median(rates).median * per_giga);
  };
  return sentence(fmt::format("{} the GPUs stand on {} islands ({}): {} on one, {} between two", way_words(way.via),
                              islands.size(), fmt::join(groups, "; "), median(on_one), median(between)));
}

/// Pairs that no straight way serves as well as the one through the host.
std::string slower_than_host(std::span<const Mover> ways, bool both) {
  const auto staged = std::ranges::find(ways, "staged", &Mover::via);
  if (staged == ways.end()) return {};
  std::vector<std::string> parts;
  for (const Reading& through_host : staged->readings) {
    double straight = 0;
    for (const Mover& way : ways) {
      if (&way == &*staged) continue;
      for (const Reading& reading : way.readings) {
        if (reading.pair == through_host.pair) straight = std::max(straight, reading.bytes_per_s);
      }
    }
    if (straight > 0 && through_host.bytes_per_s > (1 + same_within) * straight) {
      parts.push_back(fmt::format("{} ({})", pair_words(through_host.pair, both),
                                  times_words(through_host.bytes_per_s / straight)));
    }
  }
  if (parts.empty()) return {};
  return sentence(fmt::format(
      "the way through the host is faster than the straight one for {}: stage these copies. The usual causes: PCIe "
      "access "
      "control (ACS) or an IOMMU that sends every packet between the GPUs up to the host's bridge, a small BAR (ReBAR "
      "off), or two sockets between GPUs without NVLink",
      named(parts)));
}

/// What pairs lose while all disjoint ones copy.
std::string shared(std::span<const Mover> ways, bool both) {
  std::vector<std::string> sentences;
  double least = 1;
  bool known = false;
  for (const Mover& way : ways) {
    std::vector<std::string> parts;
    for (const Reading& reading : way.readings) {
      const auto alone = reading.outcome->metric("alone_gb_per_s");
      if (!alone || *alone <= 0) continue;
      known = true;
      const double kept = reading.outcome->headline / *alone;
      least = std::min(least, kept);
      if (kept < 1 - 2 * same_within) parts.push_back(pair_words(reading.pair, both) + " " + times_words(kept));
    }
    if (parts.empty()) continue;
    sentences.push_back(
        sentence(fmt::format("{} pairs share what carries them: at once they keep of what they reach alone {}",
                             way_words(way.via), named(parts))));
  }
  if (known && sentences.empty()) {
    sentences.push_back(sentence(fmt::format(
        "pairs share nothing: with all disjoint ones at once each keeps {:.0f} % or more of what it reaches alone",
        least * 100)));
  }
  return paragraph(sentences);
}

std::string latency(std::span<const Mover> ways) {
  std::vector<double> all;
  for (const Mover& way : ways) {
    for (const Reading& reading : way.readings) {
      if (const auto ns = reading.outcome->metric("load_latency_ns")) all.push_back(*ns);
    }
  }
  if (all.empty()) return {};
  const measure::Spread spread = measure::spread_of(all);
  const std::string range =
      spread.max - spread.min >= 1 ? fmt::format(" ({:.0f} to {:.0f})", spread.min, spread.max) : "";
  return sentence(fmt::format("a load from another GPU's memory takes {:.0f} ns{}", spread.median, range));
}

}  // namespace

std::vector<Quantity> concluded_of_peers() {
  return {{"median_pair_gb_per_s", "of all pairs by one way, the one in the middle", Better::more},
          {"slowest_pair_gb_per_s", "of all pairs by one way, the slowest", Better::more}};
}

Conclusion conclude_peers(std::span<const Outcome> outcomes) {
  const std::vector<Mover> ways = ways_of(outcomes);
  if (ways.empty()) return {};
  const PeerCase first(outcomes.front().one);
  std::vector<std::string> sentences = {which_way(ways, first.both)};
  for (const Mover& way : ways) sentences.push_back(islands_words(way));
  sentences.push_back(slower_than_host(ways, first.both));
  sentences.push_back(shared(ways, first.both));
  sentences.push_back(latency(ways));

  Conclusion conclusion{.advice = paragraph(sentences)};
  for (const Mover& way : ways) {
    std::vector<std::size_t> own;
    for (const Reading& reading : way.readings) own.push_back(reading.index);
    conclusion.found.push_back({"median_pair_gb_per_s", way.spread.median * per_giga, own});
    conclusion.found.push_back({"slowest_pair_gb_per_s", way.spread.min * per_giga, own});
  }
  return conclusion;
}

}  // namespace gpumem::peer
