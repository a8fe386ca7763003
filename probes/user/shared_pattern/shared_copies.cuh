#pragma once
// The kernel that copies from global memory into a tile of shared memory by cp.async, at addresses from the table of
// shared_kernels.cuh.

#include "probes/user/shared_pattern/shared_kernels.cuh"

namespace gpumem::shared_pattern {

#ifdef __CUDACC__

/// The addresses of a lane in one group, in words of the width that is copied, so that one site has all loads from
/// global memory. Volatile, or the compiler would make wider ones.
template <unsigned bytes>
__device__ void find_addresses_by(const TileWork& work, std::uint32_t group, std::uint32_t (&address)[turns]) {
  const auto* const words = reinterpret_cast<const std::uint32_t*>(addresses_of(work, group));
#pragma unroll
  for (unsigned k = 0; k < turns; k += bytes / sizeof(std::uint32_t)) {
    if constexpr (bytes == 4) {
      asm volatile("ld.global.u32 %0, [%1];" : "=r"(address[k]) : "l"(words + k));
    } else if constexpr (bytes == 8) {
      asm volatile("ld.global.v2.u32 {%0, %1}, [%2];" : "=r"(address[k]), "=r"(address[k + 1]) : "l"(words + k));
    } else {
      asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(address[k]), "=r"(address[k + 1]), "=r"(address[k + 2]), "=r"(address[k + 3])
                   : "l"(words + k));
    }
  }
}

/// Copies a word from global memory through L1, unless the address is `none`.
template <unsigned bytes>
__device__ void copy_word(std::uint32_t address, std::uint32_t none, const char* source) {
#if __CUDA_ARCH__ >= 800
  asm volatile("{.reg .pred on; setp.ne.u32 on, %0, %2; @on cp.async.ca.shared.global [%0], [%1], %3;}" ::"r"(address),
               "l"(source), "r"(none), "n"(bytes));
#else
  __trap();  // the probe asks for the compute capability before
#endif
}

/// Waits until at most `most` groups of the thread's copies are on their way.
template <unsigned most>
__device__ void wait_for_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(most) : "memory");
#endif
}

/// The source of copies: `bytes` for each lane of a warp, the same for every lane.
template <unsigned bytes>
__global__ void fill_source(std::uint32_t* source, std::uint32_t salt) {
  constexpr unsigned words = bytes / sizeof(std::uint32_t);
  for (unsigned k = 0; k < words; ++k) source[threadIdx.x * words + k] = measure::random_word(k + salt);
}

/// Each thread copies, and then stores the sum of what lies at its addresses for the check; each block also its cycles.
/// The lanes of a warp copy from neighbouring words, which L1 has after the first time. All these words are the same,
/// so that it does not matter which copy to an address was the last. One part of the copies is on its way while the
/// next is asked for.
template <unsigned bytes>
__global__ void __launch_bounds__(block_threads)
    copy_into_tile(std::uint32_t* sums, std::uint64_t* cycles, TileWork work, const char* source) {
  extern __shared__ uint4 tile[];
  const auto base = static_cast<std::uint32_t>(__cvta_generic_to_shared(tile));
  const char* const own = source + threadIdx.x % access::warp_lanes * bytes;
  std::uint32_t sum = 0;
  const std::uint64_t start = clock64();
#pragma unroll 1
  for (std::uint32_t group = 0; group < work.groups; ++group) {
    std::uint32_t address[turns];
    find_addresses_by<bytes>(work, group, address);
#pragma unroll 1
    for (std::uint32_t iteration = 0; iteration < work.iterations; ++iteration) {
#pragma unroll
      for (unsigned turn = 0; turn < turns; ++turn) copy_word<bytes>(base + address[turn], base + inactive, own);
#if __CUDA_ARCH__ >= 800
      asm volatile("cp.async.commit_group;" ::: "memory");
#endif
      wait_for_copies<1>();
    }
    wait_for_copies<0>();
    __syncwarp();
#pragma unroll
    for (unsigned turn = 0; turn < turns; ++turn) {
      std::uint32_t found[registers_of<bytes>] = {};
      load_word<bytes>(base + address[turn], base + inactive, found);
#pragma unroll
      for (const std::uint32_t word : found) sum += word;
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) cycles[blockIdx.x] = clock64() - start;
  sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

#endif  // __CUDACC__

}  // namespace gpumem::shared_pattern
