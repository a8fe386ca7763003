#pragma once
// The elements of each thread in a product's kernels, and the places of its tiles in shared memory. Kernels and access
// sites compute both with the same functions.

#include "engine/access/request.hpp"

namespace gpumem::kernels {

/// C = A x B, all of them row by row: A has m rows of k elements, B k rows of n, C m rows of n.
struct ProductShape {
  std::uint32_t m;
  std::uint32_t n;
  std::uint32_t k;
};

/// Bytes that a thread loads from a tile at once if neighbouring elements are its own.
inline constexpr std::uint32_t wide_bytes = 16;

/// Blocks of the kernels without tiles: a warp lies along a row of C, or down a column of it.
namespace direct {
inline constexpr std::uint32_t along = access::warp_lanes;
inline constexpr std::uint32_t across = 16;
inline constexpr std::uint32_t threads = along * across;
/// Multiplications between two tests of the loop; their loads do not wait for each other.
inline constexpr std::uint32_t unrolled = 4;
/// Elements of its row that a lane brings into shared memory between two tests.
inline constexpr std::uint32_t brought = 4;
}  // namespace direct

/// A square tile of each matrix in shared memory, row by row. A thread has `outputs` elements of a column of C, so that
/// a block has side x side / outputs threads.
struct SquareTile {
  std::uint32_t side;
  std::uint32_t outputs;

  [[nodiscard]] GPUMEM_HOST_DEVICE constexpr std::uint32_t thread_rows() const { return side / outputs; }
  [[nodiscard]] GPUMEM_HOST_DEVICE constexpr std::uint32_t threads() const { return side * thread_rows(); }
  /// Row of the tile that a thread's output is in; also of the elements that it brings.
  [[nodiscard]] GPUMEM_HOST_DEVICE constexpr std::uint32_t row(std::uint32_t thread_y, std::uint32_t output) const {
    return thread_y + output * thread_rows();
  }
  [[nodiscard]] GPUMEM_HOST_DEVICE constexpr std::uint32_t word(std::uint32_t row, std::uint32_t column) const {
    return row * side + column;
  }
};

/// A block of 256 threads with 128 x 128 elements of C, 8 x 8 per thread. A warp has 32 x 64 elements and 4 by 8 lanes.
/// Each lane has `groups` x `groups` squares of `group` elements a side, as many as one load brings; the squares of
/// neighbouring lanes lie side by side. The tile of A lies transposed, so that the elements that a lane needs of it lie
/// side by side too.
template <std::uint32_t real_bytes>
struct RegisterBlock {
  static constexpr std::uint32_t side = 128;
  static constexpr std::uint32_t depth = 8;  ///< of k at a time
  static constexpr std::uint32_t threads = 256;
  static constexpr std::uint32_t outputs = 8;  ///< of a thread, each way
  static constexpr std::uint32_t group = wide_bytes / real_bytes;
  static constexpr std::uint32_t groups = outputs / group;
  /// Floats leave registers for two blocks, so that one multiplies while the other waits at a barrier.
  static constexpr std::uint32_t blocks_per_multiprocessor = real_bytes == sizeof(float) ? 2 : 1;
  static constexpr std::uint32_t lane_rows = 4;
  static constexpr std::uint32_t lane_columns = 8;
  /// Elements from one column of A to the next in the transposed tile: padded, so that a warp that brings a few
  /// elements of several rows stores them in different banks.
  static constexpr std::uint32_t pitch = side + group;

  // Bit 0 of a lane's number counts rows, bits 1 to 3 columns, bit 4 rows. So a lane reads the same words of A as its
  // second neighbour and the same words of B as its first, and shared memory serves both in half the wavefronts
  // (shared_wavefronts).
  static GPUMEM_HOST_DEVICE constexpr std::uint32_t lane_row(std::uint32_t lane) { return lane % 2 + lane / 16 * 2; }
  static GPUMEM_HOST_DEVICE constexpr std::uint32_t lane_column(std::uint32_t lane) { return lane / 2 % 8; }

  /// First row and column, in the block, of a thread's square.
  static GPUMEM_HOST_DEVICE constexpr std::uint32_t row(std::uint32_t thread, std::uint32_t square) {
    const std::uint32_t warp_row = thread / access::warp_lanes / 2;
    return (warp_row * groups + square) * lane_rows * group + lane_row(thread % access::warp_lanes) * group;
  }
  static GPUMEM_HOST_DEVICE constexpr std::uint32_t column(std::uint32_t thread, std::uint32_t square) {
    const std::uint32_t warp_column = thread / access::warp_lanes % 2;
    return (warp_column * groups + square) * lane_columns * group + lane_column(thread % access::warp_lanes) * group;
  }

  // The words of `width` elements that threads bring: `words` for each thread, and the places of word number `word` in
  // the tiles of A and B.
  static GPUMEM_HOST_DEVICE constexpr std::uint32_t words(std::uint32_t width) {
    return side * depth / width / threads;
  }
  static GPUMEM_HOST_DEVICE constexpr std::uint32_t row_in_a(std::uint32_t word, std::uint32_t width) {
    return word / (depth / width);
  }
  static GPUMEM_HOST_DEVICE constexpr std::uint32_t column_in_a(std::uint32_t word, std::uint32_t width) {
    return word % (depth / width) * width;
  }
  static GPUMEM_HOST_DEVICE constexpr std::uint32_t row_in_b(std::uint32_t word, std::uint32_t width) {
    return word / (side / width);
  }
  static GPUMEM_HOST_DEVICE constexpr std::uint32_t column_in_b(std::uint32_t word, std::uint32_t width) {
    return word % (side / width) * width;
  }

  static GPUMEM_HOST_DEVICE constexpr std::uint32_t place_in_a(std::uint32_t row, std::uint32_t k) {
    return k * pitch + row;
  }
  static GPUMEM_HOST_DEVICE constexpr std::uint32_t place_in_b(std::uint32_t k, std::uint32_t column) {
    return k * side + column;
  }
};

/// Elements that a thread of a RegisterBlock moves at once between global memory and its registers: as many as fit into
/// a word, unless rows do not start at words.
[[nodiscard]] constexpr std::uint32_t moved_at_once(const ProductShape& shape, std::uint32_t real_bytes) {
  const std::uint32_t wide = wide_bytes / real_bytes;
  return shape.n % wide == 0 && shape.k % wide == 0 ? wide : 1;
}

/// Registers that a thread of a RegisterBlock may take, of the 65536 of a multiprocessor; 255 is the most for any
/// thread.
[[nodiscard]] constexpr std::uint32_t registers_left(std::uint32_t real_bytes) {
  constexpr std::uint32_t registers = 65536 / RegisterBlock<4>::threads;
  return real_bytes == sizeof(float) ? registers / RegisterBlock<4>::blocks_per_multiprocessor : 255;
}

[[nodiscard]] GPUMEM_HOST_DEVICE constexpr std::uint32_t blocks_for(std::uint32_t elements, std::uint32_t each) {
  return elements / each + (elements % each == 0 ? 0 : 1);
}

}  // namespace gpumem::kernels
