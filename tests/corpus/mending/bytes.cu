// Pixels of a byte, a thread each.
#include "repeat.cuh"

constexpr std::size_t pixels = std::size_t{1} << 28;
using Word = unsigned char;
// cure wider_words: using Word = uint4;

__device__ unsigned char inverted(unsigned char value) { return 255 - value; }
__device__ unsigned inverted(unsigned value) { return ~value; }
__device__ uint4 inverted(uint4 value) {
  return {inverted(value.x), inverted(value.y), inverted(value.z), inverted(value.w)};
}

__global__ void invert(const Word* in, Word* out) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  out[i] = inverted(in[i]);
}

int main() {
  const unsigned char* in = filled<unsigned char>(pixels, 256);
  unsigned char* out = nullptr;
  cudaMalloc(&out, pixels);
  const unsigned blocks = static_cast<unsigned>(pixels / sizeof(Word) / 256);
  repeat([&] { invert<<<blocks, 256>>>(reinterpret_cast<const Word*>(in), reinterpret_cast<Word*>(out)); });
  checksum(out, pixels);
}
