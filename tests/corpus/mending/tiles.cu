// Tiles of a matrix turned in shared memory, eight times over: a warp reads a column, whose words share a bank.
#include "repeat.cuh"

constexpr int side = 8192;
constexpr int tile_side = 32;

__global__ void turn(const float* in, float* out) {
  __shared__ float tile[tile_side][tile_side];
  // cure pad_rows: __shared__ float tile[tile_side][tile_side + 1];
  const int x = blockIdx.x * tile_side + threadIdx.x;
  for (int row = threadIdx.y; row < tile_side; row += 8)
    tile[row][threadIdx.x] = in[(blockIdx.y * tile_side + row) * side + x];
  __syncthreads();
  const int across = blockIdx.y * tile_side + threadIdx.x;
  for (int row = threadIdx.y; row < tile_side; row += 8) {
    float sum = 0;
    for (int turned = 0; turned < 4; ++turned) sum += tile[threadIdx.x][(row + turned) % tile_side];
    out[(blockIdx.x * tile_side + row) * side + across] = sum;
  }
}

int main() {
  const float* in = filled<float>(std::size_t{side} * side, 100);
  float* out = nullptr;
  cudaMalloc(&out, sizeof(float) * side * side);
  repeat([&] { turn<<<dim3(side / tile_side, side / tile_side), dim3(tile_side, 8)>>>(in, out); });
  checksum(out, std::size_t{side} * side);
}
