#pragma once
// Ways to walk over a 2-D array of texels. Neighbouring threads take neighbouring steps.

#include <algorithm>
#include <bit>
#include <type_traits>

#include "engine/access/host_device.hpp"

namespace gpumem::texture {

struct Texel {
  std::uint32_t x;
  std::uint32_t y;

  friend GPUMEM_HOST_DEVICE constexpr Texel operator|(Texel a, Texel b) { return {a.x | b.x, a.y | b.y}; }
};

/// An array whose width and height are powers of two, so that a walk costs shifts and no divisions.
struct Grid {
  std::uint32_t width_bits;
  std::uint32_t height_bits;

  /// The smallest that holds so many texels and is a square, or twice as wide; 16 x 16 at least, which is a tile.
  [[nodiscard]] static constexpr Grid of(std::uint64_t texels) {
    const auto bits = std::max(static_cast<std::uint32_t>(std::bit_width(texels - 1)), 2 * tile_bits);
    return {(bits + 1) / 2, bits / 2};
  }
  [[nodiscard]] constexpr std::uint64_t width() const { return std::uint64_t{1} << width_bits; }
  [[nodiscard]] constexpr std::uint64_t height() const { return std::uint64_t{1} << height_bits; }
  [[nodiscard]] GPUMEM_HOST_DEVICE constexpr std::uint32_t last_column() const { return (1U << width_bits) - 1; }
  [[nodiscard]] GPUMEM_HOST_DEVICE constexpr std::uint32_t last_row() const { return (1U << height_bits) - 1; }

  static constexpr std::uint32_t tile_bits = 4;
};

enum class Steps { by_rows, by_columns, by_tiles, along_curve };

/// Along each row.
struct RowOrder {
  static constexpr Steps steps = Steps::by_rows;
  static GPUMEM_HOST_DEVICE constexpr Texel at(Grid grid, std::uint32_t i) {
    return {i & grid.last_column(), i >> grid.width_bits};
  }
};

/// Down each column.
struct ColumnOrder {
  static constexpr Steps steps = Steps::by_columns;
  static GPUMEM_HOST_DEVICE constexpr Texel at(Grid grid, std::uint32_t i) {
    return {i >> grid.height_bits, i & grid.last_row()};
  }
};

/// In tiles of 16 x 16, each by its rows, as blocks of dim3(16, 16) walk: the tiles by rows as well.
struct TileOrder {
  static constexpr Steps steps = Steps::by_tiles;
  static GPUMEM_HOST_DEVICE constexpr Texel at(Grid grid, std::uint32_t i) {
    constexpr std::uint32_t bits = Grid::tile_bits;
    constexpr std::uint32_t within = (1U << bits) - 1;
    const std::uint32_t tile = i >> (2 * bits);
    const std::uint32_t column = tile & (grid.last_column() >> bits);
    const std::uint32_t row = tile >> (grid.width_bits - bits);
    return {column << bits | (i & within), row << bits | (i >> bits & within)};
  }
};

/// Along Morton's curve: the bits of the step belong to x and y in turn, so that squares of every size stay together.
struct ZOrder {
  static constexpr Steps steps = Steps::along_curve;
  static GPUMEM_HOST_DEVICE constexpr Texel at(Grid /*grid*/, std::uint32_t i) {
    return {even_bits(i), even_bits(i >> 1U)};
  }

 private:
  static GPUMEM_HOST_DEVICE constexpr std::uint32_t even_bits(std::uint32_t i) {
    i &= 0x5555'5555U;
    i = (i | i >> 1U) & 0x3333'3333U;
    i = (i | i >> 2U) & 0x0F0F'0F0FU;
    i = (i | i >> 4U) & 0x00FF'00FFU;
    return (i | i >> 8U) & 0x0000'FFFFU;
  }
};

/// An order over a grid of up to 2^31 texels as a pattern of probes/global/global_probe.cuh: texels by rows in memory.
/// Every order but puts the bits of a step in other places, so what steps without a bit in common lead to, put
/// together, is where both together lead: at(a | b) == (at(a) | at(b)). With that a thread works out once what its
/// turns share.
template <class StepOrder>
struct Walk {
  using Order = StepOrder;

  Grid grid;

  [[nodiscard]] GPUMEM_HOST_DEVICE constexpr Texel at(std::uint32_t i) const { return Order::at(grid, i); }
  GPUMEM_HOST_DEVICE constexpr std::uint64_t operator()(std::uint64_t i) const {
    if constexpr (std::is_same_v<Order, RowOrder>) return i;  // no need to take it apart and put it together again
    const Texel texel = at(static_cast<std::uint32_t>(i));
    return texel.y << grid.width_bits | texel.x;
  }
  GPUMEM_HOST_DEVICE constexpr bool active(std::uint64_t) const { return true; }
  [[nodiscard]] constexpr std::uint64_t extent(std::uint64_t) const { return grid.width() * grid.height(); }
  [[nodiscard]] constexpr std::uint64_t useful(std::uint64_t count) const { return count; }
};

}  // namespace gpumem::texture
