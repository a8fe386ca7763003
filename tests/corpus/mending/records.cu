// One member of each of many records of 64 bytes is read.
#include "repeat.cuh"

struct Record {
  float member[16];
};
constexpr std::size_t records = std::size_t{1} << 24;
constexpr std::size_t stride = 16;  // floats from one record's member to the next one's
// cure structure_of_arrays: constexpr std::size_t stride = 1;  // an array for each member
// cure transpose_through_shared: constexpr std::size_t stride = 1;  // an array for each member

__global__ void scale(const float* member, float* out) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  out[i] = 2 * member[i * stride];
}

int main() {
  const float* all = filled<float>(records * 16, 1);
  float* out = nullptr;
  cudaMalloc(&out, sizeof(float) * records);
  repeat([&] { scale<<<records / 256, 256>>>(all, out); });
  checksum(out, records);
}
