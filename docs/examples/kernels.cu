// Kernels that use memory well and badly, for `gpumem run`:
//
//   nvcc -O3 -lineinfo -o kernels docs/examples/kernels.cu
//   gpumem run -- ./kernels

#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int rows = 8192;
constexpr std::size_t elements = std::size_t{rows} * rows;
constexpr int tile = 32;
constexpr int tile_step = 8;
constexpr unsigned bins = 256;

struct Particle {
  float x, y, z, vx, vy, vz, mass, charge;
};

__device__ std::size_t index() { return blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; }

__global__ void fill(float* to) { to[index()] = static_cast<float>((index() * 2654435761u) & 0xffff); }

__global__ void copy(float* to, const float* from) { to[index()] = from[index()]; }

__global__ void copy_shifted(float* to, const float* from) {
  if (index() + 1 < elements) to[index() + 1] = from[index() + 1];
}

__global__ void copy_strided(float* to, const float* from, int stride) {
  to[index() * stride] = from[index() * stride];
}

__global__ void move_particles(Particle* particles) { particles[index()].x += particles[index()].vx; }

__global__ void transpose_naive(float* to, const float* from) {
  const int x = blockIdx.x * tile + threadIdx.x;
  const int y = blockIdx.y * tile + threadIdx.y;
  for (int j = 0; j < tile; j += tile_step) {
    to[static_cast<std::size_t>(x) * rows + y + j] = from[static_cast<std::size_t>(y + j) * rows + x];
  }
}

template <int padding>
__global__ void transpose_tile(float* to, const float* from) {
  __shared__ float words[tile][tile + padding];
  int x = blockIdx.x * tile + threadIdx.x;
  int y = blockIdx.y * tile + threadIdx.y;
  for (int j = 0; j < tile; j += tile_step) {
    words[threadIdx.y + j][threadIdx.x] = from[static_cast<std::size_t>(y + j) * rows + x];
  }
  __syncthreads();
  x = blockIdx.y * tile + threadIdx.x;
  y = blockIdx.x * tile + threadIdx.y;
  for (int j = 0; j < tile; j += tile_step) {
    to[static_cast<std::size_t>(y + j) * rows + x] = words[threadIdx.x][threadIdx.y + j];
  }
}

/// An array cannot stay in registers if the compiler does not know its indices.
__global__ void local_array(float* to, const int* which) {
  float values[64];
  for (int k = 0; k < 64; ++k) values[k] = static_cast<float>(k * index());
  float sum = 0;
  for (int k = 0; k < 16; ++k) sum += values[which[k] & 63];
  to[index()] = sum;
}

__global__ void histogram(unsigned* counts, const float* from) {
  atomicAdd(&counts[static_cast<unsigned>(from[index()]) % bins], 1u);
}

// GeLU by its approximation with tanh, in steps as a framework takes them one by one, and as one.
constexpr float scale = 0.7978845608f;
constexpr float cubic = 0.044715f;
__device__ float inner(float x) { return scale * (x + cubic * x * x * x); }

__global__ void gelu_inner(float* to, const float* from) { to[index()] = inner(from[index()]); }
__global__ void gelu_tanh(float* to, const float* from) { to[index()] = tanhf(from[index()]); }
__global__ void gelu_product(float* to, const float* from, const float* x) {
  to[index()] = x[index()] * (from[index()] + 1);
}
__global__ void gelu_half(float* to, const float* from) { to[index()] = from[index()] / 2; }
__global__ void gelu_fused(float* to, const float* from) {
  const float x = from[index()];
  to[index()] = x * (tanhf(inner(x)) + 1) / 2;
}

template <class Value>
Value* on_device(std::size_t count) {
  Value* memory = nullptr;
  if (cudaMalloc(&memory, count * sizeof(Value)) != cudaSuccess) return nullptr;
  return cudaMemset(memory, 0, count * sizeof(Value)) == cudaSuccess ? memory : nullptr;
}

int main() {
  auto* a = on_device<float>(elements);
  auto* b = on_device<float>(elements);
  auto* c = on_device<float>(elements);
  auto* counts = on_device<unsigned>(bins);
  auto* which = on_device<int>(16);
  constexpr unsigned block = 256;
  constexpr unsigned grid = elements / block;
  const dim3 tiles(rows / tile, rows / tile);
  const dim3 tile_threads(tile, tile_step);
  fill<<<grid, block>>>(a);
  for (int repetition = 0; repetition < 10; ++repetition) {
    copy<<<grid, block>>>(b, a);
    copy_shifted<<<grid, block>>>(b, a);
    copy_strided<<<grid / 8, block>>>(b, a, 8);
    move_particles<<<grid / 8, block>>>(reinterpret_cast<Particle*>(c));
    transpose_naive<<<tiles, tile_threads>>>(b, a);
    transpose_tile<0><<<tiles, tile_threads>>>(b, a);
    transpose_tile<1><<<tiles, tile_threads>>>(b, a);
    local_array<<<4096, block>>>(c, which);
    histogram<<<grid / 16, block>>>(counts, a);
    gelu_inner<<<grid, block>>>(c, a);
    gelu_tanh<<<grid, block>>>(c, c);
    gelu_product<<<grid, block>>>(c, c, a);
    gelu_half<<<grid, block>>>(c, c);
    gelu_fused<<<grid, block>>>(c, a);
  }
  std::vector<float> transposed(elements);
  if (cudaMemcpy(transposed.data(), b, elements * sizeof(float), cudaMemcpyDeviceToHost) != cudaSuccess) {
    std::fprintf(stderr, "%s\n", cudaGetErrorString(cudaGetLastError()));
    return 1;
  }
  std::uint64_t sum = 0;
  for (const float value : transposed) sum = sum * 31 + static_cast<std::uint64_t>(value);
  std::printf("%016llx\n", static_cast<unsigned long long>(sum));
  return 0;
}
