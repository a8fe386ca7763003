#include "probes/host/zero_copy/zero_copy_advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/words.hpp"

namespace gpumem::host {

namespace {

/// Beyond this multiple of the passes that ran, the errors of both slopes decide where the lines meet.
constexpr double farthest_extrapolation = 8;

/// The two ways to do a job, as imperatives.
struct Ways {
  std::string_view direct;
  std::string_view copied;
};

Ways ways_of(const Case& one) {
  const std::string& op = one.name("op");
  if (op == "read") return {"read mapped memory directly", "copy the data to the device first"};
  if (op == "write") return {"write mapped memory directly", "write device memory and copy the data out"};
  return {"read and write mapped memory directly", "copy the data to the device and back"};
}

std::string count(std::uint64_t passes) { return passes == 1 ? "one pass" : fmt::format("{} passes", passes); }
std::string up_to(std::uint64_t passes) { return (passes == 1 ? "" : "up to ") + count(passes); }

/// Both placements' times for one number of passes.
struct Pair {
  std::uint64_t passes = 0;
  double mapped_s = 0;
  double copied_s = 0;

  [[nodiscard]] double saved_s() const { return mapped_s - copied_s; }
};

std::vector<Pair> pairs_of(std::span<const Outcome> outcomes) {
  std::map<std::uint64_t, Pair> by_passes;
  for (const Outcome& outcome : outcomes) {
    Pair& pair = by_passes[outcome.one.number("passes")];
    (outcome.one.name("placement") == "mapped" ? pair.mapped_s : pair.copied_s) = outcome.seconds;
  }
  std::vector<Pair> pairs;
  for (auto& [passes, pair] : by_passes) {
    pair.passes = passes;
    if (pair.mapped_s > 0 && pair.copied_s > 0) pairs.push_back(pair);
  }
  return pairs;
}

/// The number of passes at which copying saves nothing, on the line through two pairs.
double break_even(const Pair& a, const Pair& b) {
  const double per_pass_s = (b.saved_s() - a.saved_s()) / static_cast<double>(b.passes - a.passes);
  return static_cast<double>(a.passes) - a.saved_s() / per_pass_s;
}

/// The smallest whole number above, at least 1.
std::uint64_t next_whole(double passes) { return static_cast<std::uint64_t>(std::max(std::floor(passes), 0.0)) + 1; }

std::optional<std::uint64_t> pays_from(std::span<const Pair> pairs) {
  std::size_t first = pairs.size();  // of those at the end that all save
  while (first > 0 && pairs[first - 1].saved_s() > 0) --first;
  if (first > 0 && first < pairs.size()) return next_whole(break_even(pairs[first - 1], pairs[first]));

  const Pair& least = pairs.front();
  const Pair& most = pairs.back();
  const bool always = first == 0;
  if (always && least.passes == 1) return 1;
  if (pairs.size() == 1) return std::nullopt;
  if (most.saved_s() <= least.saved_s()) return always ? std::optional<std::uint64_t>(1) : std::nullopt;
  const double even = break_even(least, most);
  if (even > farthest_extrapolation * static_cast<double>(most.passes)) return std::nullopt;
  return next_whole(even);
}

std::string advice_on(std::span<const Pair> pairs, std::optional<std::uint64_t> from, const Ways& ways) {
  const Pair& most = pairs.back();
  const double faster = most.mapped_s / most.copied_s;
  if (!from && faster > 1) {  // one number of passes, and not whether fewer would do
    return fmt::format("For {}, {} ({} faster).", count(most.passes), ways.copied, times_words(faster));
  }
  if (!from) {
    return capitalised(fmt::format("{}: for {}, to {} takes {} as long.", ways.direct, up_to(most.passes), ways.copied,
                                   times_words(1 / faster)));
  }
  if (*from > most.passes) {
    return capitalised(fmt::format("{} for {}; extrapolated, from {} on {}.", ways.direct, up_to(most.passes),
                                   count(*from), ways.copied));
  }
  if (*from == 1) {
    const Pair& least = pairs.front();
    const std::string more = pairs.size() == 1 ? "" : fmt::format("; {}: {}", count(most.passes), times_words(faster));
    return capitalised(fmt::format("{}, even for one pass ({}{} faster{}).", ways.copied,
                                   least.passes == 1 ? "" : count(least.passes) + ": ",
                                   times_words(least.mapped_s / least.copied_s), more));
  }
  return capitalised(fmt::format("{} for {}; from {} on {} ({}: {} faster).", ways.direct, up_to(*from - 1),
                                 count(*from), ways.copied, count(most.passes), times_words(faster)));
}

/// Of one placement, where there is nothing to choose: what a pass costs is still worth knowing.
std::string advice_alone(std::span<const Outcome> outcomes) {
  constexpr double worth_saying = 0.02;
  const std::string& placement = outcomes.front().one.name("placement");
  std::map<std::uint64_t, double> seconds;  // by passes
  for (const Outcome& outcome : outcomes) {
    if (outcome.one.name("placement") == placement) seconds[outcome.one.number("passes")] = outcome.seconds;
  }
  const auto& [fewest, least_s] = *seconds.begin();
  const auto& [most, most_s] = *seconds.rbegin();
  const double per_pass_s = most == fewest ? 0 : (most_s - least_s) / static_cast<double>(most - fewest);
  const double fixed_s = least_s - per_pass_s * static_cast<double>(fewest);
  std::string text;
  if (per_pass_s <= 0) {
    text = capitalised(fmt::format("{} over {} data: {}.", count(most), placement, duration_words(most_s)));
  } else {
    text = fmt::format("Each pass over {} data takes {}", placement, duration_words(per_pass_s));
    const bool more = fixed_s > worth_saying * least_s;
    text += more ? fmt::format(", and {} come on top once.", duration_words(fixed_s)) : ".";
  }
  return text + " When copying pays shows only beside the other placement.";
}

}  // namespace

Conclusion conclude_zero_copy(std::span<const Outcome> outcomes) {
  const std::vector<Pair> pairs = pairs_of(outcomes);
  if (pairs.empty()) return {.advice = advice_alone(outcomes)};
  const std::optional<std::uint64_t> from = pays_from(pairs);
  Conclusion conclusion{.advice = advice_on(pairs, from, ways_of(outcomes.front().one))};
  if (from) conclusion.found = {{"copying_pays_from_passes", static_cast<double>(*from), all_of(outcomes)}};
  return conclusion;
}

}  // namespace gpumem::host
