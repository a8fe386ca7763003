// Names the knees of a working set's curve, and what its caches keep together.

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/access/request.hpp"
#include "probes/comparison.hpp"
#include "probes/hierarchy/chase_experiment.hpp"
#include "probes/hierarchy/working_set/knees.hpp"
#include "probes/hierarchy/working_set/working_set.hpp"

namespace gpumem::hierarchy {

namespace {

/// Tells L1 from L2: no multiprocessor so far has an L1 of more than half of this (CUDA C++ Programming Guide,
/// technical specifications per compute capability), and every L2 is larger.
constexpr double between_l1_and_l2_bytes = 512 * 1024;
/// Reading that gets slower by more than this has left a cache. TLBs cost reads in order next to nothing.
constexpr double slower_from_memory = 1.25;
/// A knee of the bandwidth and one of the latency are the same cache's if they are no further apart.
constexpr double same_cache = 2;

/// A line further than this from any power of two is none: the caches' replacement has its own share in it.
constexpr double line_tolerance = 1.3;

struct Capacity {
  std::string_view name;  ///< in names of quantities
  std::string_view noun;  ///< in their purposes
};
constexpr Capacity l1_capacity{"l1_capacity", "capacity of L1 while no shared memory is asked for"};
constexpr Capacity l2_near_capacity{"l2_near_capacity", "capacity of the part of L2 near a multiprocessor"};
constexpr Capacity l2_capacity{"l2_capacity", "what L2 holds"};
constexpr Capacity tlb_reach{"tlb_reach", "footprint that TLBs translate without a miss that slows a chase"};
constexpr std::array capacities = {l1_capacity, l2_near_capacity, l2_capacity, tlb_reach};

/// The quantities of a cache's line and of the bytes that its misses fetch.
struct Grain {
  std::string_view name;   ///< in names of quantities
  std::string_view cache;  ///< in words

  [[nodiscard]] Quantity line() const {
    return {std::string(name) + "_line_bytes", "what " + std::string(cache) +
                                                   " keeps together: the power of two nearest to what the readings "
                                                   "say"};
  }
  [[nodiscard]] Quantity fetch() const {
    return {std::string(name) + "_fetch_bytes", "bytes that a miss of " + std::string(cache) + " brings"};
  }
};
constexpr std::array grains = {Grain{"l1", "L1"}, Grain{"l2", "L2"}};  // needed before main, to register the probe

std::string quantity_name(const Capacity& capacity, std::string_view bound = "") {
  return std::string(capacity.name).append(bound).append("_bytes");
}

/// The knees, by the level whose capacity each is.
struct Hierarchy {
  std::optional<Knee> l1;
  std::optional<Knee> near;
  std::optional<Knee> l2;
  std::optional<Knee> tlb;
};

double footprint(const Outcome& outcome) { return static_cast<double>(outcome.tested[axis::footprint_bytes]); }

std::vector<FootprintCost> latencies(std::span<const Outcome> outcomes) {
  std::vector<FootprintCost> readings;
  for (const Outcome& outcome : outcomes) readings.push_back({footprint(outcome), outcome.headline});
  return readings;
}

/// The footprint up to which, roughly, reads are faster than memory's: the last knee of the time per byte. nullopt
/// without one.
std::optional<double> faster_than_memory_bytes(std::span<const Outcome> outcomes) {
  std::vector<FootprintCost> readings;
  for (const Outcome& outcome : outcomes) {
    const auto rate = outcome.metric("read_gb_per_s");
    if (rate && *rate > 0) readings.push_back({footprint(outcome), 1 / *rate});
  }
  std::optional<double> last;
  for (const Knee& knee : fit_knees(readings)) {
    if (knee.capacity_bytes > between_l1_and_l2_bytes && knee.after > slower_from_memory * knee.before) {
      last = knee.capacity_bytes;
    }
  }
  return last;
}

/// Latency alone does not tell a cache's knee from a TLB's; bandwidth has only those of caches.
Hierarchy hierarchy_of(std::span<const Outcome> outcomes) {
  const std::vector<Knee> knees = fit_knees(latencies(outcomes));
  const auto memory_from = faster_than_memory_bytes(outcomes);
  Hierarchy found;
  if (!knees.empty() && knees.front().capacity_bytes < between_l1_and_l2_bytes) found.l1 = knees.front();
  if (!memory_from) return found;
  const auto distance = [&](const Knee& knee) { return std::abs(std::log(knee.capacity_bytes / *memory_from)); };
  for (const Knee& knee : knees) {
    if (knee.capacity_bytes < between_l1_and_l2_bytes || distance(knee) > std::log(same_cache)) continue;
    if (!found.l2 || distance(knee) < distance(*found.l2)) found.l2 = knee;
  }
  if (!found.l2) return found;
  const auto rise = [](const Knee& knee) { return knee.after - knee.before; };
  for (const Knee& knee : knees) {
    if (knee.capacity_bytes > found.l2->capacity_bytes) {
      if (!found.tlb) found.tlb = knee;
    } else if (knee.capacity_bytes > between_l1_and_l2_bytes && knee.capacity_bytes < found.l2->capacity_bytes) {
      if (!found.near || rise(knee) > rise(*found.near)) found.near = knee;
    }
  }
  if (outcomes.front().tested[axis::page_bytes] != everything) found.tlb.reset();  // no TLB misses in pages
  return found;
}

Fact knee_fact(const Knee& knee, const std::vector<std::size_t>& indices, const char* says) {
  return {FactKind::capacity,
          indices,
          says,
          {{"capacity_bytes", knee.capacity_bytes},
           {"low_bytes", knee.low_bytes},
           {"high_bytes", knee.high_bytes},
           {"before_cycles", knee.before},
           {"after_cycles", knee.after}}};
}

/// Adds the best bandwidth of a footprint that L2 holds and L1 does not, beside the worst of all.
void add_rates(std::vector<Fact>& facts, const Knee& l2, std::span<const Outcome> outcomes) {
  const Outcome* cached = nullptr;
  const Outcome* slowest = nullptr;
  const auto rate = [](const Outcome& outcome) { return outcome.metric("read_gb_per_s").value_or(0); };
  for (const Outcome& outcome : outcomes) {
    if (!(rate(outcome) > 0)) continue;
    if (slowest == nullptr || rate(outcome) < rate(*slowest)) slowest = &outcome;
    if (footprint(outcome) <= between_l1_and_l2_bytes || footprint(outcome) > l2.capacity_bytes) continue;
    if (cached == nullptr || rate(outcome) > rate(*cached)) cached = &outcome;
  }
  if (cached == nullptr || !differs(rate(*cached) / rate(*slowest))) return;
  facts.push_back({FactKind::fastest,
                   {cached->index, slowest->index},
                   "Data that fits L2 is read at up to {cached_gb_per_s}, from memory at {memory_gb_per_s}. A "
                   "footprint that is faster than the memory's specification lies in the cache.",
                   {{"cached_gb_per_s", rate(*cached)}, {"memory_gb_per_s", rate(*slowest)}}});
}

/// The line of the level behind `knee`, in bytes. Nodes of `dense` are at most a line apart. Nodes of `outcomes` are
/// further apart, so that as many of them fit as the level has lines, however far apart they are. Compares both at the
/// cost half-way up the knee. nullopt if the result is not near a power of two below the step of `outcomes`.
std::optional<double> line_bytes(const Knee& knee, std::span<const Outcome> dense, std::span<const Outcome> outcomes) {
  const double half = (knee.before + knee.after) / 2;
  const auto fit = footprint_of_cost(latencies(dense), half);
  const auto seem_to_fit = footprint_of_cost(latencies(outcomes), half);
  if (!fit || !seem_to_fit) return std::nullopt;
  const auto step = static_cast<double>(outcomes.front().tested[axis::step_bytes]);
  const double line = step * *fit / *seem_to_fit;
  const double power = std::exp2(std::round(std::log2(line)));
  const bool told = line < power * line_tolerance && line > power / line_tolerance && power < step;
  return told ? std::optional(power) : std::nullopt;
}

/// The bytes that a miss brought, for footprints in this range; nullopt if they disagree.
std::optional<double> fetch_bytes(std::span<const Outcome> outcomes, double above_bytes, double below_bytes) {
  std::optional<double> all;
  for (const Outcome& outcome : outcomes) {
    const auto fetched = outcome.metric("fetch_bytes");
    if (!fetched || footprint(outcome) <= above_bytes || footprint(outcome) >= below_bytes) continue;
    if (all && *all != *fetched) return std::nullopt;
    all = fetched;
  }
  return all;
}

void add_grain(std::vector<Fact>& facts, const Grain& grain, const std::optional<double>& line,
               const std::optional<double>& fetch, const std::vector<std::size_t>& indices) {
  if (!line && !fetch) return;
  Fact fact{FactKind::capacity,
            indices,
            !line    ? "A miss of {cache} brings {fetch_bytes}."
            : !fetch ? "{cache} keeps lines of {line_bytes}."
            : *fetch < *line
                ? "{cache} keeps lines of {line_bytes}, and a miss brings {fetch_bytes} of one: use those together."
                : "{cache} keeps lines of {line_bytes} and fetches them whole.",
            {{"cache", grain.cache}}};
  if (line) fact.values.emplace_back("line_bytes", *line);
  if (fetch) fact.values.emplace_back("fetch_bytes", *fetch);
  facts.push_back(std::move(fact));
}

}  // namespace

std::vector<Quantity> working_set_quantities() {
  std::vector<Quantity> all;
  for (const Capacity& capacity : capacities) {
    all.push_back({quantity_name(capacity), "fitted: " + std::string(capacity.noun), Better::more});
    all.push_back({quantity_name(capacity, "_low"), "lowest value that the readings allow", Better::neither});
    all.push_back({quantity_name(capacity, "_high"), "highest value that the readings allow", Better::neither});
  }
  for (const Grain& grain : grains) {
    all.push_back(grain.line());
    all.push_back(grain.fetch());
  }
  return all;
}

Conclusion conclude_working_set(std::span<const Outcome> outcomes) {
  std::map<std::uint64_t, std::vector<Outcome>> by_step;
  for (const Outcome& outcome : outcomes) by_step[outcome.tested[axis::step_bytes]].push_back(outcome);
  // Nodes further apart than a line use a part of the lines only: a cache then seems to hold more.
  const auto wider = by_step.upper_bound(access::line_bytes);
  if (wider == by_step.begin()) return {};
  const std::vector<Outcome>& lines = std::prev(wider)->second;
  const Hierarchy found = hierarchy_of(lines);
  const auto line_of = [&](const std::optional<Knee>& knee) {
    return knee && wider != by_step.end() ? line_bytes(*knee, by_step.begin()->second, by_step.rbegin()->second)
                                          : std::nullopt;
  };
  const std::optional<Knee>& l2_first = found.near ? found.near : found.l2;
  const std::array line = {line_of(found.l1), line_of(l2_first)};
  std::array<std::optional<double>, 2> fetch;
  if (found.l1 && found.l2) {  // well away from the knees, where misses are all of one kind
    fetch = {fetch_bytes(lines, 2 * found.l1->capacity_bytes, l2_first->low_bytes / 2),
             fetch_bytes(lines, 2 * found.l2->high_bytes, std::numeric_limits<double>::infinity())};
  }

  Conclusion conclusion;
  const auto add_number = [&](std::string name, double value) {
    conclusion.quantities.push_back({std::move(name), value, all_of(outcomes)});
  };
  const auto add = [&](const Capacity& capacity, const std::optional<Knee>& knee) {
    if (!knee) return;
    add_number(quantity_name(capacity), knee->capacity_bytes);
    add_number(quantity_name(capacity, "_low"), knee->low_bytes);
    add_number(quantity_name(capacity, "_high"), knee->high_bytes);
  };
  add(l1_capacity, found.l1);
  add(l2_near_capacity, found.near);
  add(l2_capacity, found.l2);
  add(tlb_reach, found.tlb);
  for (std::size_t i = 0; i < grains.size(); ++i) {
    if (line[i]) add_number(grains[i].line().name, *line[i]);
    if (fetch[i]) add_number(grains[i].fetch().name, *fetch[i]);
  }

  const std::vector<std::size_t> of_lines = indices_of(lines);
  const auto add_knee = [&](const std::optional<Knee>& knee, const char* says) {
    if (knee) conclusion.facts.push_back(knee_fact(*knee, of_lines, says));
  };
  add_knee(found.l1,
           "L1 holds {capacity_bytes} ({low_bytes} to {high_bytes}), less a kernel's shared memory. A step takes "
           "{before_cycles} in L1, and {after_cycles} from L2.");
  add_knee(found.l2,
           "L2 holds {capacity_bytes} ({low_bytes} to {high_bytes}): a step takes {after_cycles} from memory.");
  add_knee(
      found.tlb,
      "Keep data that is accessed at random within {capacity_bytes} ({low_bytes} to {high_bytes}), or finish one page "
      "before the next. Beyond that, address translation raises a step from {before_cycles} to {after_cycles}.");
  add_knee(found.near,
           "The part of L2 near the multiprocessor holds {capacity_bytes} ({low_bytes} to {high_bytes}). Beyond that, "
           "some steps reach the far part and take up to {after_cycles} instead of {before_cycles}.");
  for (std::size_t i = 0; i < grains.size(); ++i) {
    add_grain(conclusion.facts, grains[i], line[i], fetch[i], all_of(outcomes));
  }
  if (found.l2) add_rates(conclusion.facts, *found.l2, lines);
  return conclusion;
}

}  // namespace gpumem::hierarchy
