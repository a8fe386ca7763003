// Transposes a matrix. The bad kernel stores down a column, so the 32 lanes of a store touch 32 sectors. The good one
// turns a tile in shared memory and stores along rows.

#include "pair.hpp"

constexpr int rows = 6144, columns = 10240, tile = 32, launches = 15;

__global__ void transpose_bad(float* to, const float* from) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  to[std::size_t{1} * column * rows + row] = from[std::size_t{1} * row * columns + column];
}

__global__ void transpose_good(float* to, const float* from) {
  __shared__ float words[tile][tile + 1];
  const int first_column = blockIdx.x * tile, first_row = blockIdx.y * tile;
  for (int y = threadIdx.y; y < tile; y += blockDim.y) {
    words[y][threadIdx.x] = from[std::size_t{1} * (first_row + y) * columns + first_column + threadIdx.x];
  }
  __syncthreads();
  for (int y = threadIdx.y; y < tile; y += blockDim.y) {
    to[std::size_t{1} * (first_column + y) * rows + first_row + threadIdx.x] = words[threadIdx.x][y];
  }
}

int main() {
  Array<float> from(std::size_t{1} * rows * columns), to(from.count());
  from.fill_below(1 << 20);
  const dim3 block(32, 8);
  const auto bad = run("transpose_bad", launches, to,
                       [&] { transpose_bad<<<dim3(columns / 32, rows / 8), block>>>(to.get(), from.get()); });
  const auto good = run("transpose_good", launches, to,
                        [&] { transpose_good<<<dim3(columns / tile, rows / tile), block>>>(to.get(), from.get()); });
  return compare(bad, good);
}
