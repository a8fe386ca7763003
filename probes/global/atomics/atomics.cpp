#include "probes/global/atomics/atomics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/words.hpp"

namespace gpumem::global {

namespace {

/// Of the best rate: from so much on more addresses are said to gain nothing.
constexpr double enough = 0.95;

std::uint64_t addresses_of(const Outcome& outcome) { return outcome.one.number("addresses"); }
std::string rate(const Outcome& outcome) { return significant(outcome.headline, 3) + " thousand million"; }

std::vector<const Outcome*> with_address_per(std::span<const Outcome> outcomes, std::string_view unit) {
  std::vector<const Outcome*> found;
  for (const Outcome& outcome : outcomes) {
    if (outcome.one.name("address_per") == unit) found.push_back(&outcome);
  }
  std::ranges::sort(found, {}, [](const Outcome* outcome) { return addresses_of(*outcome); });
  return found;
}

const Outcome& best_of(const std::vector<const Outcome*>& outcomes) {
  return **std::ranges::max_element(outcomes, {}, &Outcome::headline);
}

/// Of one unit, sorted by addresses.
std::string sentence_on(std::string_view unit, const std::vector<const Outcome*>& outcomes) {
  if (outcomes.empty()) return "";
  const Outcome& best = best_of(outcomes);
  const Outcome& first = *outcomes.front();
  const std::string with = fmt::format("With an address per {}", unit);
  if (outcomes.size() == 1) {
    return fmt::format("{}, {} in all, it is {} atomics per second.", with, addresses_of(first), rate(first));
  }
  const auto* const fewest = *std::ranges::find_if(
      outcomes, [&](const Outcome* outcome) { return outcome->headline >= enough * best.headline; });
  if (fewest == &first) {
    return fmt::format("{}, more than {} gain nothing: {} atomics per second.", with, addresses_of(first), rate(best));
  }
  return fmt::format("{}, {} and more do {} atomics per second, {} as many as {}.", with, addresses_of(*fewest),
                     rate(best), times_words(best.headline / first.headline), addresses_of(first));
}

}  // namespace

AtomicsLaunch::AtomicsLaunch(const Case& decided, const Device& device)
    : in_shared(decided.name("space") == "shared"),
      returns(decided.name("atomic_op") == "atom"),
      unit_lanes(decided.name("address_per") == "warp" ? access::warp_lanes : 1),
      addresses(static_cast<std::uint32_t>(decided.number("addresses"))),
      blocks(std::max(device.multiprocessors, 1U)) {
  // The fewer the addresses, the more wait for each other: one at a time in each word of L2, at about its clock, or in
  // each multiprocessor, of which there are many. Lanes that meet at an address do so one at a time too.
  const std::uint64_t at_once =
      std::max<std::uint64_t>(std::min<std::uint64_t>(addresses, in_shared ? 4 : 256) / unit_lanes, 1);
  const std::uint64_t updates = at_once << (in_shared ? 28U : 20U);
  turns =
      static_cast<std::uint32_t>(std::max<std::uint64_t>(updates / threads() / atomics_in_a_row, 1) * atomics_in_a_row);
}

std::uint32_t AtomicsLaunch::returned() const {
  const auto of_one = [&](std::uint64_t updates) { return updates * (updates - 1) / 2 * value; };
  const std::uint64_t least = updates_of(addresses - 1);
  std::uint64_t more = 0;  // addresses that have one turn more, which come first
  if (updates_of(0) != least) {
    const std::uint64_t numbers = std::uint64_t{in_shared ? 1 : blocks} * atomics_threads / unit_lanes * turns;
    more = numbers % addresses;
  }
  const std::uint64_t sum = more * of_one(least + unit_lanes) + (addresses - more) * (least == 0 ? 0 : of_one(least));
  return static_cast<std::uint32_t>(sum * (in_shared ? blocks : 1));
}

access::WarpRequest AtomicsLaunch::request_of_sums(std::uint64_t k) const {
  access::WarpRequest request;
  const std::uint64_t first = k % requests_of_sums() * access::warp_lanes;
  for (unsigned lane = 0; lane < access::warp_lanes && first + lane < addresses; ++lane) {
    request.address[lane] = (first + lane) * sizeof(std::uint32_t);
    request.active |= std::uint32_t{1} << lane;
  }
  return request;
}

Conclusion conclude_atomics(std::span<const Outcome> outcomes) {
  const std::vector<const Outcome*> lanes = with_address_per(outcomes, "lane");
  const std::vector<const Outcome*> warps = with_address_per(outcomes, "warp");
  std::vector<std::string> sentences;
  for (const auto& outcome : outcomes) {
    if (addresses_of(outcome) != 1) continue;
    sentences.push_back(fmt::format("All threads of {} on one address do {} atomics per second.",
                                    outcome.one.name("space") == "shared" ? "a block" : "the GPU", rate(outcome)));
    break;
  }
  sentences.push_back(sentence_on("lane", lanes));
  sentences.push_back(sentence_on("warp", warps));
  if (!lanes.empty() && !warps.empty()) {
    const double cost = best_of(lanes).headline / best_of(warps).headline;
    if (cost > 1 / enough) {
      sentences.push_back(
          fmt::format("Lanes that meet at an address cost {}: add up within the warp first.", times_words(cost)));
    }
  }
  return {.advice = paragraph(sentences)};
}

}  // namespace gpumem::global
