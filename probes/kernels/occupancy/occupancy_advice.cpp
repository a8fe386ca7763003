#include "probes/kernels/occupancy/occupancy_advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "engine/base/words.hpp"

namespace gpumem::kernels {

namespace {

constexpr double enough = 0.95;       // of the best bandwidth
constexpr double same_within = 1.05;  // between limits

std::uint64_t warps_of(const Outcome& outcome) { return outcome.one.number("resident_warps_per_multiprocessor"); }

}  // namespace

Conclusion conclude_occupancy(std::span<const Outcome> outcomes) {
  const double best = std::ranges::max_element(outcomes, {}, &Outcome::headline)->headline;
  std::uint64_t fewest = ~std::uint64_t{0};
  std::uint64_t most = 0;
  std::map<std::uint64_t, std::pair<const Outcome*, const Outcome*>> spread;  // slowest and fastest, by warps
  for (const Outcome& outcome : outcomes) {
    if (outcome.headline <= 0) continue;
    const std::uint64_t warps = warps_of(outcome);
    if (outcome.headline >= enough * best) fewest = std::min(fewest, warps);
    most = std::max(most, warps);
    auto& [slowest, fastest] = spread.try_emplace(warps, &outcome, &outcome).first->second;
    if (outcome.headline < slowest->headline) slowest = &outcome;
    if (outcome.headline > fastest->headline) fastest = &outcome;
  }
  if (spread.size() < 2) return {};
  std::string text = fewest < most
                         ? fmt::format(
                               "{} resident warps of {} reach 95 % of the bandwidth: more occupancy gains "
                               "nothing there.",
                               fewest, most)
                         : fmt::format("It takes all of {} resident warps: less in flight is less bandwidth.", most);
  const auto ratio = [](const auto& of_warps) {
    const auto& [slowest, fastest] = of_warps.second;
    return fastest->headline / slowest->headline;
  };
  const auto widest = std::ranges::max_element(spread, {}, ratio);
  if (ratio(*widest) > same_within) {
    const auto& [slowest, fastest] = widest->second;
    text += fmt::format(" What limits them matters too: {} warps read at {} by {}, and at {} by {}.", widest->first,
                        rate_words(slowest->headline), slowest->one.name("occupancy_limit"),
                        rate_words(fastest->headline), fastest->one.name("occupancy_limit"));
  }
  return {.advice = text};
}

}  // namespace gpumem::kernels
