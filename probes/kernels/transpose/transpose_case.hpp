#pragma once
// A case of the transpose in numbers, and its accesses.

#include <algorithm>
#include <vector>

#include "engine/access/site.hpp"
#include "probes/kernels/transpose/transpose.hpp"
#include "probes/probe.hpp"

namespace gpumem::kernels::transpose {

enum class Variant { copy, strided_write, strided_read, tile, padded, swizzled, wide };

namespace axis {
inline constexpr Number<std::uint32_t> matrix_columns{"matrix_columns"};
inline constexpr Number<std::uint32_t> matrix_rows{"matrix_rows"};
/// The bytes of an element. Elements are moved and never computed with, so a type is its size.
inline constexpr Choice<std::uint32_t> element_bytes{
    "type", {{"float", 4}, {"double", 8}, {"half", 2}, {"bfloat16", 2}, {"int8", 1}, {"fp8", 1}}};
inline constexpr Choice<Variant> transpose{
    "transpose", {"copy", "strided-write", "strided-read", "tile", "padded", "swizzled", "wide"}};
}  // namespace axis

[[nodiscard]] constexpr TileLayout layout_of(Variant way) {
  return way == Variant::padded     ? TileLayout::padded
         : way == Variant::swizzled ? TileLayout::swizzled
                                    : TileLayout::plain;
}

/// A case in numbers.
struct Transpose {
  Variant way;
  std::uint32_t element_bytes;
  Matrix matrix;
  std::uint32_t vector;  ///< elements
  std::uint32_t side;    ///< of a tile

  explicit Transpose(const Case& decided);

  [[nodiscard]] std::uint64_t matrix_bytes() const { return matrix.count() * element_bytes; }
  [[nodiscard]] std::uint32_t tiles_across() const { return parts(matrix.columns, side); }
  [[nodiscard]] std::uint32_t tiles_down() const { return parts(matrix.rows, side); }
  [[nodiscard]] std::uint32_t squares() const { return side / vector; }  ///< WideTile's
  [[nodiscard]] bool uses_shared() const { return way >= Variant::tile; }

  [[nodiscard]] unsigned shared_bytes() const {
    if (!uses_shared()) return 0;
    const std::uint32_t elements = way == Variant::wide ? side * side : tile_pattern(layout_of(way)).extent();
    return elements * element_bytes;
  }
  /// Copies of each load and store in the unrolled code.
  [[nodiscard]] unsigned instructions() const {
    return way == Variant::wide ? squares() * squares() / block_threads * vector : tile_turns;
  }

  /// The pass along the rows of the source.
  [[nodiscard]] MatrixPass by_rows() const {
    MatrixPass walk{
        .lines = matrix.rows, .across = matrix.columns, .strip = alignments(element_bytes), .vector = vector};
    if (way == Variant::wide) {
      walk.lanes_across = std::min(squares(), access::warp_lanes);
      walk.line_step = vector;
      walk.strip = std::max(walk.strip, vector * access::warp_lanes / walk.lanes_across);
    }
    return walk;
  }
  /// The pass along its columns, which are the rows of the target.
  [[nodiscard]] MatrixPass by_columns() const {
    MatrixPass walk{
        .lines = matrix.columns, .across = matrix.rows, .strip = alignments(element_bytes), .vector = vector};
    if (way == Variant::wide) walk.lanes_across = std::min(squares(), access::warp_lanes);
    return walk;
  }

  /// Address in shared memory, in bytes, of the element in this row and column of the source.
  [[nodiscard]] std::uint64_t tile_address(std::uint32_t row, std::uint32_t column) const {
    return std::uint64_t{tile_pattern(layout_of(way)).word(row % side, column % side)} * element_bytes;
  }
  /// Address in shared memory, in bytes, of the vector that begins there in the target's row.
  [[nodiscard]] std::uint64_t wide_address(std::uint32_t row, std::uint32_t column) const {
    const std::uint32_t at = wide_place(squares(), vector, column % side, row % side / vector);
    return std::uint64_t{at} * vector * element_bytes;
  }
};

/// Sites of one launch, in the order in which a thread comes to them.
[[nodiscard]] std::vector<access::Site> sites_of(const Transpose& transpose);

/// Concludes what the variants cost compared with copying the matrix, for the largest matrix of the cases of one type.
[[nodiscard]] Conclusion conclude_transpose(std::span<const Outcome> outcomes);

}  // namespace gpumem::kernels::transpose
