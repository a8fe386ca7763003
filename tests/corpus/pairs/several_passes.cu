// Applies six steps to each element of an array. The bad program has a kernel for each step, so that every value goes
// to memory and back five times. The good one keeps it in a register.

#include "pair.hpp"

constexpr std::size_t elements = std::size_t{1} << 26;
constexpr int launches = 10;

template <int step>
__host__ __device__ float stepped(float value) {
  if (step == 0) return value * 0.5f;
  if (step == 1) return value + 3;
  if (step == 2) return value < 100 ? 100 : value;
  if (step == 3) return value * 0.25f;
  if (step == 4) return value - 7;
  return value > 90 ? 90 : value;
}

template <int step>
__global__ void several_passes_bad(float* to, const float* from) {
  to[index()] = stepped<step>(from[index()]);
}

__global__ void several_passes_good(float* to, const float* from) {
  const float half = stepped<2>(stepped<1>(stepped<0>(from[index()])));
  to[index()] = stepped<5>(stepped<4>(stepped<3>(half)));
}

int main() {
  Array<float> from(elements), to(elements);
  from.fill_below(1000);
  constexpr unsigned blocks = elements / 256;
  const auto bad = run("several_passes_bad", launches, to, [&] {
    several_passes_bad<0><<<blocks, 256>>>(to.get(), from.get());
    several_passes_bad<1><<<blocks, 256>>>(to.get(), to.get());
    several_passes_bad<2><<<blocks, 256>>>(to.get(), to.get());
    several_passes_bad<3><<<blocks, 256>>>(to.get(), to.get());
    several_passes_bad<4><<<blocks, 256>>>(to.get(), to.get());
    several_passes_bad<5><<<blocks, 256>>>(to.get(), to.get());
  });
  const auto good =
      run("several_passes_good", launches, to, [&] { several_passes_good<<<blocks, 256>>>(to.get(), from.get()); });
  return compare(bad, good);
}
