#pragma once
// C = A x B with 8 x 8 outputs of a thread in registers. A thread makes 64 multiplications of every 16 elements that it
// reads from shared memory, and meanwhile the next tiles are on their way.

#include <cstdint>

#include "probes/kernels/matmul/matmul_kernels.cuh"

namespace gpumem::kernels {

/// One thread's share of the next tiles in product_in_registers(). load() brings it from global memory into registers;
/// store() puts it into shared memory when the present tiles are used up.
template <class Real, class Word>
struct NextTiles {
  using Block = RegisterBlock<sizeof(Real)>;
  static constexpr std::uint32_t width = sizeof(Word) / sizeof(Real);
  static constexpr std::uint32_t words = Block::words(width);

  Word of_a[words];
  Word of_b[words];

  __device__ void load(const Real* __restrict__ a, const Real* __restrict__ b, const ProductShape& shape,
                       std::uint32_t first_k) {
#pragma unroll
    for (std::uint32_t i = 0; i < words; ++i) {
      const std::uint32_t word = i * Block::threads + threadIdx.x;
      const std::uint32_t row = blockIdx.y * Block::side + Block::row_in_a(word, width);
      const std::uint32_t k_of_a = first_k + Block::column_in_a(word, width);
      const bool in_a = row < shape.m && k_of_a < shape.k;
      of_a[i] = in_a ? *reinterpret_cast<const Word*>(a + place(row, shape.k, k_of_a)) : Word{};
      const std::uint32_t k_of_b = first_k + Block::row_in_b(word, width);
      const std::uint32_t column = blockIdx.x * Block::side + Block::column_in_b(word, width);
      const bool in_b = k_of_b < shape.k && column < shape.n;
      of_b[i] = in_b ? *reinterpret_cast<const Word*>(b + place(k_of_b, shape.n, column)) : Word{};
    }
  }

  __device__ void store(Real* tile_a, Real* tile_b) const {
#pragma unroll
    for (std::uint32_t i = 0; i < words; ++i) {
      const std::uint32_t word = i * Block::threads + threadIdx.x;
      Real values[width];
      unpack(of_a[i], values);
#pragma unroll
      for (std::uint32_t e = 0; e < width; ++e) {
        tile_a[Block::place_in_a(Block::row_in_a(word, width), Block::column_in_a(word, width) + e)] = values[e];
      }
      const std::uint32_t in_b = Block::place_in_b(Block::row_in_b(word, width), Block::column_in_b(word, width));
      *reinterpret_cast<Word*>(tile_b + in_b) = of_b[i];
    }
  }
};

/// A thread moves one `Word` at a time from and to global memory.
template <class Real, class Word>
__global__ void __launch_bounds__(RegisterBlock<sizeof(Real)>::threads,
                                  RegisterBlock<sizeof(Real)>::blocks_per_multiprocessor)
    product_in_registers(const Real* __restrict__ a, const Real* __restrict__ b, Real* __restrict__ c,
                         ProductShape shape) {
  using Block = RegisterBlock<sizeof(Real)>;
  using Wide = typename WideWord<Real>::type;
  constexpr std::uint32_t outputs = Block::outputs;
  constexpr std::uint32_t group = Block::group;
  __shared__ alignas(wide_bytes) Real tile_a[2][Block::depth * Block::pitch];
  __shared__ alignas(wide_bytes) Real tile_b[2][Block::depth * Block::side];
  Real sum[outputs][outputs] = {};

  NextTiles<Real, Word> next;
  next.load(a, b, shape, 0);
  next.store(tile_a[0], tile_b[0]);
  __syncthreads();
  std::uint32_t buffer = 0;
#pragma unroll 1
  for (std::uint32_t first = 0; first < shape.k; first += Block::depth) {
    const bool more = first + Block::depth < shape.k;
    if (more) next.load(a, b, shape, first + Block::depth);
    const Real* const of_a = tile_a[buffer];
    const Real* const of_b = tile_b[buffer];
#pragma unroll
    for (std::uint32_t k = 0; k < Block::depth; ++k) {
      Real column[outputs];
      Real row[outputs];
#pragma unroll
      for (std::uint32_t square = 0; square < Block::groups; ++square) {
        const std::uint32_t in_a = Block::place_in_a(Block::row(threadIdx.x, square), k);
        const std::uint32_t in_b = Block::place_in_b(k, Block::column(threadIdx.x, square));
        unpack(*reinterpret_cast<const Wide*>(of_a + in_a), column + square * group);
        unpack(*reinterpret_cast<const Wide*>(of_b + in_b), row + square * group);
      }
#pragma unroll
      for (std::uint32_t i = 0; i < outputs; ++i) {
#pragma unroll
        for (std::uint32_t j = 0; j < outputs; ++j) sum[i][j] = multiply_add(column[i], row[j], sum[i][j]);
      }
    }
    buffer ^= 1U;  // nobody reads the other one any more: all have passed the barrier after its use
    if (more) next.store(tile_a[buffer], tile_b[buffer]);
    __syncthreads();
  }

  constexpr std::uint32_t width = sizeof(Word) / sizeof(Real);
#pragma unroll
  for (std::uint32_t i = 0; i < outputs; ++i) {
    const std::uint32_t row = blockIdx.y * Block::side + Block::row(threadIdx.x, i / group) + i % group;
#pragma unroll
    for (std::uint32_t j = 0; j < outputs; j += width) {
      const std::uint32_t column = blockIdx.x * Block::side + Block::column(threadIdx.x, j / group) + j % group;
      if (row >= shape.m || column >= shape.n) continue;
      Word word;
      pack(sum[i] + j, word);
      *reinterpret_cast<Word*>(c + place(row, shape.n, column)) = word;
    }
  }
}

}  // namespace gpumem::kernels
