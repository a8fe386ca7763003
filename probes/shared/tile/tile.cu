// Tile: a 32 x 32 tile in shared memory, filled by rows and used by columns as a transpose does it. Plain, a column
// lies in one bank; a word of padding per row, or swizzling, spreads it over all of them.

#include <string>
#include <vector>

#include "probes/comparison.hpp"
#include "probes/shared/shared_probe.cuh"
#include "probes/shared/tile/tile_pattern.hpp"

namespace gpumem::shared {

static_assert(TilePattern::lines_per_warp == turns, "four warps access all of the tile");

enum class TileLayout { plain, padded, swizzled };

namespace axis {
constexpr Choice<TileLayout> tile{"tile", {"plain", "padded", "swizzled"}};
constexpr Choice<bool> by_columns{"tile_walk", {{"columns", true}, {"rows", false}}};
}  // namespace axis

static TilePattern tile_pattern(const Case& tested) {
  const TileLayout layout = tested[axis::tile];
  return {.pitch = TilePattern::side + (layout == TileLayout::padded ? 1 : 0),
          .swizzled = layout == TileLayout::swizzled,
          .by_columns = tested[axis::by_columns]};
}

/// For the cases of one walk, word size and op in several layouts: which has no bank conflicts, and what it costs.
static Conclusion conclude_tile(std::span<const Outcome> outcomes) {
  const Case& tested = outcomes.front().tested;
  const Outcome& best = best_of(outcomes);
  const Outcome* plain = find_outcome(outcomes, axis::tile, TileLayout::plain);
  std::vector<Fact> facts;
  if (plain != nullptr && outcomes.size() > 1) {
    const auto cures = [&](TileLayout layout) {
      const Outcome* outcome = find_outcome(outcomes, axis::tile, layout);
      return outcome != nullptr && as_good(*outcome, best);
    };
    const bool is_better = better(best, *plain);
    facts.push_back(
        {is_better ? FactKind::fastest : FactKind::as_fast_as,
         {best.index, plain->index},
         !is_better                     ? "No layout is faster than the plain one: it has no conflicts here."
         : !cures(TileLayout::swizzled) ? "Pad each row by a word, for {padding_bytes} a tile: {gain_ratio} as fast as "
                                          "the plain layout."
         : !cures(TileLayout::padded)   ? "Swizzle the tile, with column c of row r at c ^ r: {gain_ratio} as fast as "
                                          "the plain layout."
                                        : "Swizzle the tile, with column c of row r at c ^ r, or pad each row by a "
                                          "word, for {padding_bytes} a tile: {gain_ratio} as fast as the plain layout.",
         {{"padding_bytes", TilePattern::side * tested[axis::word_bytes]}, gain_value("gain_ratio", *plain, best)}});
  }
  std::vector<std::string> layouts;
  std::vector<double> cycles;
  for (const Outcome& outcome : outcomes) {
    layouts.push_back(outcome.tested.name(axis::tile));
    cycles.push_back(outcome.headline);
  }
  facts.push_back({FactKind::costs,
                   all_of(outcomes),
                   tested[axis::op] == access::Op::store
                       ? "A request that writes the tile by {walk} takes: {layout request_cycles}."
                       : "A request that reads the tile by {walk} takes: {layout request_cycles}.",
                   {{"walk", tested.name(axis::by_columns)}, {"layout", layouts}, {"request_cycles", cycles}}});
  return {.facts = std::move(facts)};
}

static Probe tile_probe() {
  Probe probe = make_probe(
      "tile", "a 32 x 32 tile read by columns: what cures bank conflicts",
      {axis::tile({.flag = "tile",
                   .purpose = "layout of the tile in shared memory: plain, padded to 33 words a row, or swizzled",
                   .value_optional = true}),
       axis::by_columns(
           {.flag = "tile-walk",
            .purpose = "words that a warp accesses at once: a column, or a row, which has no conflicts anyway",
            .defaults = "columns"})},
      std::string("plain"), tile_pattern);
  probe.conclude = conclude_tile;
  return probe;
}

GPUMEM_PROBE(tile_probe);

}  // namespace gpumem::shared
