// Instructions of compute capability 9.0 that move blocks of memory, each in a kernel of its own, for what is seen of
// them to be held against arithmetic and counters. Prints nothing but errors.

#include <cooperative_groups.h>
#include <cuda.h>

#include <cstdio>
#include <cstdlib>
#include <cuda/barrier>

namespace {

namespace experimental = cuda::device::experimental;
using Barrier = cuda::barrier<cuda::thread_scope_block>;

constexpr unsigned width = 1024;  // of a matrix of floats
constexpr unsigned box_width = 64;
constexpr unsigned box_height = 32;
constexpr unsigned threads = 128;

void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::printf("%s\n", cudaGetErrorString(status));
  std::exit(5);
}

__device__ unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

__device__ void wait_for_bytes(Barrier& barrier, unsigned bytes) {
  Barrier::arrival_token token = cuda::device::barrier_arrive_tx(barrier, 1, bytes);
  barrier.wait(std::move(token));
}

/// Each block loads a box; the last ones of a row and column lie half outside of the tensor.
__global__ void tensor_load(const __grid_constant__ CUtensorMap map) {
  __shared__ alignas(128) float tile[box_height][box_width];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ Barrier barrier;
  if (threadIdx.x != 0) return;
  init(&barrier, 1);
  experimental::fence_proxy_async_shared_cta();
  const int x = static_cast<int>(blockIdx.x * box_width) - static_cast<int>(box_width / 2);
  const int y = static_cast<int>(blockIdx.y * box_height) - static_cast<int>(box_height / 2);
  experimental::cp_async_bulk_tensor_2d_global_to_shared(&tile, &map, x, y, barrier);
  wait_for_bytes(barrier, sizeof(tile));
}

__device__ void fill(float (&tile)[box_height][box_width]) {
  for (unsigned i = threadIdx.x; i < box_height * box_width; i += threads) tile[i / box_width][i % box_width] = 1;
  experimental::fence_proxy_async_shared_cta();
  __syncthreads();
}

/// Each block stores a box.
__global__ void tensor_store(const __grid_constant__ CUtensorMap map) {
  __shared__ alignas(128) float tile[box_height][box_width];
  fill(tile);
  if (threadIdx.x != 0) return;
  const int x = static_cast<int>(blockIdx.x * box_width);
  const int y = static_cast<int>(blockIdx.y * box_height);
  experimental::cp_async_bulk_tensor_2d_shared_to_global(&map, x, y, &tile);
  experimental::cp_async_bulk_commit_group();
  experimental::cp_async_bulk_wait_group_read<0>();
}

/// Each block adds a box.
__global__ void tensor_reduction(const __grid_constant__ CUtensorMap map) {
  __shared__ alignas(128) float tile[box_height][box_width];
  fill(tile);
  if (threadIdx.x != 0) return;
  const int x = static_cast<int>(blockIdx.x * box_width);
  const int y = static_cast<int>(blockIdx.y * box_height);
  asm volatile(
      "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&map), "r"(x),
      "r"(y), "r"(shared_address(tile))
      : "memory");
  experimental::cp_async_bulk_commit_group();
  experimental::cp_async_bulk_wait_group_read<0>();
}

/// The first half in, a quarter out, an eighth added.
__global__ void bulk(const float* from, float* to) {
  __shared__ alignas(128) float tile[1024];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ Barrier barrier;
  if (threadIdx.x != 0) return;
  init(&barrier, 1);
  experimental::fence_proxy_async_shared_cta();
  const std::size_t offset = std::size_t{blockIdx.x} * 1024;
  experimental::cp_async_bulk_global_to_shared(tile, from + offset + 8, 2048, barrier);
  wait_for_bytes(barrier, 2048);
  experimental::fence_proxy_async_shared_cta();
  experimental::cp_async_bulk_shared_to_global(to + offset, tile, 1024);
  asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], 512;" ::"l"(to + offset + 512),
               "r"(shared_address(tile))
               : "memory");
  experimental::cp_async_bulk_commit_group();
  experimental::cp_async_bulk_wait_group_read<0>();
}

/// Rows of 8 x 8 matrices side by side, then a whole row of banks apart.
__global__ void matrices(unsigned* out) {
  __shared__ alignas(128) unsigned tile[1024];
  for (unsigned i = threadIdx.x; i < 1024; i += 32) tile[i] = i;
  __syncwarp();
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
               : "r"(shared_address(tile) + threadIdx.x * 16));
  asm volatile(
      "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};" ::"r"(shared_address(tile) + threadIdx.x % 16 * 128),
      "r"(a), "r"(b));
  out[threadIdx.x] = a + b + c + d;
}

/// 64 x 16 by 16 x 8, all in shared memory.
__global__ void product(float* out) {
  __shared__ alignas(1024) int tile[4096];
  for (unsigned i = threadIdx.x; i < 4096; i += threads) tile[i] = 0;
  __syncthreads();
  float sum[4] = {};
  const auto descriptor = [](const void* pointer) {
    return static_cast<unsigned long long>(shared_address(pointer)) >> 4 | 1ULL << 16 | 64ULL << 32;
  };
  asm volatile("fence.proxy.async;");
  asm volatile("wgmma.fence.sync.aligned;");
  asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"
               : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
               : "l"(descriptor(tile)), "l"(descriptor(tile + 2048)));
  asm volatile("wgmma.commit_group.sync.aligned;");
  asm volatile("wgmma.wait_group.sync.aligned 0;");
  out[threadIdx.x] = sum[0] + sum[1] + sum[2] + sum[3];
}

/// Each block of a pair reads the other's shared memory.
__global__ void __cluster_dims__(2, 1, 1) cluster(float* out) {
  __shared__ float own[threads];
  const auto blocks = cooperative_groups::this_cluster();
  own[threadIdx.x] = static_cast<float>(threadIdx.x);
  blocks.sync();
  unsigned other = 0;
  float value = 0;
  asm("mapa.shared::cluster.u32 %0, %1, %2;"
      : "=r"(other)
      : "r"(shared_address(own + threadIdx.x)), "r"(blocks.block_rank() ^ 1U));
  asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(value) : "r"(other));
  const float* mapped = blocks.map_shared_rank(own, blocks.block_rank() ^ 1U);
  out[blockIdx.x * threads + threadIdx.x] = value + mapped[threadIdx.x];
  blocks.sync();
}

CUtensorMap map_of(float* data) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found{};
#if CUDART_VERSION >= 12050
  check(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault, &found));
#else
  check(cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &function, cudaEnableDefault, &found));
#endif
  CUtensorMap map{};
  const cuuint64_t sizes[] = {width, width};
  const cuuint64_t strides[] = {width * sizeof(float)};
  const cuuint32_t box[] = {box_width, box_height};
  const cuuint32_t steps[] = {1, 1};
  if (reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(function)(
          &map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, data, sizes, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
          CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
          CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS) {
    std::exit(6);
  }
  return map;
}

}  // namespace

int main() {
  int major = 0;
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
  if (major != 9) return 77;
  float* data = nullptr;
  float* out = nullptr;
  check(cudaMalloc(&data, 2 * width * width * sizeof(float)));
  check(cudaMalloc(&out, 2 * width * width * sizeof(float)));
  check(cudaMemset(data, 0, 2 * width * width * sizeof(float)));
  check(cudaMemset(out, 0, 2 * width * width * sizeof(float)));
  const CUtensorMap map = map_of(data);
  const CUtensorMap to = map_of(out);
  for (unsigned i = 0; i < 3; ++i) {
    tensor_load<<<dim3(width / box_width + 1, width / box_height + 1), 32>>>(map);
    const dim3 boxes(width / box_width, width / box_height);
    tensor_store<<<boxes, threads>>>(to);
    tensor_reduction<<<boxes, threads>>>(to);
    bulk<<<100, 32>>>(data, out);
    matrices<<<10, 32>>>(reinterpret_cast<unsigned*>(out));
    product<<<10, threads>>>(out);
    cluster<<<10, threads>>>(out);
    check(cudaDeviceSynchronize());
  }
  return 0;
}
