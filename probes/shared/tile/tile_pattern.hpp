#pragma once
// The places of a 32 x 32 tile's elements in shared memory, and the threads that access them.

#include "engine/access/request.hpp"

namespace gpumem::shared {

/// A tile row by row, each row `pitch` words after the one before. Swizzled, an element lies at place column ^ row
/// within its row: 33 x row is the start of the row, 32 x row, plus the row to XOR with.
struct TilePattern {
  std::uint32_t pitch;     ///< words: 32, or 33 with a padding word
  bool swizzled = false;   ///< only of an unpadded tile
  bool by_columns = true;  ///< the lanes of a warp lie below each other; else side by side

  static constexpr std::uint32_t side = access::warp_lanes;
  static constexpr std::uint32_t lines_per_warp = 8;  ///< columns, or rows

  [[nodiscard]] GPUMEM_HOST_DEVICE constexpr std::uint32_t word(std::uint32_t row, std::uint32_t column) const {
    return swizzled ? (row * (side + 1)) ^ column : row * pitch + column;
  }
  /// Four warps together access all of the tile.
  GPUMEM_HOST_DEVICE constexpr std::uint32_t operator()(std::uint32_t thread, std::uint32_t turn) const {
    const std::uint32_t lane = thread % side;
    const std::uint32_t line = (thread / side * lines_per_warp + turn) % side;
    return by_columns ? word(lane, line) : word(line, lane);
  }
  [[nodiscard]] GPUMEM_HOST_DEVICE constexpr std::uint32_t extent() const { return side * pitch; }
};

}  // namespace gpumem::shared
