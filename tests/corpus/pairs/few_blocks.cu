// Takes the square root of an array. The bad launch has 16 blocks of 128 threads, which leave most multiprocessors idle
// and have too few loads under way. The good one has a thread for every element.

#include "pair.hpp"

constexpr std::size_t elements = std::size_t{1} << 24;
constexpr int launches = 10;

__global__ void few_blocks_bad(float* to, const float* from) {
  for (std::size_t i = index(); i < elements; i += gridDim.x * std::size_t{blockDim.x}) to[i] = sqrtf(from[i]);
}

__global__ void few_blocks_good(float* to, const float* from) { to[index()] = sqrtf(from[index()]); }

int main() {
  Array<float> from(elements), to(elements);
  from.fill_below(1000);
  const auto bad = run("few_blocks_bad", launches, to, [&] { few_blocks_bad<<<16, 128>>>(to.get(), from.get()); });
  const auto good =
      run("few_blocks_good", launches, to, [&] { few_blocks_good<<<elements / 256, 256>>>(to.get(), from.get()); });
  return compare(bad, good);
}
