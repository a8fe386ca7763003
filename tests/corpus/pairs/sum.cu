// Adds up an array, two elements a thread. In the bad kernel every thread adds to the one result with an atomic
// operation, and L2 takes these one after the other. In the good one a block adds up its own values first.

#include "pair.hpp"

constexpr std::size_t elements = std::size_t{1} << 24;
constexpr int block_threads = 256, launches = 10;

__device__ double of_thread(const float* from) { return from[index()] + from[elements / 2 + index()]; }

__global__ void sum_bad(double* total, const float* from) { atomicAdd(total, of_thread(from)); }

__global__ void sum_good(double* total, const float* from) {
  __shared__ double of_warps[block_threads / 32];
  double sum = of_thread(from);
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(~0u, sum, distance);
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x > 0) return;
  for (int warp = 1; warp < block_threads / 32; ++warp) sum += of_warps[warp];
  atomicAdd(total, sum);
}

int main() {
  Array<float> from(elements);
  const Array<double> total(1);
  from.fill_below(1000);
  constexpr unsigned blocks = elements / 2 / block_threads;
  const auto bad =
      run("sum_bad", launches, total, [&] { sum_bad<<<blocks, block_threads>>>(total.get(), from.get()); });
  const auto good =
      run("sum_good", launches, total, [&] { sum_good<<<blocks, block_threads>>>(total.get(), from.get()); });
  return compare(bad, good);
}
