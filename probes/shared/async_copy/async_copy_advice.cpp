#include "probes/shared/async_copy/async_copy_advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/words.hpp"

namespace gpumem::shared {

namespace {

constexpr double saturated_share = 0.95;

constexpr std::array<std::pair<std::string_view, std::string_view>, 3> ways = {{
    {"bulk", "by the bulk copy engine"},
    {"cp-async", "by cp.async"},
    {"registers", "through registers"},
}};

std::uint64_t in_flight(const Outcome& outcome) { return outcome.one.number("in_flight_bytes"); }

/// The cases of one way.
struct OneWay {
  std::string_view words;
  std::vector<std::size_t> outcomes = {};
  const Outcome* best = nullptr;
  std::optional<std::uint64_t> saturating_bytes = {};
};

std::vector<OneWay> ways_of(std::span<const Outcome> outcomes, double least) {
  std::vector<OneWay> found;
  for (const auto& [name, words] : ways) {
    OneWay way{.words = words};
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      const Outcome& outcome = outcomes[i];
      if (outcome.one.name("copied_by") != name) continue;
      way.outcomes.push_back(i);
      if (way.best == nullptr || outcome.headline > way.best->headline) way.best = &outcome;
      if (outcome.headline < least) continue;
      way.saturating_bytes = std::min(way.saturating_bytes.value_or(in_flight(outcome)), in_flight(outcome));
    }
    if (way.best != nullptr) found.push_back(std::move(way));
  }
  return found;
}

}  // namespace

Conclusion conclude_async_copy(std::span<const Outcome> outcomes) {
  const double best = std::ranges::max_element(outcomes, {}, &Outcome::headline)->headline;
  const std::vector<OneWay> all = ways_of(outcomes, saturated_share * best);
  Conclusion conclusion;
  std::vector<std::string> reached;
  std::vector<std::string> missed;
  for (const OneWay& way : all) {
    if (way.saturating_bytes) {
      reached.push_back(fmt::format("{} {}", size_text(*way.saturating_bytes), way.words));
      conclusion.found.push_back(
          {"saturating_in_flight_bytes", static_cast<double>(*way.saturating_bytes), way.outcomes});
    } else {
      missed.push_back(fmt::format("{} it stays at {} with {}", way.words, rate_words(way.best->headline),
                                   size_text(in_flight(*way.best))));
    }
  }
  conclusion.advice = fmt::format(
      "With {} threads, {:.0f} % of {} takes so many bytes in flight per multiprocessor: {}.",
      outcomes.front().one.number("block_threads"), saturated_share * 100, rate_words(best), join_in_words(reached));
  if (!missed.empty()) conclusion.advice += " " + capitalised(join_in_words(missed)) + ".";
  const auto smallest = [&](const auto& outcome) { return in_flight(outcome); };
  const std::uint64_t fewest = in_flight(*std::ranges::min_element(outcomes, {}, smallest));
  const bool always = std::ranges::any_of(all, [&](const OneWay& way) { return way.saturating_bytes == fewest; });
  if (always && outcomes.size() > 1) conclusion.advice += " Less than was tried may do as well.";
  return conclusion;
}

}  // namespace gpumem::shared
