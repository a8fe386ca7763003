#pragma once
// The places of a transpose's elements, and the elements that a warp takes at once. Its kernels compute them and its
// sites count them with the same functions.

#include <algorithm>

#include "engine/access/request.hpp"
#include "probes/shared/tile/tile_pattern.hpp"

namespace gpumem::kernels::transpose {

/// The source, row by row. The target has as many rows as this has columns.
struct Matrix {
  std::uint32_t rows;
  std::uint32_t columns;

  [[nodiscard]] GPUMEM_HOST_DEVICE constexpr std::uint64_t count() const { return std::uint64_t{rows} * columns; }
  [[nodiscard]] GPUMEM_HOST_DEVICE constexpr std::uint64_t source(std::uint32_t row, std::uint32_t column) const {
    return std::uint64_t{row} * columns + column;
  }
  [[nodiscard]] GPUMEM_HOST_DEVICE constexpr std::uint64_t target(std::uint32_t row, std::uint32_t column) const {
    return std::uint64_t{column} * rows + row;
  }
};

[[nodiscard]] GPUMEM_HOST_DEVICE constexpr std::uint32_t parts(std::uint32_t whole, std::uint32_t each) {
  return (whole + each - 1) / each;
}

// The textbook kernels: a block of 32 x 8 threads takes a tile of 32 x 32 elements, each thread four of a column.

constexpr std::uint32_t tile_side = shared::TilePattern::side;
constexpr std::uint32_t tile_turns = 4;
constexpr std::uint32_t block_rows = tile_side / tile_turns;
constexpr std::uint32_t block_threads = tile_side * block_rows;

enum class TileLayout { plain, padded, swizzled };

[[nodiscard]] GPUMEM_HOST_DEVICE constexpr shared::TilePattern tile_pattern(TileLayout layout) {
  return {.pitch = tile_side + (layout == TileLayout::padded ? 1 : 0), .swizzled = layout == TileLayout::swizzled};
}

// The fast kernel: 256 threads take a tile whose rows are two lines long, in the source and in the target. Each thread
// transposes squares of `vector` x `vector` elements in its registers, so that whole vectors are loaded and stored in
// global and in shared memory. Rows of bytes are one line long: two lines would take 64 KiB of shared memory.

constexpr std::uint32_t wide_row_bytes = 2 * access::line_bytes;
constexpr std::uint32_t most_wide_side = 128;

/// Elements of a tile's row. Vectors of less than 4 bytes have shorter rows, because each takes a register of its own.
[[nodiscard]] GPUMEM_HOST_DEVICE constexpr std::uint32_t wide_side(std::uint32_t element_bytes, std::uint32_t vector) {
  const std::uint32_t register_elements = 4 / vector;
  const std::uint32_t side = wide_row_bytes / (element_bytes > register_elements ? element_bytes : register_elements);
  return side < most_wide_side ? side : most_wide_side;
}

/// Place in shared memory, in vectors, of vector `number` in a row of the target. Swizzled, because neighbouring lanes
/// store to rows `vector` apart.
[[nodiscard]] GPUMEM_HOST_DEVICE constexpr std::uint32_t wide_place(std::uint32_t vectors_per_row, std::uint32_t vector,
                                                                    std::uint32_t row, std::uint32_t number) {
  return row * vectors_per_row + (number ^ (row / vector));
}

template <std::uint32_t element_bytes, std::uint32_t vector>
struct WideTile {
  static constexpr std::uint32_t side = wide_side(element_bytes, vector);
  static constexpr std::uint32_t squares = side / vector;  ///< side by side, and vectors in a row
  static constexpr std::uint32_t turns = squares * squares / block_threads;
  static_assert(turns * block_threads == squares * squares, "threads have equal shares");

  /// First row and first column of a square. Squares are counted along the rows of the source.
  [[nodiscard]] GPUMEM_HOST_DEVICE static constexpr std::uint32_t first_row(std::uint32_t square) {
    return square / squares * vector;
  }
  [[nodiscard]] GPUMEM_HOST_DEVICE static constexpr std::uint32_t first_column(std::uint32_t square) {
    return square % squares * vector;
  }
  [[nodiscard]] GPUMEM_HOST_DEVICE static constexpr std::uint32_t place(std::uint32_t row, std::uint32_t number) {
    return wide_place(squares, vector, row, number);
  }
};

/// Elements in a vector of 16 bytes, or fewer where rows of the source or the target are no multiple of that. There are
/// 8 at most, so that each thread has a square of a tile's.
[[nodiscard]] constexpr std::uint32_t vector_elements(const Matrix& matrix, std::uint32_t element_bytes) {
  std::uint32_t vector = std::min(16 / element_bytes, std::uint32_t{8});
  while (matrix.rows % vector != 0 || matrix.columns % vector != 0) vector /= 2;
  return vector;
}

/// The tile that a block takes. Blocks go down a few tiles before they go on to the right, so that what they store lies
/// side by side in the target as well.
struct TileOrder {
  std::uint32_t across;
  std::uint32_t down;

  static constexpr std::uint32_t group = 8;
  struct Tile {
    std::uint32_t x;
    std::uint32_t y;
  };
  GPUMEM_HOST_DEVICE constexpr Tile operator()(std::uint32_t block) const {
    const std::uint32_t first = block / (across * group) * group;
    const std::uint32_t height = down - first < group ? down - first : group;
    const std::uint32_t rest = block % (across * group);
    return {rest / height, first + rest % height};
  }
};

/// The place of a lane in an array of lines: rows of the source, or its columns, which are the rows of the target.
struct Place {
  std::uint32_t line;
  std::uint32_t position;  ///< the first of the lane's elements
  bool active;
};

/// Returns the number of lines after which the starts of lines repeat their alignments to a sector, for whole 32-bit
/// words or for smaller elements.
[[nodiscard]] constexpr std::uint32_t alignments(std::uint32_t element_bytes) {
  constexpr std::uint32_t word = 4;
  return access::sector_bytes / std::min(element_bytes, word);
}

/// The requests of a launch's warps to an array, in the order in which sites count them. They go along a strip of lines
/// from end to end, so that a short run of them has all that the whole launch has: every alignment of a line to
/// sectors, and the ends.
struct MatrixPass {
  std::uint32_t lines;
  std::uint32_t across;  ///< elements in a line
  /// Lines of a strip, at least alignments() of the elements. A pass across the rows of an array needs 32 for its lines
  /// to be complete.
  std::uint32_t strip = 8;
  std::uint32_t vector = 1;                         ///< elements of a lane, side by side
  std::uint32_t lanes_across = access::warp_lanes;  ///< lanes side by side; the others are on further lines,
  std::uint32_t line_step = 1;                      ///< each so far from the one before

  [[nodiscard]] constexpr std::uint64_t requests() const {
    return std::uint64_t{pieces()} * (std::uint64_t{lines / strip} * along(strip) + along(lines % strip));
  }
  /// Requests of a strip.
  [[nodiscard]] constexpr std::uint64_t period() const { return std::uint64_t{pieces()} * along(strip); }

  [[nodiscard]] constexpr Place place(std::uint64_t k, unsigned lane) const {
    const auto first = static_cast<std::uint32_t>(k / period()) * strip;
    const std::uint32_t height = std::min(strip, lines - first);
    const auto rest = static_cast<std::uint32_t>(k % period());
    const std::uint32_t piece = rest / along(height);
    const std::uint32_t turn = rest % along(height);
    const std::uint32_t line =
        (turn / line_step * lines_at_once() + lane / lanes_across) * line_step + turn % line_step;
    const std::uint32_t position = (piece * lanes_across + lane % lanes_across) * vector;
    return {first + line, position, line < height && position < across};
  }

 private:
  [[nodiscard]] constexpr std::uint32_t lines_at_once() const { return access::warp_lanes / lanes_across; }
  [[nodiscard]] constexpr std::uint32_t pieces() const { return parts(across, vector * lanes_across); }
  /// Requests in one piece of `height` lines.
  [[nodiscard]] constexpr std::uint32_t along(std::uint32_t height) const {
    return parts(height, line_step * lines_at_once()) * line_step;
  }
};

/// A request of whole vectors: `address` says where a place's first byte is.
template <class Address>
[[nodiscard]] constexpr access::WarpRequest request(const MatrixPass& walk, std::uint32_t word_bytes, std::uint64_t k,
                                                    Address&& address) {
  access::WarpRequest request;
  request.word_bytes = word_bytes;
  for (unsigned lane = 0; lane < access::warp_lanes; ++lane) {
    const Place place = walk.place(k, lane);
    if (!place.active) continue;
    request.address[lane] = address(place);
    request.active |= std::uint32_t{1} << lane;
  }
  return request;
}

}  // namespace gpumem::kernels::transpose
