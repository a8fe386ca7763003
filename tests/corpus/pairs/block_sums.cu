// Adds up the values of each block in shared memory, step by step. The threads of the bad kernel work on words that lie
// ever further apart, so more and more of them meet in one bank. The threads of the good kernel work on neighbouring
// words.

#include "pair.hpp"

constexpr int block_threads = 256, blocks = 1 << 17, launches = 15;

__global__ void block_sums_bad(float* sums, const float* from) {
  __shared__ float words[block_threads];
  words[threadIdx.x] = from[index()];
  for (int apart = 1; apart < block_threads; apart *= 2) {
    __syncthreads();
    const int at = 2 * apart * threadIdx.x;
    if (at < block_threads) words[at] += words[at + apart];
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = words[0];
}

__global__ void block_sums_good(float* sums, const float* from) {
  __shared__ float words[block_threads];
  words[threadIdx.x] = from[index()];
  for (int half = block_threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) words[threadIdx.x] += words[threadIdx.x + half];
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = words[0];
}

int main() {
  Array<float> from(std::size_t{blocks} * block_threads), sums(blocks);
  from.fill_below(1000);
  const auto bad =
      run("block_sums_bad", launches, sums, [&] { block_sums_bad<<<blocks, block_threads>>>(sums.get(), from.get()); });
  const auto good = run("block_sums_good", launches, sums,
                        [&] { block_sums_good<<<blocks, block_threads>>>(sums.get(), from.get()); });
  return compare(bad, good);
}
