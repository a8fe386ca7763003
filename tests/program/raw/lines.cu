// Kernels whose line table is read by tests: lines.cubin is this, compiled by `nvcc -lineinfo -cubin -arch=sm_90` in
// /tmp/source.
#include "lines.cuh"

__device__ __noinline__ float called(const float* p, int i) {
  return p[i * 7] * 3;  // a line of its own
}

__global__ void strided(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    const float x = in[i * 8];
    const float y = inlined(in, i);
    out[i] = x + y;
  }
}

template <class T>
__global__ void tile(const T* in, T* out) {
  __shared__ T words[32][32];
  words[threadIdx.x][threadIdx.y] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = words[threadIdx.y][threadIdx.x] + called(in, 4);
}
template __global__ void tile<float>(const float*, float*);
