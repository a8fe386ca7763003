// Tile: a 32 x 32 tile in shared memory, filled by rows and used by columns as a transpose does it. Plain, a column
// lies in one bank; a word of padding per row, or swizzling, spreads it over all of them.

#include "probes/shared/shared_probe.cuh"
#include "probes/shared/tile/tile_advice.hpp"
#include "probes/shared/tile/tile_pattern.hpp"

namespace gpumem::shared {

static_assert(TilePattern::lines_per_warp == turns, "four warps access all of the tile");

static TilePattern tile_pattern(const Case& one) {
  const std::string& layout = one.name("tile");
  return {.pitch = TilePattern::side + (layout == "padded" ? 1 : 0),
          .swizzled = layout == "swizzled",
          .by_columns = one.name("tile_walk") == "columns"};
}

static Probe tile_probe() {
  Probe probe =
      make_probe("tile", "a 32 x 32 tile of shared memory by columns: what cures its bank conflicts",
                 {{.flag = "tile",
                   .parameter = "tile",
                   .purpose = "how the tile lies in shared memory; padded to 33 words a row, or swizzled",
                   .defaults = "plain,padded,swizzled",
                   .names = {"plain", "padded", "swizzled"},
                   .value_optional = true},
                  {.flag = "tile-walk",
                   .parameter = "tile_walk",
                   .purpose = "what a warp accesses at once: a column, or a row, which has no conflicts anyway",
                   .defaults = "columns",
                   .names = {"columns", "rows"}}},
                 std::string("plain"), tile_pattern);
  probe.conclude = conclude_tile;
  return probe;
}

GPUMEM_PROBE(tile_probe);

}  // namespace gpumem::shared
