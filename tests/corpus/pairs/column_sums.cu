// Sums each column of a matrix that is stored by rows. In the bad kernel a block walks down one column, so neighbouring
// lanes read a row apart. In the good one a thread has a column, and neighbouring lanes read neighbouring elements.

#include "pair.hpp"

constexpr int rows = 16384, columns = 4096, block_threads = 256, rows_per_block = 128, launches = 15;

__global__ void column_sums_bad(float* sums, const float* matrix) {
  __shared__ float of_threads[block_threads];
  const int column = blockIdx.x;
  float sum = 0;
  for (int row = threadIdx.x; row < rows; row += block_threads) sum += matrix[std::size_t{1} * row * columns + column];
  of_threads[threadIdx.x] = sum;
  __syncthreads();
  for (int half = block_threads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) of_threads[threadIdx.x] += of_threads[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(&sums[column], of_threads[0]);
}

__global__ void column_sums_good(float* sums, const float* matrix) {
  const int column = static_cast<int>(index());
  const int first = blockIdx.y * rows_per_block;
  float sum = 0;
  for (int row = first; row < first + rows_per_block; ++row) sum += matrix[std::size_t{1} * row * columns + column];
  atomicAdd(&sums[column], sum);
}

int main() {
  Array<float> matrix(std::size_t{1} * rows * columns), sums(columns);
  matrix.fill_below(16);
  const auto bad = run("column_sums_bad", launches, sums,
                       [&] { column_sums_bad<<<columns, block_threads>>>(sums.get(), matrix.get()); });
  const dim3 grid(columns / block_threads, rows / rows_per_block);
  const auto good = run("column_sums_good", launches, sums,
                        [&] { column_sums_good<<<grid, block_threads>>>(sums.get(), matrix.get()); });
  return compare(bad, good);
}
