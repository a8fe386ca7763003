// Multiplies many vectors by one matrix of 1 MiB, which L2 holds and L1 does not. A block of the bad kernel has one
// vector, so each block loads the whole matrix from L2 for it. A block of the good one has eight vectors, and uses what
// it loads eight times.

#include "pair.hpp"

constexpr int rows = 1024, columns = 256, launches = 10;  // a thread a row of the matrix, which is stored by columns
constexpr int vectors = 132 * 16;

template <int of_block>
__device__ void multiply(float* to, const float* matrix, const float* from) {
  __shared__ float values[columns][of_block];
  const std::size_t first = std::size_t{blockIdx.x} * of_block;
  for (int i = threadIdx.x; i < columns * of_block; i += rows) {
    values[i % columns][i / columns] = from[(first + i / columns) * columns + i % columns];
  }
  __syncthreads();
  float sums[of_block] = {};
#pragma unroll 16
  for (int column = 0; column < columns; ++column) {
    const float element = matrix[column * rows + threadIdx.x];
    for (int i = 0; i < of_block; ++i) sums[i] += element * values[column][i];
  }
  for (int i = 0; i < of_block; ++i) to[(first + i) * rows + threadIdx.x] = sums[i];
}

__global__ void __launch_bounds__(rows) block_reloads_bad(float* to, const float* matrix, const float* from) {
  multiply<1>(to, matrix, from);
}

__global__ void __launch_bounds__(rows) block_reloads_good(float* to, const float* matrix, const float* from) {
  multiply<8>(to, matrix, from);
}

int main() {
  Array<float> matrix(std::size_t{rows} * columns), from(std::size_t{vectors} * columns);
  Array<float> to(std::size_t{vectors} * rows);
  matrix.fill_below(16);
  from.fill_below(16);
  const auto bad = run("block_reloads_bad", launches, to,
                       [&] { block_reloads_bad<<<vectors, rows>>>(to.get(), matrix.get(), from.get()); });
  const auto good = run("block_reloads_good", launches, to,
                        [&] { block_reloads_good<<<vectors / 8, rows>>>(to.get(), matrix.get(), from.get()); });
  return compare(bad, good);
}
