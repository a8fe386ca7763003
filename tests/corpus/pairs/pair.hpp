#pragma once
// Shared by the pairs: checked calls, arrays on the GPU, data that is the same in every run, and a function that runs
// the bad and the good kernel one after the other. Each pair is a program of its own:
//
//   nvcc -std=c++17 -O3 -lineinfo -arch=sm_90 -o transpose tests/corpus/pairs/transpose.cu

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#define CHECK(call)                                                                        \
  do {                                                                                     \
    const cudaError_t status = (call);                                                     \
    if (status != cudaSuccess) {                                                           \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status)); \
      std::exit(1);                                                                        \
    }                                                                                      \
  } while (false)

__host__ __device__ inline std::uint32_t scrambled(std::uint32_t word) {
  word = (word ^ (word >> 15)) * 2246822519u;
  word = (word ^ (word >> 13)) * 3266489917u;
  return word ^ (word >> 16);
}

__device__ inline std::size_t index() { return blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; }

/// Blocks that give each of `count` items a thread.
inline unsigned blocks_for(std::size_t count, unsigned block_threads = 256) {
  return static_cast<unsigned>((count + block_threads - 1) / block_threads);
}

/// Whole numbers from 0 to `below` - 1, so that sums of moderate length are exact in any order.
template <typename T>
__global__ void fill(T* to, std::size_t count, std::uint32_t below) {
  if (index() < count) to[index()] = static_cast<T>(scrambled(static_cast<std::uint32_t>(index())) % below);
}

/// Memory of the GPU. Not copied, because a copy would be a second owner.
template <typename T>
class Array {
 public:
  explicit Array(std::size_t count) : count_(count) { CHECK(cudaMalloc(&data_, bytes())); }
  explicit Array(const std::vector<T>& from) : Array(from.size()) {
    CHECK(cudaMemcpy(data_, from.data(), bytes(), cudaMemcpyHostToDevice));
  }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  ~Array() { cudaFree(data_); }

  [[nodiscard]] T* get() const { return data_; }
  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] std::size_t bytes() const { return count_ * sizeof(T); }
  [[nodiscard]] std::vector<T> to_host() const {
    std::vector<T> host(count_);
    CHECK(cudaMemcpy(host.data(), data_, bytes(), cudaMemcpyDeviceToHost));
    return host;
  }
  /// Arrays of different lengths get different grids, so that a report tells them apart.
  void fill_below(std::uint32_t below) { fill<<<blocks_for(count_), 256>>>(data_, count_, below); }

 private:
  T* data_ = nullptr;
  std::size_t count_;
};

/// Launches the kernel `launches` times, prints what a launch took, and returns what `result` then holds. `result`
/// begins as zeros, so that what a kernel leaves out is seen.
template <typename T, typename Launch>
std::vector<T> run(const char* name, int launches, const Array<T>& result, Launch launch) {
  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  CHECK(cudaMemset(result.get(), 0, result.bytes()));
  CHECK(cudaEventRecord(start));
  for (int i = 0; i < launches; ++i) launch();
  CHECK(cudaGetLastError());
  CHECK(cudaEventRecord(stop));
  CHECK(cudaEventSynchronize(stop));
  float milliseconds = 0;
  CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
  std::printf("%s: %.4f ms a launch\n", name, static_cast<double>(milliseconds) / launches);
  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(stop));
  return result.to_host();
}

/// The program's exit code: 0 if both kernels gave the same up to rounding. A result of zeros alone is none.
template <typename T>
int compare(const std::vector<T>& bad, const std::vector<T>& good, double tolerance = 0) {
  bool any = false;
  for (std::size_t i = 0; i < bad.size(); ++i) {
    const double a = static_cast<double>(bad[i]), b = static_cast<double>(good[i]);
    any = any || a != 0;
    // Written so that a NaN differs, too.
    if (!(std::abs(a - b) <= tolerance * std::max(std::abs(a), std::abs(b)))) {
      std::fprintf(stderr, "element %zu: %g by the bad kernel, %g by the good one\n", i, a, b);
      return 1;
    }
  }
  if (bad.size() != good.size() || !any) std::fprintf(stderr, "no result to compare\n");
  return bad.size() == good.size() && any ? 0 : 1;
}
