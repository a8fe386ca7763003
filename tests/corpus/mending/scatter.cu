// Words stored in a random order.
#include <algorithm>
#include <numeric>
#include <random>

#include "repeat.cuh"

constexpr unsigned words = 1U << 25;

__global__ void permute(const unsigned* place, const float* in, float* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[place[i]] = in[i];
  // cure gather_instead_of_scatter: out[i] = in[place[i]];
}

int main() {
  std::vector<unsigned> place(words);
  std::iota(place.begin(), place.end(), 0U);
  std::shuffle(place.begin(), place.end(), std::mt19937(1));
  std::vector<float> values(words);
  for (unsigned i = 0; i < words; ++i) values[i] = static_cast<float>(i % 1000);
  std::vector<unsigned> used = place;
  // cure gather_instead_of_scatter: std::vector<unsigned> used(words);
  // cure gather_instead_of_scatter: for (unsigned i = 0; i < words; ++i) used[place[i]] = i;
  unsigned* places = nullptr;
  float* in = nullptr;
  float* out = nullptr;
  cudaMalloc(&places, sizeof(unsigned) * words);
  cudaMalloc(&in, sizeof(float) * words);
  cudaMalloc(&out, sizeof(float) * words);
  cudaMemcpy(places, used.data(), sizeof(unsigned) * words, cudaMemcpyHostToDevice);
  cudaMemcpy(in, values.data(), sizeof(float) * words, cudaMemcpyHostToDevice);
  repeat([&] { permute<<<words / 256, 256>>>(places, in, out); });
  checksum(out, words);
}
