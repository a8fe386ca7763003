// y = a x + y, four elements a thread. The bad kernel takes them one by one, so neighbouring lanes are four words apart
// and each request touches four times the sectors that it uses. The good one takes all four as one word of 16 bytes.

#include "pair.hpp"

constexpr std::size_t elements = std::size_t{1} << 26;
constexpr int per_thread = 4, launches = 20;
constexpr float a = 0.5f;

__global__ void vector_words_bad(float* y, const float* x) {
  const std::size_t first = index() * per_thread;
  for (int i = 0; i < per_thread; ++i) y[first + i] += a * x[first + i];
}

__global__ void vector_words_good(float4* y, const float4* x) {
  const float4 by = x[index()];
  float4 sum = y[index()];
  sum.x += a * by.x;
  sum.y += a * by.y;
  sum.z += a * by.z;
  sum.w += a * by.w;
  y[index()] = sum;
}

int main() {
  Array<float> x(elements), y(elements);
  x.fill_below(1000);
  constexpr unsigned block_threads = 256, blocks = elements / per_thread / block_threads;
  const auto bad =
      run("vector_words_bad", launches, y, [&] { vector_words_bad<<<blocks, block_threads>>>(y.get(), x.get()); });
  const auto good = run("vector_words_good", launches, y, [&] {
    vector_words_good<<<blocks, block_threads>>>(reinterpret_cast<float4*>(y.get()),
                                                 reinterpret_cast<const float4*>(x.get()));
  });
  return compare(bad, good);
}
