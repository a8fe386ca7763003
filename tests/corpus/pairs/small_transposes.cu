// Transposes a batch of 32 x 32 matrices, a block each, through shared memory. The bad tile has rows of 32 words, so
// all lanes that read a column meet in one bank. The good tile has rows of 33 words.

#include "pair.hpp"

constexpr int size = 32, matrices = 1 << 15, launches = 15;

__global__ void small_transposes_bad(float* to, const float* from) {
  __shared__ float tile[size][size];
  const std::size_t first = blockIdx.x * std::size_t{size * size};
  for (int y = threadIdx.y; y < size; y += blockDim.y) tile[y][threadIdx.x] = from[first + y * size + threadIdx.x];
  __syncthreads();
  for (int y = threadIdx.y; y < size; y += blockDim.y) to[first + y * size + threadIdx.x] = tile[threadIdx.x][y];
}

__global__ void small_transposes_good(float* to, const float* from) {
  __shared__ float tile[size][size + 1];
  const std::size_t first = blockIdx.x * std::size_t{size * size};
  for (int y = threadIdx.y; y < size; y += blockDim.y) tile[y][threadIdx.x] = from[first + y * size + threadIdx.x];
  __syncthreads();
  for (int y = threadIdx.y; y < size; y += blockDim.y) to[first + y * size + threadIdx.x] = tile[threadIdx.x][y];
}

int main() {
  Array<float> from(std::size_t{matrices} * size * size), to(from.count());
  from.fill_below(1 << 20);
  const dim3 block(size, 8);
  const auto bad = run("small_transposes_bad", launches, to,
                       [&] { small_transposes_bad<<<matrices, block>>>(to.get(), from.get()); });
  const auto good = run("small_transposes_good", launches, to,
                        [&] { small_transposes_good<<<matrices, block>>>(to.get(), from.get()); });
  return compare(bad, good);
}
