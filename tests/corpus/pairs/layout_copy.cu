// Adds up the columns of a matrix that is stored by rows. The bad program first transposes the matrix, so that its next
// kernel finds each column side by side. The good one reads the matrix as it is: neighbouring threads have neighbouring
// columns.

#include "pair.hpp"

constexpr int rows = 1 << 10, columns = 1 << 16, launches = 10, tile = 32;

/// Transposes through a tile whose rows are padded, so that loads, stores and shared memory are as good as they can be.
__global__ void layout_copy_bad(float* copy, const float* matrix) {
  __shared__ float values[tile][tile + 1];
  const int row = blockIdx.y * tile, column = blockIdx.x * tile;
  for (int i = threadIdx.y; i < tile; i += blockDim.y) {
    values[i][threadIdx.x] = matrix[std::size_t{columns} * (row + i) + column + threadIdx.x];
  }
  __syncthreads();
  for (int i = threadIdx.y; i < tile; i += blockDim.y) {
    copy[std::size_t{rows} * (column + i) + row + threadIdx.x] = values[threadIdx.x][i];
  }
}

/// Adds up the rows of the copy, a warp a row.
__global__ void layout_copy_bad(float* sums, const float* copy, int length) {
  const std::size_t row = index() / 32;
  float sum = 0;
  for (int i = threadIdx.x % 32; i < length; i += 32) sum += copy[row * length + i];
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(~0u, sum, distance);
  if (threadIdx.x % 32 == 0) sums[row] = sum;
}

__global__ void layout_copy_good(float* sums, const float* matrix) {
  float sum = 0;
#pragma unroll 8
  for (int row = 0; row < rows; ++row) sum += matrix[std::size_t{columns} * row + index()];
  sums[index()] = sum;
}

int main() {
  Array<float> matrix(std::size_t{rows} * columns), copy(matrix.count()), sums(columns);
  matrix.fill_below(1000);
  const auto bad = run("layout_copy_bad", launches, sums, [&] {
    layout_copy_bad<<<dim3(columns / tile, rows / tile), dim3(tile, 8)>>>(copy.get(), matrix.get());
    layout_copy_bad<<<columns / 8, 256>>>(sums.get(), copy.get(), rows);
  });
  const auto good = run("layout_copy_good", launches, sums,
                        [&] { layout_copy_good<<<columns / 128, 128>>>(sums.get(), matrix.get()); });
  return compare(bad, good);
}
