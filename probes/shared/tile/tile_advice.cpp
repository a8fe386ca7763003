#include "probes/shared/tile/tile_advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "engine/base/words.hpp"
#include "probes/shared/tile/tile_pattern.hpp"

namespace gpumem::shared {

namespace {

/// Layouts closer than this are called the same: runs differ by less, conflicts double at least.
constexpr double same_within = 0.05;

std::string cycles_words(const Outcome& outcome) {
  return fmt::format("{} {}", outcome.one.name("tile"), significant(outcome.headline, 3));
}

}  // namespace

Conclusion conclude_tile(std::span<const Outcome> outcomes) {
  const Case& one = outcomes.front().one;
  std::vector<std::string> readings;
  for (const Outcome& outcome : outcomes) readings.push_back(cycles_words(outcome));
  std::string advice =
      fmt::format("Cycles per request, {} the tile by {}: {}.", one.name("op") == "write" ? "writing" : "reading",
                  one.name("tile_walk"), join_in_words(readings));

  const auto is_plain = [](const Outcome& outcome) { return outcome.one.name("tile") == "plain"; };
  const auto plain = std::ranges::find_if(outcomes, is_plain);
  const Outcome& best = *std::ranges::min_element(outcomes, {}, &Outcome::headline);
  if (plain == outcomes.end() || outcomes.size() == 1) return {.advice = std::move(advice)};
  const double slower = plain->headline / best.headline;
  if (slower < 1 + same_within) {
    return {.advice = advice + " No layout is better than the plain one: it has no conflicts here."};
  }
  advice += fmt::format(" The plain layout is {} slower than it has to be.", times_words(slower));
  const auto as_good = [&](const char* layout) {
    return std::ranges::any_of(outcomes, [&](const Outcome& outcome) {
      return outcome.one.name("tile") == layout && outcome.headline <= best.headline * (1 + same_within);
    });
  };
  const std::uint64_t padding = TilePattern::side * one.number("word_bytes");
  if (as_good("padded"))
    advice += fmt::format(" Padding each row by a word cures it for {} a tile.", size_text(padding));
  if (as_good("swizzled")) advice += " Storing column c of row r at c ^ r cures it without more memory.";
  return {.advice = std::move(advice)};
}

}  // namespace gpumem::shared
