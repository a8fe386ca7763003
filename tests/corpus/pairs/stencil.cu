// One step of heat flow on a plane: each cell and its four neighbours. In the bad kernel the lanes of a warp lie below
// each other, a row of 36 KB apart; in the good one beside each other. Everything else is the same.

#include "pair.hpp"

constexpr int width = 9216, height = 8192, launches = 15;

__device__ void step(float* to, const float* from, int x, int y) {
  if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
  const std::size_t i = std::size_t{1} * y * width + x;
  to[i] = from[i] + 0.125f * (from[i - 1] + from[i + 1] + from[i - width] + from[i + width] - 4 * from[i]);
}

__global__ void stencil_bad(float* to, const float* from) {
  step(to, from, blockIdx.y * blockDim.y + threadIdx.y, blockIdx.x * blockDim.x + threadIdx.x);
}

__global__ void stencil_good(float* to, const float* from) {
  step(to, from, blockIdx.x * blockDim.x + threadIdx.x, blockIdx.y * blockDim.y + threadIdx.y);
}

int main() {
  Array<float> from(std::size_t{1} * width * height), to(from.count());
  from.fill_below(1000);
  const dim3 block(32, 8);
  const auto bad = run("stencil_bad", launches, to,
                       [&] { stencil_bad<<<dim3(height / 32, width / 8), block>>>(to.get(), from.get()); });
  const auto good = run("stencil_good", launches, to,
                        [&] { stencil_good<<<dim3(width / 32, height / 8), block>>>(to.get(), from.get()); });
  return compare(bad, good);
}
