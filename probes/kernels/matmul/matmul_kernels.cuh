#pragma once
// The kernels of C = A x B, from the simplest on: from global memory alone, with rows or tiles in shared memory, and
// with several outputs of a thread in registers.

#include <cstdint>

#include "probes/kernels/matmul/matmul_geometry.hpp"

namespace gpumem::kernels {

template <class Real>
struct WideWord;
template <>
struct WideWord<float> {
  using type = float4;
};
template <>
struct WideWord<double> {
  using type = double2;
};

__device__ inline void unpack(float word, float* values) { values[0] = word; }
__device__ inline void unpack(double word, double* values) { values[0] = word; }
__device__ inline void unpack(float4 word, float* values) {
  values[0] = word.x;
  values[1] = word.y;
  values[2] = word.z;
  values[3] = word.w;
}
__device__ inline void unpack(double2 word, double* values) {
  values[0] = word.x;
  values[1] = word.y;
}
__device__ inline void pack(const float* values, float& word) { word = values[0]; }
__device__ inline void pack(const double* values, double& word) { word = values[0]; }
__device__ inline void pack(const float* values, float4& word) { word = {values[0], values[1], values[2], values[3]}; }
__device__ inline void pack(const double* values, double2& word) { word = {values[0], values[1]}; }

__device__ inline float multiply_add(float a, float b, float c) { return __fmaf_rn(a, b, c); }
__device__ inline double multiply_add(double a, double b, double c) { return __fma_rn(a, b, c); }

/// Index of an element, in 64 bits: 32 bits hold a row or a column, but perhaps not the index.
__device__ inline std::uint64_t place(std::uint32_t row, std::uint32_t columns, std::uint32_t column) {
  return std::uint64_t{row} * columns + column;
}

/// One element of C from a row of A, in global or shared memory, and a column of B.
template <class Real>
__device__ Real row_by_column(const Real* row, const Real* column, const ProductShape& shape) {
  Real sum = 0;
  std::uint32_t k = 0;
#pragma unroll 1
  for (; k + direct::unrolled <= shape.k; k += direct::unrolled) {
#pragma unroll
    for (std::uint32_t j = 0; j < direct::unrolled; ++j) {
      sum = multiply_add(row[k + j], column[place(k + j, shape.n, 0)], sum);
    }
  }
#pragma unroll 1
  for (; k < shape.k; ++k) sum = multiply_add(row[k], column[place(k, shape.n, 0)], sum);
  return sum;
}

/// One thread per element of C, everything from global memory, in blocks of 32 x 16 threads. With `down_columns`,
/// neighbouring threads have different rows, which the textbook warns of.
template <class Real, bool down_columns>
__global__ void __launch_bounds__(direct::threads)
    product_from_global(const Real* __restrict__ a, const Real* __restrict__ b, Real* __restrict__ c,
                        ProductShape shape) {
  const std::uint32_t x = blockIdx.x * direct::along + threadIdx.x;
  const std::uint32_t y = blockIdx.y * direct::across + threadIdx.y;
  const std::uint32_t row = down_columns ? x : y;
  const std::uint32_t column = down_columns ? y : x;
  if (row >= shape.m || column >= shape.n) return;
  c[place(row, shape.n, column)] = row_by_column(a + place(row, shape.k, 0), b + column, shape);
}

/// The same along rows, with the block's 16 rows of A kept whole in shared memory.
template <class Real>
__global__ void __launch_bounds__(direct::threads)
    product_with_rows_in_shared(const Real* __restrict__ a, const Real* __restrict__ b, Real* __restrict__ c,
                                ProductShape shape) {
  extern __shared__ uint4 dynamic_shared[];  // of a type that both may be
  const std::uint32_t column = blockIdx.x * direct::along + threadIdx.x;
  const std::uint32_t row = blockIdx.y * direct::across + threadIdx.y;
  const Real* const source = a + place(row, shape.k, 0);
  Real* const kept = reinterpret_cast<Real*>(dynamic_shared) + threadIdx.y * shape.k;
  if (row < shape.m) {
    std::uint32_t first = 0;
#pragma unroll 1
    for (; first + direct::brought * direct::along <= shape.k; first += direct::brought * direct::along) {
#pragma unroll
      for (std::uint32_t j = 0; j < direct::brought; ++j) {
        const std::uint32_t k = first + j * direct::along + threadIdx.x;
        kept[k] = source[k];
      }
    }
#pragma unroll 1
    for (; first < shape.k; first += direct::along) {
      const std::uint32_t k = first + threadIdx.x;
      if (k < shape.k) kept[k] = source[k];
    }
  }
  __syncthreads();
  if (row >= shape.m || column >= shape.n) return;
  c[place(row, shape.n, column)] = row_by_column<Real>(kept, b + column, shape);
}

/// A tile of A and one of B at a time in shared memory; elements beyond the matrices are zero there. A thread reads 16
/// bytes of its row of the tile of A at once, the same for all threads of the row.
template <class Real, std::uint32_t side, std::uint32_t outputs>
__global__ void __launch_bounds__(side* side / outputs)
    product_in_tiles(const Real* __restrict__ a, const Real* __restrict__ b, Real* __restrict__ c, ProductShape shape) {
  using Wide = typename WideWord<Real>::type;
  constexpr std::uint32_t wide = wide_bytes / sizeof(Real);
  constexpr SquareTile tile{side, outputs};
  __shared__ alignas(wide_bytes) Real tile_a[side * side];
  __shared__ alignas(wide_bytes) Real tile_b[side * side];
  const std::uint32_t first_row = blockIdx.y * side;
  const std::uint32_t column = blockIdx.x * side + threadIdx.x;
  Real sum[outputs] = {};
#pragma unroll 1
  for (std::uint32_t first = 0; first < shape.k; first += side) {
#pragma unroll
    for (std::uint32_t i = 0; i < outputs; ++i) {
      const std::uint32_t in_tile = tile.row(threadIdx.y, i);
      const std::uint32_t row = first_row + in_tile;
      const std::uint32_t k_of_a = first + threadIdx.x;
      const std::uint32_t k_of_b = first + in_tile;
      const bool in_a = row < shape.m && k_of_a < shape.k;
      const bool in_b = k_of_b < shape.k && column < shape.n;
      tile_a[tile.word(in_tile, threadIdx.x)] = in_a ? a[place(row, shape.k, k_of_a)] : Real{0};
      tile_b[tile.word(in_tile, threadIdx.x)] = in_b ? b[place(k_of_b, shape.n, column)] : Real{0};
    }
    __syncthreads();
#pragma unroll
    for (std::uint32_t k = 0; k < side; k += wide) {
      Real of_a[outputs][wide];
#pragma unroll
      for (std::uint32_t i = 0; i < outputs; ++i) {
        unpack(*reinterpret_cast<const Wide*>(tile_a + tile.word(tile.row(threadIdx.y, i), k)), of_a[i]);
      }
#pragma unroll
      for (std::uint32_t j = 0; j < wide; ++j) {
        const Real of_b = tile_b[tile.word(k + j, threadIdx.x)];
#pragma unroll
        for (std::uint32_t i = 0; i < outputs; ++i) sum[i] = multiply_add(of_a[i][j], of_b, sum[i]);
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (std::uint32_t i = 0; i < outputs; ++i) {
    const std::uint32_t row = first_row + tile.row(threadIdx.y, i);
    if (row < shape.m && column < shape.n) c[place(row, shape.n, column)] = sum[i];
  }
}

}  // namespace gpumem::kernels
