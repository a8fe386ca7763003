// Looks up a value for each index in a table of 48 KiB, which each block loads into shared memory. A block of the bad
// launch looks up one value a thread, so the table comes from L2 16,384 times. The good launch has as many blocks as an
// H100 holds at once, which loop.

#include "pair.hpp"

constexpr std::size_t elements = std::size_t{1} << 22;
constexpr int words = 3072, launches = 10;  // of 16 bytes
constexpr unsigned threads = 256, resident = 132 * 4;

__device__ void look_up(float* to, const float4* table, const std::uint32_t* indices) {
  __shared__ float4 copy[words];
  // As asynchronous copies do, these loads pass L1.
#pragma unroll
  for (int i = 0; i < words / static_cast<int>(threads); ++i) {
    copy[threadIdx.x + i * threads] = __ldcg(&table[threadIdx.x + i * threads]);
  }
  __syncthreads();
  const float* values = reinterpret_cast<const float*>(copy);
  for (std::size_t i = index(); i < elements; i += gridDim.x * std::size_t{blockDim.x}) to[i] = values[indices[i]];
}

__global__ void block_tables_bad(float* to, const float4* table, const std::uint32_t* indices) {
  look_up(to, table, indices);
}

__global__ void block_tables_good(float* to, const float4* table, const std::uint32_t* indices) {
  look_up(to, table, indices);
}

int main() {
  std::vector<float4> values(words);
  for (int i = 0; i < words; ++i) {
    const auto first = static_cast<float>(4 * i);
    values[i] = {first, first + 1, first + 2, first + 3};
  }
  const Array<float4> table(values);
  Array<std::uint32_t> indices(elements);
  Array<float> to(elements);
  indices.fill_below(4 * words);
  const auto bad = run("block_tables_bad", launches, to, [&] {
    block_tables_bad<<<elements / threads, threads>>>(to.get(), table.get(), indices.get());
  });
  const auto good = run("block_tables_good", launches, to,
                        [&] { block_tables_good<<<resident, threads>>>(to.get(), table.get(), indices.get()); });
  return compare(bad, good);
}
