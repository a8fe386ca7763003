// Concludes what a copy gains from each kind of host memory, and what that memory costs.

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/statistics/straight_line.hpp"
#include "probes/comparison.hpp"
#include "probes/host/transfer/transfer_case.hpp"

namespace gpumem::host {

namespace {

/// Two copies that take less than this of their times in a row overlap; fully, they would take half.
constexpr double overlapping_share = 0.75;

const std::string& memory_name(const Outcome& outcome) { return outcome.tested.name(axis::host_memory); }

/// The cases of one kind of host memory.
struct Kind {
  std::string name;
  std::vector<std::size_t> outcomes = {};  ///< indices
  std::map<std::uint64_t, const Outcome*> by_size = {};
  std::optional<measure::LinearCost> cost = {};
};

std::vector<Kind> kinds_of(std::span<const Outcome> outcomes) {
  std::vector<Kind> kinds;
  for (const std::string& name : axis::host_memory.names()) {  // in this order, whatever the order of the cases
    Kind kind{.name = name};
    std::vector<measure::TimedSize> readings;
    for (const Outcome& outcome : outcomes) {
      if (memory_name(outcome) != name) continue;
      kind.outcomes.push_back(outcome.index);
      if (outcome.seconds <= 0) continue;
      const std::uint64_t bytes = outcome.tested[axis::size_bytes];
      kind.by_size[bytes] = &outcome;
      readings.push_back({static_cast<double>(bytes), measure::Seconds(outcome.seconds)});
    }
    if (kind.by_size.empty()) continue;
    kind.cost = measure::fit_linear_cost(readings);
    kinds.push_back(std::move(kind));
  }
  return kinds;
}

/// The outcomes of all kinds at the largest size that all of them have. Empty if there is none.
std::vector<Outcome> comparable(std::span<const Kind> kinds) {
  std::vector<Outcome> found;
  if (kinds.empty()) return found;
  for (const auto& [size, outcome] : kinds.front().by_size) {
    if (!std::ranges::all_of(kinds, [&](const Kind& kind) { return kind.by_size.contains(size); })) continue;
    found.clear();
    for (const Kind& kind : kinds) found.push_back(*kind.by_size.at(size));
  }
  return found;
}

const Outcome* of_memory(std::span<const Outcome> outcomes, Memory memory) {
  return find_outcome(outcomes, axis::host_memory, memory);
}

FactValue size_value(const Outcome& outcome) { return {"size_bytes", outcome.tested[axis::size_bytes]}; }

const char* direction_words(const Outcome& outcome) {
  const Direction direction = outcome.tested[axis::direction];
  return direction == Direction::both        ? "both ways together"
         : direction == Direction::to_device ? "to the device"
                                             : "to the host";
}

Fact fastest_memory(std::span<const Outcome> kinds, const Outcome& best) {
  Fact fact{FactKind::fastest,
            indices_of(kinds),
            "{memory} memory copies {size_bytes} at {rate_gb_per_s} {direction}.",
            {headline_value("rate_gb_per_s", best), size_value(best), {"direction", direction_words(best)}}};
  std::vector<std::string> equals;
  std::vector<std::string> slower;
  std::vector<double> gains;
  for (const Outcome& kind : kinds) {
    (as_good(kind, best) ? equals : slower).push_back(memory_name(kind));
    if (!as_good(kind, best)) gains.push_back(gain(kind, best));
  }
  if (equals.front() == "pageable" && kinds.size() > 1) {
    fact.kind = FactKind::as_fast_as;
    fact.says =
        "Pageable memory is as fast as any at {size_bytes}: {rate_gb_per_s} {direction}. Page-locking gains nothing.";
  } else if (kinds.size() > 1) {
    fact.says = equals.size() == 1 ? "{memory} memory is fastest at {size_bytes}: {rate_gb_per_s} {direction}."
                                   : "{memory} memory are equally fast at {size_bytes}: {rate_gb_per_s} {direction}.";
    if (!slower.empty()) fact.says += " That is {gain_ratio slower} memory.";
  }
  fact.values.insert(fact.values.end(), {{"memory", equals}, {"slower", slower}, {"gain_ratio", gains}});
  return fact;
}

/// Adds the number of copies after which page-locking has saved what it costs.
void add_locking(std::vector<Fact>& facts, std::span<const Outcome> kinds) {
  const Outcome* pageable = of_memory(kinds, Memory::pageable);
  const Outcome* registered = of_memory(kinds, Memory::registered);
  const Outcome* locked = registered != nullptr ? registered : of_memory(kinds, Memory::pinned);
  if (pageable == nullptr || locked == nullptr || !better(*locked, *pageable)) return;
  const auto setup_us = locked->metric("setup_us");
  if (!setup_us) return;
  const double copies = std::max(std::ceil(*setup_us * 1e-6 / (pageable->seconds - locked->seconds)), 1.0);
  facts.push_back({FactKind::costs,
                   {locked->index, pageable->index},
                   copies == 1 ? "{locking} takes {setup_s} for {size_bytes}. The first copy makes up for it."
                               : "{locking} takes {setup_s} for {size_bytes}. {copies} copies make up for it.",
                   {{"locking", registered != nullptr ? "registering existing memory" : "allocating pinned memory"},
                    {"setup_s", *setup_us * 1e-6},
                    size_value(*locked),
                    {"copies", copies}}});
}

/// The time of both directions at once as a share of the sum of each one's time. nullopt without each direction's rate.
std::optional<double> share_of_serial(const Outcome& outcome) {
  const auto to_device = outcome.metric("to_device_gb_per_s");
  const auto to_host = outcome.metric("to_host_gb_per_s");
  if (!to_device || !to_host) return std::nullopt;
  const auto bytes = static_cast<double>(outcome.tested[axis::size_bytes]);
  return outcome.seconds / (bytes * per_giga * (1 / *to_device + 1 / *to_host));
}

/// Adds whether copies in both directions overlap.
void add_both_ways(std::vector<Fact>& facts, const Outcome& example, const Outcome* pageable) {
  const auto share = share_of_serial(example);
  if (!share) return;
  Fact fact{FactKind::limit,
            {example.index},
            "{memory} copies in both directions run one after the other. Both at once gain nothing.",
            {{"memory", memory_name(example)}}};
  if (*share < overlapping_share) {
    fact.kind = FactKind::fastest;
    fact.says =
        "{memory} copies run both ways at once: {to_device_gb_per_s} to the device and {to_host_gb_per_s} to the host.";
    for (const char* rate : {"to_device_gb_per_s", "to_host_gb_per_s"}) {
      fact.values.emplace_back(rate, *example.metric(rate));
    }
    if (pageable != nullptr && share_of_serial(*pageable).value_or(0) >= overlapping_share) {
      fact.outcomes.push_back(pageable->index);
      fact.says += " Pageable ones run one after the other.";
    }
  }
  facts.push_back(std::move(fact));
}

/// The bandwidth that large copies approach, for both ways together if the cases copy both ways.
double asymptotic_gb_per_s(const Kind& kind) {
  const bool both = kind.by_size.begin()->second->tested[axis::direction] == Direction::both;
  return kind.cost->bytes_per_s * (both ? 2 : 1) * per_giga;
}

void add_small_copies(std::vector<Fact>& facts, const Kind& kind, const Outcome& example) {
  if (!kind.cost) return;
  facts.push_back({FactKind::fit,
                   kind.outcomes,
                   "{memory} copies of {half_size_bytes} reach half of the asymptotic {asymptotic_gb_per_s} "
                   "{direction}. Put smaller copies together.",
                   {{"memory", kind.name},
                    {"half_size_bytes", kind.cost->half_size_bytes()},
                    {"direction", direction_words(example)},
                    {"asymptotic_gb_per_s", asymptotic_gb_per_s(kind)}}});
}

}  // namespace

Conclusion conclude_transfer(std::span<const Outcome> outcomes) {
  const std::vector<Kind> kinds = kinds_of(outcomes);
  Conclusion conclusion;
  std::vector<Fact>& facts = conclusion.facts;
  if (const std::vector<Outcome> readings = comparable(kinds); !readings.empty()) {
    const Outcome& best = best_of(readings);
    // The first of the kinds that are as fast as the best: their order is noise.
    const auto example = std::ranges::find_if(readings, [&](const Outcome& kind) { return as_good(kind, best); });
    facts.push_back(fastest_memory(readings, best));
    add_locking(facts, readings);
    add_both_ways(facts, *example, of_memory(readings, Memory::pageable));
    add_small_copies(facts, kinds[static_cast<std::size_t>(example - readings.begin())], *example);
  }
  for (const Kind& kind : kinds) {
    if (!kind.cost) continue;
    conclusion.quantities.push_back({"fixed_cost_us", kind.cost->fixed.count() * 1e6, kind.outcomes});
    conclusion.quantities.push_back({"asymptotic_gb_per_s", asymptotic_gb_per_s(kind), kind.outcomes});
    conclusion.quantities.push_back({"half_size_bytes", kind.cost->half_size_bytes(), kind.outcomes});
  }
  return conclusion;
}

}  // namespace gpumem::host
