// Concludes from how many passes over host memory it pays to copy the data to the device first.

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "probes/comparison.hpp"
#include "probes/host/zero_copy/zero_copy_case.hpp"

namespace gpumem::host {

namespace {

/// Beyond this multiple of the passes that ran, the errors of both slopes decide where the lines meet.
constexpr double farthest_extrapolation = 8;

using PassPairs = std::span<const PairAtNumber>;  // mapped and copied, by the number of passes

/// Both placements at the same passes, as far as their times are known.
std::vector<PairAtNumber> timed_pairs(std::span<const Outcome> outcomes) {
  std::vector<PairAtNumber> pairs = pairs_of(by_number(outcomes, axis::mapped, true, axis::passes),
                                             by_number(outcomes, axis::mapped, false, axis::passes));
  std::erase_if(pairs, [](const auto& pair) { return !(pair.first->seconds > 0 && pair.second->seconds > 0); });
  return pairs;
}

double saved_s(const PairAtNumber& pair) { return pair.first->seconds - pair.second->seconds; }
bool alike(const PairAtNumber& pair) {
  return as_good(*pair.first, *pair.second) && as_good(*pair.second, *pair.first);
}

/// The number of passes at which copying saves nothing, on the line through two pairs.
double break_even(const PairAtNumber& a, const PairAtNumber& b) {
  const double per_pass_s = (saved_s(b) - saved_s(a)) / static_cast<double>(b.number - a.number);
  return static_cast<double>(a.number) - saved_s(a) / per_pass_s;
}

/// The smallest whole number above `passes`, at least 1.
std::uint64_t next_whole(double passes) { return static_cast<std::uint64_t>(std::max(std::floor(passes), 0.0)) + 1; }

std::optional<std::uint64_t> pays_from(PassPairs pairs) {
  std::size_t first = pairs.size();  // of those at the end that all save
  while (first > 0 && saved_s(pairs[first - 1]) > 0) --first;
  if (first > 0 && first < pairs.size()) return next_whole(break_even(pairs[first - 1], pairs[first]));

  const PairAtNumber& least = pairs.front();
  const PairAtNumber& most = pairs.back();
  const bool always = first == 0;
  if (always && least.number == 1) return 1;
  if (pairs.size() == 1) return std::nullopt;
  if (saved_s(most) <= saved_s(least)) return always ? std::optional<std::uint64_t>(1) : std::nullopt;
  const double even = break_even(least, most);
  if (even > farthest_extrapolation * static_cast<double>(most.number)) return std::nullopt;
  return next_whole(even);
}

/// A kind of fact with its template.
using Saying = std::pair<FactKind, const char*>;

Saying saying_of(PassPairs pairs, std::optional<std::uint64_t> from) {
  const PairAtNumber& least = pairs.front();
  const PairAtNumber& most = pairs.back();
  if (std::ranges::all_of(pairs, alike)) {
    return {FactKind::as_fast_as, "Mapped memory is as fast as copying. Choose what is simpler."};
  }
  if (better(*most.second, *most.first)) {
    if (!from)
      return {FactKind::fastest, "{copying}: {passes_most} passes are {gain_ratio} as fast as over mapped memory."};
    if (*from > 1) {
      return {FactKind::pays_from,
              "{direct} for fewer than {passes_from} passes. From there on, {copying}: {passes_most} passes are "
              "{gain_ratio} as fast."};
    }
    if (most.number == 1) return {FactKind::pays_from, "{copying}, even for one pass: it is {gain_ratio} as fast."};
    if (least.number == 1 && !alike(least)) {
      return {FactKind::pays_from,
              "{copying}, even for one pass: it is {least_gain_ratio} as fast. {passes_most} passes are {gain_ratio} "
              "as fast."};
    }
    return {FactKind::pays_from, "{copying}: one pass takes no longer. {passes_most} passes are {gain_ratio} as fast."};
  }
  if (from && *from > most.number) {
    return {FactKind::pays_from,
            "{direct} for up to {passes_most} passes. Extrapolated, copying pays from {passes_from} passes on."};
  }
  if (alike(most))
    return {FactKind::as_fast_as, "{direct}. At {passes_most} passes copying is as fast, and no faster."};
  return {FactKind::costs,
          most.number == 1
              ? "{direct}: for one pass, copying takes {slowdown_ratio} as long."
              : "{direct} for up to {passes_most} passes. Copying then still takes {slowdown_ratio} as long."};
}

/// The advice if both placements ran with at least one number of passes.
Fact recommended(PassPairs pairs, std::optional<std::uint64_t> from) {
  const PairAtNumber& most = pairs.back();
  const global::Op op = most.first->tested[global::axis::op];
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
             {"passes_most", most.number},
             better(*most.first, *most.second) ? gain_value("slowdown_ratio", *most.second, *most.first)
                                               : gain_value("gain_ratio", *most.first, *most.second),
             gain_value("least_gain_ratio", *pairs.front().first, *pairs.front().second)}};
  if (from) fact.values.emplace_back("passes_from", *from);
  for (const PairAtNumber& pair : pairs)
    fact.outcomes.insert(fact.outcomes.end(), {pair.first->index, pair.second->index});
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
  const std::vector<PairAtNumber> pairs = timed_pairs(outcomes);
  if (pairs.empty()) return {.facts = {on_one_placement(outcomes)}};
  const std::optional<std::uint64_t> from = pays_from(pairs);
  Conclusion conclusion{.facts = {recommended(pairs, from)}};
  if (from) conclusion.quantities = {{"copying_pays_from_passes", static_cast<double>(*from), all_of(outcomes)}};
  return conclusion;
}

}  // namespace gpumem::host
