// Concludes from how many passes over host memory it pays to copy the data to the device first.

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "probes/comparison.hpp"
#include "probes/host/zero_copy/zero_copy_case.hpp"

namespace gpumem::host {

namespace {

/// Beyond this multiple of the passes that ran, the errors of both slopes decide where the lines meet.
constexpr double farthest_extrapolation = 8;

/// Both placements for one number of passes.
struct BothPlacements {
  std::uint64_t passes = 0;
  const Outcome* mapped = nullptr;
  const Outcome* copied = nullptr;

  [[nodiscard]] double saved_s() const { return mapped->seconds - copied->seconds; }
  [[nodiscard]] bool alike() const { return as_good(*mapped, *copied) && as_good(*copied, *mapped); }
};

std::vector<BothPlacements> pairs_of(std::span<const Outcome> outcomes) {
  std::map<std::uint64_t, BothPlacements> by_passes;
  for (const Outcome& outcome : outcomes) {
    BothPlacements& pair = by_passes[outcome.tested[axis::passes]];
    if (outcome.seconds > 0) (outcome.tested[axis::mapped] ? pair.mapped : pair.copied) = &outcome;
  }
  std::vector<BothPlacements> pairs;
  for (auto& [passes, pair] : by_passes) {
    pair.passes = passes;
    if (pair.mapped != nullptr && pair.copied != nullptr) pairs.push_back(pair);
  }
  return pairs;
}

/// The number of passes at which copying saves nothing, on the line through two pairs.
double break_even(const BothPlacements& a, const BothPlacements& b) {
  const double per_pass_s = (b.saved_s() - a.saved_s()) / static_cast<double>(b.passes - a.passes);
  return static_cast<double>(a.passes) - a.saved_s() / per_pass_s;
}

/// The smallest whole number above `passes`, at least 1.
std::uint64_t next_whole(double passes) { return static_cast<std::uint64_t>(std::max(std::floor(passes), 0.0)) + 1; }

std::optional<std::uint64_t> pays_from(std::span<const BothPlacements> pairs) {
  std::size_t first = pairs.size();  // of those at the end that all save
  while (first > 0 && pairs[first - 1].saved_s() > 0) --first;
  if (first > 0 && first < pairs.size()) return next_whole(break_even(pairs[first - 1], pairs[first]));

  const BothPlacements& least = pairs.front();
  const BothPlacements& most = pairs.back();
  const bool always = first == 0;
  if (always && least.passes == 1) return 1;
  if (pairs.size() == 1) return std::nullopt;
  if (most.saved_s() <= least.saved_s()) return always ? std::optional<std::uint64_t>(1) : std::nullopt;
  const double even = break_even(least, most);
  if (even > farthest_extrapolation * static_cast<double>(most.passes)) return std::nullopt;
  return next_whole(even);
}

/// A kind of fact with its template.
using Saying = std::pair<FactKind, const char*>;

Saying saying_of(std::span<const BothPlacements> pairs, std::optional<std::uint64_t> from) {
  const BothPlacements& least = pairs.front();
  const BothPlacements& most = pairs.back();
  if (std::ranges::all_of(pairs, &BothPlacements::alike)) {
    return {FactKind::as_fast_as, "Mapped memory is as fast as copying. Choose what is simpler."};
  }
  if (better(*most.copied, *most.mapped)) {
    if (!from)
      return {FactKind::fastest, "{copying}: {passes_most} passes are {gain_ratio} as fast as over mapped memory."};
    if (*from > 1) {
      return {FactKind::pays_from,
              "{direct} for fewer than {passes_from} passes. From there on, {copying}: {passes_most} passes are "
              "{gain_ratio} as fast."};
    }
    if (most.passes == 1) return {FactKind::pays_from, "{copying}, even for one pass: it is {gain_ratio} as fast."};
    if (least.passes == 1 && !least.alike()) {
      return {FactKind::pays_from,
              "{copying}, even for one pass: it is {least_gain_ratio} as fast. {passes_most} passes are {gain_ratio} "
              "as fast."};
    }
    return {FactKind::pays_from, "{copying}: one pass takes no longer. {passes_most} passes are {gain_ratio} as fast."};
  }
  if (from && *from > most.passes) {
    return {FactKind::pays_from,
            "{direct} for up to {passes_most} passes. Extrapolated, copying pays from {passes_from} passes on."};
  }
  if (most.alike())
    return {FactKind::as_fast_as, "{direct}. At {passes_most} passes copying is as fast, and no faster."};
  return {FactKind::costs,
          most.passes == 1
              ? "{direct}: for one pass, copying takes {slowdown_ratio} as long."
              : "{direct} for up to {passes_most} passes. Copying then still takes {slowdown_ratio} as long."};
}

/// The advice if both placements ran with at least one number of passes.
Fact recommended(std::span<const BothPlacements> pairs, std::optional<std::uint64_t> from) {
  const BothPlacements& most = pairs.back();
  const global::Op op = most.mapped->tested[global::axis::op];
  const auto [kind, says] = saying_of(pairs, from);
  Fact fact{kind,
            {},
            says,
            {{"direct", op == global::Op::read    ? "read mapped memory directly"
                        : op == global::Op::write ? "write mapped memory directly"
                                                  : "read and write mapped memory directly"},
             {"copying", op == global::Op::read    ? "copy the data to the device first"
                         : op == global::Op::write ? "write device memory and copy the data out"
                                                   : "copy the data to the device and back"},
             {"passes_most", most.passes},
             better(*most.mapped, *most.copied) ? gain_value("slowdown_ratio", *most.copied, *most.mapped)
                                                : gain_value("gain_ratio", *most.mapped, *most.copied),
             gain_value("least_gain_ratio", *pairs.front().mapped, *pairs.front().copied)}};
  if (from) fact.values.emplace_back("passes_from", *from);
  for (const BothPlacements& pair : pairs)
    fact.outcomes.insert(fact.outcomes.end(), {pair.mapped->index, pair.copied->index});
  return fact;
}

/// The cost of a pass in the only placement that ran, when there is nothing to compare.
Fact on_one_placement(std::span<const Outcome> outcomes) {
  const Case& tested = outcomes.front().tested;
  const OutcomesByNumber by_passes = by_number(outcomes, axis::mapped, tested[axis::mapped], axis::passes);
  const auto fewest = static_cast<double>(by_passes.begin()->first);
  const auto most = static_cast<double>(by_passes.rbegin()->first);
  const double least_s = by_passes.begin()->second->seconds;
  const double most_s = by_passes.rbegin()->second->seconds;
  const double pass_s = most == fewest ? 0 : (most_s - least_s) / (most - fewest);
  const double once_s = least_s - pass_s * fewest;
  Fact fact{FactKind::costs, {}, "", {{"placement", tested.name(axis::mapped)}}};
  for (const auto& [passes, outcome] : by_passes) fact.outcomes.push_back(outcome->index);
  if (pass_s > 0) {
    fact.kind = FactKind::fit;
    fact.says = once_s > least_difference * least_s
                    ? "Each pass over {placement} data takes {pass_s}, and {once_s} come on top once. The other "
                      "placement shows when copying pays."
                    : "Each pass over {placement} data takes {pass_s}. The other placement shows when copying pays.";
    fact.values.emplace_back("pass_s", pass_s);
    fact.values.emplace_back("once_s", std::max(once_s, 0.0));
  } else {
    fact.says =
        most == 1
            ? "One pass over {placement} data takes {duration_s}. The other placement shows when copying pays."
            : "{passes_most} passes over {placement} data take {duration_s}. The other placement shows when copying "
              "pays.";
    fact.values.emplace_back("passes_most", most);
    fact.values.emplace_back("duration_s", most_s);
  }
  return fact;
}

}  // namespace

Conclusion conclude_zero_copy(std::span<const Outcome> outcomes) {
  const std::vector<BothPlacements> pairs = pairs_of(outcomes);
  if (pairs.empty()) return {.facts = {on_one_placement(outcomes)}};
  const std::optional<std::uint64_t> from = pays_from(pairs);
  Conclusion conclusion{.facts = {recommended(pairs, from)}};
  if (from) conclusion.found = {{"copying_pays_from_passes", static_cast<double>(*from), all_of(outcomes)}};
  return conclusion;
}

}  // namespace gpumem::host
