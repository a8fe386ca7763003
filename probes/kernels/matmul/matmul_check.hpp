#pragma once
// Chooses the elements of a large product that are checked.

#include "engine/measure/content.hpp"
#include "probes/kernels/matmul/matmul_geometry.hpp"

namespace gpumem::kernels {

/// Every element is checked up to this many multiplications, beyond that `checked_entries` elements.
inline constexpr std::uint64_t most_checked_whole = std::uint64_t{1} << 30U;
inline constexpr std::uint32_t checked_entries = 16384;

struct ProductEntry {
  std::uint32_t row;
  std::uint32_t column;
};

/// A row or column at the first or last place of a tile with a side of 16, 32, 64 or 128.
[[nodiscard]] GPUMEM_HOST_DEVICE constexpr std::uint32_t at_tile_edge(std::uint32_t random, std::uint32_t extent) {
  const std::uint32_t side = 16U << (random >> 4U) % 4;
  const std::uint32_t tile = (random >> 6U) % blocks_for(extent, side);
  const std::uint32_t place = tile * side + ((random >> 2U) % 2 == 0 ? 0 : side - 1);
  return place < extent ? place : extent - 1;
}

/// The i-th element to check. The first four are the corners of C. After them, every second element is random, every
/// fourth lies at a corner of a tile, and the rest lie at an edge of one.
[[nodiscard]] GPUMEM_HOST_DEVICE constexpr ProductEntry checked_entry(std::uint32_t i, const ProductShape& shape) {
  if (i < 4) return {i % 2 == 0 ? 0 : shape.m - 1, i / 2 == 0 ? 0 : shape.n - 1};
  // Words of consecutive indices are too alike: they go through a second round.
  const std::uint32_t random_row =
      measure::random_word(measure::random_word(std::uint64_t{2} * i) * std::uint64_t{2'654'435'769U}) >> 1U;
  const std::uint32_t random_column =
      measure::random_word(measure::random_word(std::uint64_t{2} * i + 1) * std::uint64_t{2'246'822'519U}) >> 1U;
  const bool tile_row = i % 4 == 1 || i % 8 == 3;
  const bool tile_column = i % 4 == 1 || i % 8 == 7;
  return {tile_row ? at_tile_edge(random_row, shape.m) : random_row % shape.m,
          tile_column ? at_tile_edge(random_column, shape.n) : random_column % shape.n};
}

}  // namespace gpumem::kernels
