#include "probes/global/layout/layout.hpp"

#include <algorithm>
#include <bit>

namespace gpumem::global {

namespace {

/// Bytes that an instruction accesses at most.
constexpr std::uint32_t most_word_bytes = 16;

}  // namespace

LayoutPlacement layout_placement(Layout layout, std::uint32_t structure_bytes, bool one_field,
                                 std::uint64_t structures) {
  const bool vectors = layout == Layout::aligned;
  const std::uint32_t stored_bytes = vectors ? std::bit_ceil(structure_bytes) : structure_bytes;
  const std::uint32_t word = vectors && !one_field ? std::min(stored_bytes, most_word_bytes) : field_bytes;
  const std::uint32_t words = stored_bytes / word;
  LayoutPlacement placement{.structures = structures,
                            .word = word,
                            .words = one_field ? 1 : words,
                            .per_structure = words,
                            .per_tile = 0,
                            .per_word = 1,
                            .array = structures * words,
                            .useful_bytes = structures * (one_field ? field_bytes : structure_bytes)};
  // Whole tiles, so that the arrays of fields start on lines.
  const std::uint64_t tiled = (structures + tile_structures - 1) / tile_structures * tile_structures;
  if (layout == Layout::soa) {
    placement.per_structure = 1;
    placement.per_word = tiled;
    placement.array = tiled * placement.words;
  } else if (layout == Layout::aosoa) {
    placement.per_structure = 1;
    placement.per_tile = tile_structures * (words - 1);
    placement.per_word = tile_structures;
    placement.array = tiled * words;
  }
  return placement;
}

}  // namespace gpumem::global
