#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "probes/comparison.hpp"
#include "probes/hierarchy/loaded_latency/loaded_latency.hpp"

namespace gpumem::hierarchy {

namespace {

/// A load that takes this many times as long as beside no traffic is slow.
constexpr double slow = 2;

/// A share of the most traffic, its bandwidth (absent if it was not measured), and the cycles of a load beside it.
struct Loaded {
  double percent;
  std::optional<double> gb_per_s;
  double cycles;
};

/// The traffic at which the latency crosses `cycles`, on the line between the two cases around it; nullopt if it never
/// does.
std::optional<Loaded> crossing(std::span<const Outcome* const> sweep, double cycles) {
  for (std::size_t i = 1; i < sweep.size(); ++i) {
    const Outcome& before = *sweep[i - 1];
    const Outcome& after = *sweep[i];
    if (after.headline < cycles || before.headline >= cycles) continue;
    const double at = (cycles - before.headline) / (after.headline - before.headline);
    const auto between = [&](double from, double to) { return from + at * (to - from); };
    Loaded found{between(static_cast<double>(before.tested[axis::traffic_percent]),
                         static_cast<double>(after.tested[axis::traffic_percent])),
                 std::nullopt, cycles};
    const auto from = before.metric(traffic_gb_per_s);
    const auto to = after.metric(traffic_gb_per_s);
    if (from && to) found.gb_per_s = between(*from, *to);
    return found;
  }
  return std::nullopt;
}

/// Names the traffic of a sweep: "loads", "stores" or "50 % stores".
std::string mix_in_words(std::uint32_t written_percent) {
  if (written_percent == 0) return "loads";
  if (written_percent == 100) return "stores";
  return std::to_string(written_percent) + " % stores";
}

void add_sweep(std::vector<Fact>& facts, std::span<const Outcome> outcomes, std::uint32_t written_percent) {
  const OutcomesByNumber by_traffic =
      by_number(outcomes, axis::written_percent, written_percent, axis::traffic_percent);
  if (by_traffic.size() < 2 || by_traffic.begin()->first != 0) return;
  std::vector<const Outcome*> sweep;
  Fact fact{FactKind::costs, {}, {}, {}};
  for (const auto& [percent, outcome] : by_traffic) {
    sweep.push_back(outcome);
    fact.outcomes.push_back(outcome->index);
  }
  const Outcome& idle = *sweep.front();
  const Outcome& worst =
      **std::ranges::max_element(sweep, {}, [](const Outcome* outcome) { return outcome->headline; });
  const auto knee = crossing(sweep, slow * idle.headline);
  fact.values = {headline_value("idle_cycles", idle),
                 {"mix", mix_in_words(written_percent)},
                 {"worst_cycles", worst.headline},
                 {"worst_percent", worst.tested[axis::traffic_percent]}};
  if (!knee) {
    fact.says =
        "A load takes {idle_cycles} while memory is idle, and never twice as long: beside {mix} at most "
        "{worst_cycles}, at {worst_percent} of their best rate.";
  } else {
    fact.kind = FactKind::saturates_at;
    fact.values.emplace_back("knee_percent", knee->percent);
    if (knee->gb_per_s) fact.values.emplace_back("knee_gb_per_s", *knee->gb_per_s);
    fact.says =
        std::string("A load takes {idle_cycles} while memory is idle. Beside {mix} it takes twice as long from ") +
        (knee->gb_per_s ? "{knee_gb_per_s} on ({knee_percent} of their best rate)"
                        : "{knee_percent} of their best rate on") +
        ", and at most {worst_cycles} (at {worst_percent}).";
  }
  facts.push_back(std::move(fact));
}

}  // namespace

Conclusion conclude_loaded_latency(std::span<const Outcome> outcomes) {
  Conclusion conclusion;
  std::set<std::uint32_t> mixes;
  for (const Outcome& outcome : outcomes) mixes.insert(outcome.tested[axis::written_percent]);
  for (const std::uint32_t mix : mixes) add_sweep(conclusion.facts, outcomes, mix);
  return conclusion;
}

}  // namespace gpumem::hierarchy
