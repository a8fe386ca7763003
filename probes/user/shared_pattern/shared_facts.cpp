// Conclusions of the probes of tiles in shared memory: which layouts of the tile have no bank conflicts.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/base/words.hpp"
#include "engine/pattern/expression.hpp"
#include "probes/sweep_facts.hpp"
#include "probes/user/shared_pattern/shared_pattern.hpp"

namespace gpumem::shared_pattern {

namespace {

/// A layout of the tile that was tried.
struct Layout {
  std::string words;      ///< as an imperative
  double conflicts = 0;   ///< wavefronts that they add to a request, at most over the patterns
  double wavefronts = 0;  ///< of a request, likewise
};

/// Returns the layout's costs in all patterns; nullopt if one of them leaves the tile or the memory.
std::optional<Layout> tried(std::span<const TileCase> tiles, std::string words) {
  Layout layout{.words = std::move(words)};
  try {
    for (const TileCase& tile : tiles) {
      const TileRequests requests = requests_of(tile, most_block_bytes);
      layout.conflicts = std::max(layout.conflicts, requests.wavefronts_per_request() - requests.least_per_request());
      layout.wavefronts = std::max(layout.wavefronts, requests.wavefronts_per_request());
    }
  } catch (const Error&) {
    return std::nullopt;
  }
  return layout;
}

template <class Change>
std::vector<TileCase> changed(std::span<const TileCase> tiles, const Change& change) {
  std::vector<TileCase> all(tiles.begin(), tiles.end());
  std::ranges::for_each(all, change);
  return all;
}

/// Keeps the layout with fewer conflicts; of equal ones the earlier.
void keep_better(std::optional<Layout>& best, std::optional<Layout> layout) {
  if (layout && (!best || layout->conflicts < best->conflicts)) best = std::move(layout);
}

bool names_pitch(const TileCase& tile) {
  return !tile.list &&
         pattern::parse_one(tile.pattern, "pattern", pattern::Names::of_tile).uses(pattern::Variable::pitch);
}

/// The least padding with the fewest conflicts; nullopt if a pattern does not say where rows are.
std::optional<Layout> best_padding(std::span<const TileCase> tiles) {
  constexpr std::uint64_t most = 32;  // from there on the banks repeat themselves, for words of at least 4 bytes
  if (!std::ranges::all_of(tiles, names_pitch)) return std::nullopt;
  std::optional<Layout> best;
  for (std::uint64_t padding = 1; padding <= most; ++padding) {
    if (best && best->conflicts == 0) break;
    keep_better(best, tried(changed(tiles, [&](TileCase& tile) { tile.pitch += padding; }),
                            fmt::format("pad the rows by {} element{}", padding, padding == 1 ? "" : "s")));
  }
  return best;
}

/// Some requests of the tiles, as many of each, without a swizzle. They rank swizzles before one is tried in full.
struct Sample {
  struct Request {
    access::WarpRequest request;
    const TileCase* tile;
  };
  std::vector<Request> requests = {};

  explicit Sample(std::span<const TileCase> tiles) {
    constexpr std::uint64_t most = 16;  // of a tile
    for (const TileCase& tile : tiles) {
      TileCase plain = tile;
      plain.swizzle = {};
      const TileRequests all = requests_of(plain, most_block_bytes);
      const std::uint64_t step = (all.count() + most - 1) / most;
      for (std::uint64_t k = 0; k < all.count(); k += step) requests.push_back({all.request(k), &tile});
    }
  }

  /// Returns the wavefronts of all with a swizzle.
  [[nodiscard]] unsigned wavefronts(const access::Swizzle& swizzle) const {
    unsigned sum = 0;
    for (const auto& [plain, tile] : requests) {
      access::WarpRequest request = plain;
      for (std::uint64_t& address : request.address) {
        address = swizzle(address / tile->word_bytes) * tile->word_bytes;
      }
      sum += wavefronts_of(request, *tile);
    }
    return sum;
  }
};

/// Returns swizzles with positive shifts, as far as they can move a bank's number: those with the fewest wavefronts of
/// some requests first, of equal ones those of fewer bits.
std::vector<access::Swizzle> ranked_swizzles(std::span<const TileCase> tiles) {
  constexpr unsigned most_bits = 5;  // of a bank's number
  constexpr unsigned most_base = 6;  // 4 of the bytes of a matrix' row, and 2 more
  constexpr int most_shift = 10;
  const Sample sample(tiles);
  std::vector<std::pair<unsigned, access::Swizzle>> all;
  for (unsigned bits = 1; bits <= most_bits; ++bits) {
    for (unsigned base = 0; base <= most_base; ++base) {
      for (auto shift = static_cast<int>(bits); shift <= most_shift; ++shift) {
        const access::Swizzle swizzle{bits, base, shift};
        all.emplace_back(sample.wavefronts(swizzle), swizzle);
      }
    }
  }
  std::ranges::stable_sort(all, {}, &std::pair<unsigned, access::Swizzle>::first);
  std::vector<access::Swizzle> ranked;
  for (const auto& [wavefronts, swizzle] : all) ranked.push_back(swizzle);
  return ranked;
}

/// Returns the best of the swizzles that rank first; nullopt if none of these stays within the tiles.
std::optional<Layout> best_swizzle(std::span<const TileCase> tiles) {
  constexpr std::size_t most_tried = 8;
  std::optional<Layout> best;
  std::vector<access::Swizzle> ranked = ranked_swizzles(tiles);
  ranked.resize(std::min(ranked.size(), most_tried));
  for (const access::Swizzle& swizzle : ranked) {
    if (best && best->conflicts == 0) break;
    keep_better(best, tried(changed(tiles, [&](TileCase& tile) { tile.swizzle = swizzle; }),
                            fmt::format("apply Swizzle<{},{},{}>", swizzle.bits, swizzle.base, swizzle.shift)));
  }
  return best;
}

/// The layouts with fewer conflicts than the tiles have now, the best first.
std::vector<Layout> cures_of(std::span<const TileCase> tiles) {
  const std::optional<Layout> now = tried(tiles, "");
  std::vector<Layout> cures;
  if (!now || now->conflicts == 0) return cures;
  for (std::optional<Layout>& layout : std::array{best_padding(tiles), best_swizzle(tiles)}) {
    if (layout && layout->conflicts < now->conflicts) cures.push_back(*std::move(layout));
  }
  std::ranges::stable_sort(cures, {}, &Layout::conflicts);
  if (cures.size() > 1 && cures.front().conflicts == 0 && cures.back().conflicts > 0) cures.pop_back();
  return cures;
}

std::string wavefront_words(double wavefronts) {
  return trimmed(wavefronts, 2) + (wavefronts == 1 ? " wavefront" : " wavefronts");
}

/// "pad the rows by 1 element (2 wavefronts) or apply Swizzle<5,0,5> (1 wavefront)"
std::string cure_words(std::span<const Layout> cures) {
  std::string words;
  for (const Layout& cure : cures) {
    words += fmt::format("{}{} ({})", words.empty() ? "" : " or ", cure.words, wavefront_words(cure.wavefronts));
  }
  return words;
}

/// The tiles of the outcomes; nullopt if one of them is not known.
std::optional<std::vector<TileCase>> tiles_of(std::span<const Outcome> outcomes, const TileCases& cases) {
  std::vector<TileCase> tiles;
  for (const Outcome& outcome : outcomes) {
    std::optional<TileCase> tile = cases.known(outcome.tested);
    if (!tile) return std::nullopt;
    tiles.push_back(*std::move(tile));
  }
  return tiles;
}

/// The tiles of the outcomes with a swizzle. `tiles`: of all of them, in their order.
std::vector<TileCase> tiles_with(std::span<const Outcome> outcomes, std::span<const TileCase> tiles,
                                 const std::string& swizzle) {
  std::vector<TileCase> alike;
  for (std::size_t k = 0; k < outcomes.size(); ++k) {
    if (outcomes[k].tested[axis::swizzle] == swizzle) alike.push_back(tiles[k]);
  }
  return alike;
}

/// The values of the swizzles with which no pattern of the table has conflicts.
std::vector<std::string> swizzles_without_conflicts(std::span<const Outcome> outcomes,
                                                    std::span<const TileCase> tiles) {
  std::vector<std::string> all;
  for (const Outcome& outcome : outcomes) {
    const std::string& value = outcome.tested[axis::swizzle];
    if (std::ranges::find(all, value) == all.end()) all.push_back(value);
  }
  std::erase_if(all, [&](const std::string& value) {
    const std::optional<Layout> layout = tried(tiles_with(outcomes, tiles, value), "");
    return !layout || layout->conflicts > 0;
  });
  return all;
}

/// The fact of a table of several swizzles. `many`: it has several patterns.
Fact fact_of_swizzles(std::span<const Outcome> outcomes, std::span<const TileCase> tiles, bool many) {
  const std::vector<std::string> free = swizzles_without_conflicts(outcomes, tiles);
  std::vector<std::size_t> shown;
  for (const Outcome& outcome : outcomes) {
    if (free.empty() || std::ranges::find(free, outcome.tested[axis::swizzle]) != free.end())
      shown.push_back(outcome.index);
  }
  return {FactKind::fastest, std::move(shown),
          free.empty() ? "No swizzle of these is without bank conflicts."
          : many       ? "Without bank conflicts in all these patterns: swizzle {swizzles}."
                       : "Without bank conflicts: swizzle {swizzles}.",
          free.empty() ? std::vector<FactValue>{} : std::vector<FactValue>{{"swizzles", free}}};
}

/// "requests of read", unless the cases have operations of their own.
std::string requests_in_words(std::span<const Outcome> outcomes) {
  const std::string& name = outcomes.front().tested.name(axis::op);
  const bool one =
      std::ranges::all_of(outcomes, [&](const Outcome& outcome) { return outcome.tested.name(axis::op) == name; });
  return one && name != axis::op.name_of(TileOp::own) ? "requests of " + name : "requests";
}

}  // namespace

std::string conflict_cure(const TileCase& tile) { return cure_words(cures_of(std::span(&tile, 1))); }

Conclusion conclude_tiles(std::span<const Outcome> outcomes, const TileCases& cases) {
  const std::string& first_swizzle = outcomes.front().tested[axis::swizzle];
  const std::vector<Outcome> alike = outcomes_with(outcomes, axis::swizzle, first_swizzle);
  std::vector<Fact> facts;
  if (alike.size() == outcomes.size()) {
    facts = conclude_sweep(outcomes, requests_in_words(outcomes), RequestUnit::wavefronts).facts;
  }
  const std::optional<std::vector<TileCase>> tiles = tiles_of(outcomes, cases);
  if (!tiles) return {.facts = std::move(facts)};
  if (alike.size() < outcomes.size()) facts.push_back(fact_of_swizzles(outcomes, *tiles, alike.size() > 1));
  const std::string cure = cure_words(cures_of(tiles_with(outcomes, *tiles, first_swizzle)));
  if (!cure.empty()) {
    facts.push_back({FactKind::costs,
                     indices_of(alike),
                     alike.size() == 1 ? "Against the bank conflicts, {cure}."
                                       : "Against the bank conflicts of all these patterns, {cure}.",
                     {{"cure", cure}}});
  }
  return {.facts = std::move(facts)};
}

}  // namespace gpumem::shared_pattern
