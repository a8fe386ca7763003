#pragma once
// A matrix copied and transposed, each way as a kernel, and the check of what they made of it.

#include <cstdint>

#include "engine/measure/content.hpp"
#include "probes/global/verify.cuh"
#include "probes/kernels/transpose/transpose.hpp"

namespace gpumem::kernels::transpose {

// The textbook's, with 32 x 8 threads. Every thread has all of its elements on their way before it stores the first.

template <class Real>
__global__ void __launch_bounds__(block_threads) copy_matrix(const Real* source, Real* target, Matrix matrix) {
  const std::uint32_t column = blockIdx.x * tile_side + threadIdx.x;
  const std::uint32_t row = blockIdx.y * tile_side + threadIdx.y;
  Real element[tile_turns];
#pragma unroll
  for (std::uint32_t turn = 0; turn < tile_turns; ++turn) {
    const std::uint32_t r = row + turn * block_rows;
    if (r < matrix.rows && column < matrix.columns) element[turn] = source[matrix.source(r, column)];
  }
#pragma unroll
  for (std::uint32_t turn = 0; turn < tile_turns; ++turn) {
    const std::uint32_t r = row + turn * block_rows;
    if (r < matrix.rows && column < matrix.columns) target[matrix.source(r, column)] = element[turn];
  }
}

/// A warp loads a part of a row and stores a part of a column.
template <class Real>
__global__ void __launch_bounds__(block_threads) by_strided_writes(const Real* source, Real* target, Matrix matrix) {
  const std::uint32_t column = blockIdx.x * tile_side + threadIdx.x;
  const std::uint32_t row = blockIdx.y * tile_side + threadIdx.y;
  Real element[tile_turns];
#pragma unroll
  for (std::uint32_t turn = 0; turn < tile_turns; ++turn) {
    const std::uint32_t r = row + turn * block_rows;
    if (r < matrix.rows && column < matrix.columns) element[turn] = source[matrix.source(r, column)];
  }
#pragma unroll
  for (std::uint32_t turn = 0; turn < tile_turns; ++turn) {
    const std::uint32_t r = row + turn * block_rows;
    if (r < matrix.rows && column < matrix.columns) target[matrix.target(r, column)] = element[turn];
  }
}

/// A warp loads a part of a column, through the read-only path, and stores a part of a row.
template <class Real>
__global__ void __launch_bounds__(block_threads) by_strided_reads(const Real* source, Real* target, Matrix matrix) {
  const std::uint32_t row = blockIdx.y * tile_side + threadIdx.x;
  const std::uint32_t column = blockIdx.x * tile_side + threadIdx.y;
  Real element[tile_turns];
#pragma unroll
  for (std::uint32_t turn = 0; turn < tile_turns; ++turn) {
    const std::uint32_t c = column + turn * block_rows;
    if (row < matrix.rows && c < matrix.columns) element[turn] = __ldg(source + matrix.source(row, c));
  }
#pragma unroll
  for (std::uint32_t turn = 0; turn < tile_turns; ++turn) {
    const std::uint32_t c = column + turn * block_rows;
    if (row < matrix.rows && c < matrix.columns) target[matrix.target(row, c)] = element[turn];
  }
}

/// The tile is filled by rows and read by columns: both sides coalesce.
template <class Real, TileLayout layout>
__global__ void __launch_bounds__(block_threads) by_tiles(const Real* source, Real* target, Matrix matrix) {
  constexpr shared::TilePattern pattern = tile_pattern(layout);
  __shared__ Real tile[pattern.extent()];
  const std::uint32_t first_column = blockIdx.x * tile_side;
  const std::uint32_t first_row = blockIdx.y * tile_side;
  Real element[tile_turns];
#pragma unroll
  for (std::uint32_t turn = 0; turn < tile_turns; ++turn) {
    const std::uint32_t r = threadIdx.y + turn * block_rows;
    const std::uint32_t c = threadIdx.x;
    if (first_row + r >= matrix.rows || first_column + c >= matrix.columns) continue;
    element[turn] = source[matrix.source(first_row + r, first_column + c)];
  }
#pragma unroll
  for (std::uint32_t turn = 0; turn < tile_turns; ++turn) {
    const std::uint32_t r = threadIdx.y + turn * block_rows;
    const std::uint32_t c = threadIdx.x;
    if (first_row + r < matrix.rows && first_column + c < matrix.columns) tile[pattern.word(r, c)] = element[turn];
  }
  __syncthreads();
#pragma unroll
  for (std::uint32_t turn = 0; turn < tile_turns; ++turn) {
    const std::uint32_t r = threadIdx.x;
    const std::uint32_t c = threadIdx.y + turn * block_rows;
    if (first_row + r >= matrix.rows || first_column + c >= matrix.columns) continue;
    target[matrix.target(first_row + r, first_column + c)] = tile[pattern.word(r, c)];
  }
}

// Built to be fast, see transpose.hpp.

template <std::size_t bytes>
struct VectorOf;
template <>
struct VectorOf<1> {
  using Type = std::uint8_t;
};
template <>
struct VectorOf<2> {
  using Type = std::uint16_t;
};
template <>
struct VectorOf<4> {
  using Type = std::uint32_t;
};
template <>
struct VectorOf<8> {
  using Type = uint2;
};
template <>
struct VectorOf<16> {
  using Type = uint4;
};

/// The rows and the columns of the matrix are multiples of `vector`, so that vectors are inside or outside as a whole.
template <class Real, std::uint32_t vector>
__global__ void __launch_bounds__(block_threads) by_wide_tiles(const Real* source, Real* target, Matrix matrix) {
  using Tile = WideTile<sizeof(Real), vector>;
  using Vector = typename VectorOf<sizeof(Real) * vector>::Type;
  __shared__ Vector tile[Tile::side * Tile::squares];
  const TileOrder order{parts(matrix.columns, Tile::side), parts(matrix.rows, Tile::side)};
  const std::uint32_t first_column = order(blockIdx.x).x * Tile::side;
  const std::uint32_t first_row = order(blockIdx.x).y * Tile::side;

  Vector loaded[Tile::turns][vector];
#pragma unroll
  for (std::uint32_t turn = 0; turn < Tile::turns; ++turn) {
    const std::uint32_t square = turn * block_threads + threadIdx.x;
    const std::uint32_t row = first_row + Tile::first_row(square);
    const std::uint32_t column = first_column + Tile::first_column(square);
    if (row >= matrix.rows || column >= matrix.columns) continue;
#pragma unroll
    for (std::uint32_t k = 0; k < vector; ++k) {  // nothing of it is used again
      loaded[turn][k] = __ldcs(reinterpret_cast<const Vector*>(source + matrix.source(row + k, column)));
    }
  }
#pragma unroll
  for (std::uint32_t turn = 0; turn < Tile::turns; ++turn) {
    const std::uint32_t square = turn * block_threads + threadIdx.x;
    const std::uint32_t row = Tile::first_row(square);
    const std::uint32_t column = Tile::first_column(square);
    if (first_row + row >= matrix.rows || first_column + column >= matrix.columns) continue;
#pragma unroll
    for (std::uint32_t k = 0; k < vector; ++k) {
      Vector transposed;
#pragma unroll
      for (std::uint32_t i = 0; i < vector; ++i) {
        reinterpret_cast<Real*>(&transposed)[i] = reinterpret_cast<const Real*>(&loaded[turn][i])[k];
      }
      tile[Tile::place(column + k, row / vector)] = transposed;
    }
  }
  __syncthreads();
#pragma unroll
  for (std::uint32_t turn = 0; turn < Tile::turns * vector; ++turn) {
    const std::uint32_t number = turn * block_threads + threadIdx.x;  // of a vector, along the rows of the target
    const std::uint32_t column = number / Tile::squares;
    const std::uint32_t row = number % Tile::squares * vector;
    if (first_row + row >= matrix.rows || first_column + column >= matrix.columns) continue;
    __stcs(reinterpret_cast<Vector*>(target + matrix.target(first_row + row, first_column + column)),
           tile[Tile::place(column, row / vector)]);
  }
}

/// Every element of the target must be the source's from the mirrored place, or from the same one in a copy. Compared
/// as bits: random ones are not always numbers.
static __global__ void check_matrix(const std::uint32_t* target, measure::ContentParts parts, Matrix matrix,
                                    bool transposed, global::Mismatches* found) {
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < matrix.count(); i += step) {
    const std::uint64_t from = transposed ? i % matrix.rows * matrix.columns + i / matrix.rows : i;
    bool right = true;
    for (std::uint32_t k = 0; k < parts.per_element; ++k) {
      right = right && parts.at(target, i * parts.per_element + k) == parts.random(from * parts.per_element + k);
    }
    if (!right) global::report_mismatch(found, i);
  }
}

}  // namespace gpumem::kernels::transpose
