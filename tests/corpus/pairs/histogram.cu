// Counts how often each of 1024 values occurs. The bad kernel adds to global memory for every value, where all threads
// meet at 4 KiB. The good one counts in shared memory and adds each block's counts once.

#include "pair.hpp"

constexpr std::size_t values = std::size_t{1} << 24;
constexpr int bins = 1024, blocks = 528, block_threads = 512, launches = 10;

__global__ void histogram_bad(const unsigned* from, unsigned* counts) {
  for (std::size_t i = index(); i < values; i += blocks * block_threads) atomicAdd(&counts[from[i]], 1u);
}

__global__ void histogram_good(const unsigned* from, unsigned* counts) {
  __shared__ unsigned of_block[bins];
  for (int bin = threadIdx.x; bin < bins; bin += block_threads) of_block[bin] = 0;
  __syncthreads();
  for (std::size_t i = index(); i < values; i += blocks * block_threads) atomicAdd(&of_block[from[i]], 1u);
  __syncthreads();
  for (int bin = threadIdx.x; bin < bins; bin += block_threads) atomicAdd(&counts[bin], of_block[bin]);
}

int main() {
  Array<unsigned> from(values), counts(bins);
  from.fill_below(bins);
  const auto bad = run("histogram_bad", launches, counts,
                       [&] { histogram_bad<<<blocks, block_threads>>>(from.get(), counts.get()); });
  const auto good = run("histogram_good", launches, counts,
                        [&] { histogram_good<<<blocks, block_threads>>>(from.get(), counts.get()); });
  return compare(bad, good);
}
