// Votes for 64 candidates, each by an atomic in device memory.
#include "repeat.cuh"

constexpr int candidates = 64;
constexpr std::size_t votes = std::size_t{1} << 25;

__global__ void count(const unsigned* choice, unsigned* counts) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  atomicAdd(&counts[choice[i]], 1U);
  // cure combine_in_block: __shared__ unsigned own[candidates];
  // cure combine_in_block: if (threadIdx.x < candidates) own[threadIdx.x] = 0;
  // cure combine_in_block: __syncthreads();
  // cure combine_in_block: atomicAdd(&own[choice[i]], 1U);
  // cure combine_in_block: __syncthreads();
  // cure combine_in_block: if (threadIdx.x < candidates) atomicAdd(&counts[threadIdx.x], own[threadIdx.x]);
}

int main() {
  const unsigned* choice = filled<unsigned>(votes, candidates);
  unsigned* counts = nullptr;
  cudaMalloc(&counts, sizeof(unsigned) * candidates);
  cudaMemset(counts, 0, sizeof(unsigned) * candidates);
  repeat([&] { count<<<votes / 1024, 1024>>>(choice, counts); });
  checksum(counts, candidates);
}
