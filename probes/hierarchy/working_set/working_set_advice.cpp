#include "probes/hierarchy/working_set/working_set_advice.hpp"

#include <fmt/format.h>

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
#include "engine/base/words.hpp"
#include "probes/hierarchy/working_set/knees.hpp"

namespace gpumem::hierarchy {

namespace {

/// No multiprocessor so far has an L1 of more than half of this (CUDA C++ Programming Guide, technical specifications
/// per compute capability), and no L2 as little.
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
constexpr Capacity l1_capacity{"l1_capacity", "what L1 holds while no shared memory is asked for"};
constexpr Capacity l2_near_capacity{"l2_near_capacity", "what the part of L2 near a multiprocessor holds"};
constexpr Capacity l2_capacity{"l2_capacity", "what L2 holds"};
constexpr Capacity tlb_reach{"tlb_reach", "what TLBs translate without a miss that slows a chase"};
constexpr std::array capacities = {l1_capacity, l2_near_capacity, l2_capacity, tlb_reach};

/// What a cache keeps together, and what it fetches.
struct Grain {
  std::string_view name;  ///< in names of quantities
  std::string_view noun;  ///< in words

  [[nodiscard]] Quantity line() const {
    return {fmt::format("{}_line_bytes", name),
            fmt::format("what {} keeps together: the power of two nearest to what the readings say", noun)};
  }
  [[nodiscard]] Quantity fetch() const {
    return {fmt::format("{}_fetch_bytes", name), fmt::format("what a miss of {} brings along", noun)};
  }
};
constexpr std::array grains = {Grain{"l1", "L1"}, Grain{"l2", "L2"}};

std::string quantity_name(const Capacity& capacity, std::string_view bound = "") {
  return fmt::format("{}{}_bytes", capacity.name, bound);
}

/// The knees by what they are of.
struct Hierarchy {
  std::optional<Knee> l1;
  std::optional<Knee> near;
  std::optional<Knee> l2;
  std::optional<Knee> tlb;
};

double footprint(const Outcome& outcome) { return static_cast<double>(outcome.one.number("footprint_bytes")); }

std::vector<FootprintCost> latencies(std::span<const Outcome> outcomes) {
  std::vector<FootprintCost> readings;
  for (const Outcome& outcome : outcomes) readings.push_back({footprint(outcome), outcome.headline});
  return readings;
}

/// Up to which footprint reads are faster than the memory's, roughly: the last knee of the time that a byte takes.
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
  if (outcomes.front().one.name("order") == "paged") found.tlb.reset();  // which misses none
  return found;
}

std::string bytes_words(double bytes) { return size_text(static_cast<std::uint64_t>(std::llround(bytes))); }
std::string cycles_words(double cycles) { return significant(cycles, 3); }

/// "240 KiB", and the bounds where they are others.
std::string capacity_words(const Knee& knee) {
  const std::string best = bytes_words(knee.capacity_bytes);
  const std::string low = bytes_words(knee.low_bytes);
  const std::string high = bytes_words(knee.high_bytes);
  return low == high ? best : fmt::format("{} ({} to {})", best, low, high);
}

std::string on_l1(const Knee& knee) {
  return fmt::format(
      "L1 holds {}: {} cycles while it does, {} from L2. That is with all of the multiprocessor's memory left to it; "
      "shared memory that a kernel asks for comes off, so elsewhere the knee lies lower.",
      capacity_words(knee), cycles_words(knee.before), cycles_words(knee.after));
}

std::string on_near(const Knee& knee) {
  return fmt::format(
      "The part of L2 near the multiprocessor holds {}: beyond, loads come from the far part too, and a step takes up "
      "to {} cycles instead of {} before any is from memory.",
      capacity_words(knee), cycles_words(knee.after), cycles_words(knee.before));
}

/// The fastest reading of a footprint that L1 cannot hold but L2 can, and the slowest of all.
std::string on_l2(const Knee& knee, std::span<const Outcome> outcomes) {
  double cached = 0;
  double slowest = 0;
  for (const Outcome& outcome : outcomes) {
    const double bytes = footprint(outcome);
    const double rate = outcome.metric("read_gb_per_s").value_or(0);
    if (bytes > between_l1_and_l2_bytes && bytes <= knee.capacity_bytes) cached = std::max(cached, rate);
    if (rate > 0 && (slowest == 0 || rate < slowest)) slowest = rate;
  }
  std::string text =
      fmt::format("L2 holds {}; memory takes {} cycles.", capacity_words(knee), cycles_words(knee.after));
  if (cached > slowest) {
    text += fmt::format(
        " What fits is read at up to {} GB/s, and from memory at {} GB/s: a footprint that shows more than the "
        "memory's specification is in the cache.",
        significant(cached, 3), significant(slowest, 3));
  }
  return text;
}

std::string on_tlb(const Knee& knee) {
  return fmt::format(
      "Beyond {} steps wait for address translation too, up to {} cycles instead of {}: keep what is accessed at "
      "random within that, or finish one page before the next.",
      capacity_words(knee), cycles_words(knee.after), cycles_words(knee.before));
}

/// The line that a level keeps. `outcomes` are of nodes further apart than a line, `knee` is that of `dense` ones, of
/// which every byte of a line is asked for or none: of the others so many fit as there are lines, however far apart.
/// Both are compared where a step costs half of what the knee adds. Nothing if that is between two powers of two.
std::optional<double> line_bytes(const Knee& knee, std::span<const Outcome> dense, std::span<const Outcome> outcomes) {
  const double half = (knee.before + knee.after) / 2;
  const auto fit = footprint_of_cost(latencies(dense), half);
  const auto seem_to_fit = footprint_of_cost(latencies(outcomes), half);
  if (!fit || !seem_to_fit) return std::nullopt;
  const auto step = static_cast<double>(outcomes.front().one.number("step_bytes"));
  const double line = step * *fit / *seem_to_fit;
  const double power = std::exp2(std::round(std::log2(line)));
  const bool told = line < power * line_tolerance && line > power / line_tolerance && power < step;
  return told ? std::optional(power) : std::nullopt;
}

/// What misses brought along, of footprints in that range; nothing where they disagree.
std::optional<double> fetch_bytes(std::span<const Outcome> outcomes, double above_bytes, double below_bytes) {
  std::optional<double> all;
  for (const Outcome& outcome : outcomes) {
    const auto one = outcome.metric("fetch_bytes");
    if (!one || footprint(outcome) <= above_bytes || footprint(outcome) >= below_bytes) continue;
    if (all && *all != *one) return std::nullopt;
    all = one;
  }
  return all;
}

std::string on_grain(const Grain& grain, const std::optional<double>& line, const std::optional<double>& fetch) {
  if (!line && !fetch) return {};
  if (!line) return fmt::format("A miss of {} brings {} bytes.", grain.noun, *fetch);
  std::string text = fmt::format("{} keeps lines of {} bytes", grain.noun, *line);
  if (!fetch) return text + ".";
  return text + (*fetch < *line ? fmt::format(", of which a miss brings {}: use all of those together.", *fetch)
                                : " and fetches them whole.");
}

}  // namespace

std::vector<Quantity> working_set_quantities() {
  std::vector<Quantity> all;
  for (const Capacity& capacity : capacities) {
    all.push_back({quantity_name(capacity), fmt::format("fitted: {}", capacity.noun), Better::more});
    all.push_back({quantity_name(capacity, "_low"), "the least that the readings leave for it", Better::neither});
    all.push_back({quantity_name(capacity, "_high"), "the most that the readings leave for it", Better::neither});
  }
  for (const Grain& grain : grains) {
    all.push_back(grain.line());
    all.push_back(grain.fetch());
  }
  return all;
}

Conclusion conclude_working_set(std::span<const Outcome> outcomes) {
  std::map<std::uint64_t, std::vector<Outcome>> by_step;
  for (const Outcome& outcome : outcomes) by_step[outcome.one.number("step_bytes")].push_back(outcome);
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
  const auto say = [&](std::string name, double value) {
    conclusion.found.push_back({std::move(name), value, all_of(outcomes)});
  };
  const auto add = [&](const Capacity& capacity, const std::optional<Knee>& knee) {
    if (!knee) return;
    say(quantity_name(capacity), knee->capacity_bytes);
    say(quantity_name(capacity, "_low"), knee->low_bytes);
    say(quantity_name(capacity, "_high"), knee->high_bytes);
  };
  add(l1_capacity, found.l1);
  add(l2_near_capacity, found.near);
  add(l2_capacity, found.l2);
  add(tlb_reach, found.tlb);
  for (std::size_t i = 0; i < grains.size(); ++i) {
    if (line[i]) say(grains[i].line().name, *line[i]);
    if (fetch[i]) say(grains[i].fetch().name, *fetch[i]);
  }
  conclusion.advice =
      paragraph(std::vector{found.l1 ? on_l1(*found.l1) : "", on_grain(grains[0], line[0], fetch[0]),
                            found.near ? on_near(*found.near) : "", found.l2 ? on_l2(*found.l2, lines) : "",
                            on_grain(grains[1], line[1], fetch[1]), found.tlb ? on_tlb(*found.tlb) : ""});
  return conclusion;
}

}  // namespace gpumem::hierarchy
