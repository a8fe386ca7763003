// Counts how often each of 16 values occurs among those of a thread. The bad kernel indexes a local array by the value,
// which the compiler has to keep in memory. The good one compares with all 16 values, and its counts stay in registers.

#include "pair.hpp"

constexpr int bins = 16, per_thread = 64, threads = 1 << 18, launches = 15;

__global__ void local_array_bad(unsigned char* to, const unsigned* from) {
  unsigned counts[bins] = {};
  for (int i = 0; i < per_thread; ++i) ++counts[from[std::size_t{threads} * i + index()] % bins];
  for (int bin = 0; bin < bins; ++bin)
    to[std::size_t{threads} * bin + index()] = static_cast<unsigned char>(counts[bin]);
}

__global__ void local_array_good(unsigned char* to, const unsigned* from) {
  unsigned counts[bins] = {};
  for (int i = 0; i < per_thread; ++i) {
    const unsigned value = from[std::size_t{threads} * i + index()] % bins;
#pragma unroll
    for (unsigned bin = 0; bin < bins; ++bin) counts[bin] += value == bin ? 1 : 0;
  }
#pragma unroll
  for (int bin = 0; bin < bins; ++bin)
    to[std::size_t{threads} * bin + index()] = static_cast<unsigned char>(counts[bin]);
}

int main() {
  Array<unsigned> from(std::size_t{threads} * per_thread);
  const Array<unsigned char> to(std::size_t{threads} * bins);
  from.fill_below(1 << 30);
  const auto bad =
      run("local_array_bad", launches, to, [&] { local_array_bad<<<threads / 256, 256>>>(to.get(), from.get()); });
  const auto good =
      run("local_array_good", launches, to, [&] { local_array_good<<<threads / 256, 256>>>(to.get(), from.get()); });
  return compare(bad, good);
}
