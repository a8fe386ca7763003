// A small table of each thread that is indexed by data lies in local memory.
#include "repeat.cuh"

constexpr int entries = 32;
constexpr int threads = 64;
constexpr std::size_t items = std::size_t{1} << 22;

#define ENTRY(k) table[k]
// cure table_in_shared: #define ENTRY(k) table[k][threadIdx.x]

__global__ void look_up(const unsigned* key, float* out) {
  const std::size_t i = std::size_t{blockIdx.x} * threads + threadIdx.x;
  float table[entries];
  // cure table_in_shared: __shared__ float table[entries][threads];
  for (int k = 0; k < entries; ++k) ENTRY(k) = static_cast<float>(key[(i + k) % items]);
  float sum = 0;
  unsigned place = key[i] % entries;
  for (int step = 0; step < 64; ++step) {
    ENTRY(place) += 1;
    sum += ENTRY(place);
    place = (place * 5 + static_cast<unsigned>(sum)) % entries;
  }
  out[i] = sum;
}

int main() {
  const unsigned* key = filled<unsigned>(items, 1000);
  float* out = nullptr;
  cudaMalloc(&out, sizeof(float) * items);
  repeat([&] { look_up<<<items / threads, threads>>>(key, out); });
  checksum(out, items);
}
