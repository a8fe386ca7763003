#pragma once
// Kernels that access a tile of shared memory at addresses from a table, again and again, and the kernel that checks
// their sums. The table has the requests of a block, `turns` at a time: the addresses of a lane in these requests lie
// next to each other. Every block makes all of them: a warp has `turns` requests in flight, repeats them `iterations`
// times, and goes on to the next ones.

#include <vector_types.h>

#include <cstdint>

#include "engine/access/request.hpp"
#include "engine/measure/content.hpp"

namespace gpumem::shared_pattern {

constexpr unsigned turns = 8;
constexpr unsigned block_threads = 1024;
constexpr unsigned warps = block_threads / access::warp_lanes;
constexpr unsigned requests_at_once = warps * turns;
constexpr std::uint32_t inactive = ~std::uint32_t{0};

/// The work of a block.
struct TileWork {
  const uint4* table;    ///< addresses from the beginning of the tile, or `inactive`
  std::uint32_t parts;   ///< of the table, of `turns` requests each
  std::uint32_t groups;  ///< of requests_at_once; together they have every request equally often
  std::uint32_t iterations;
  std::uint32_t tile_words;  ///< 32-bit words of the tile
  std::uint32_t salt;        ///< of the content; that of loads is 0
  std::uint32_t step;        ///< always 0, which the compiler does not know: it cannot merge repeated accesses
};

#ifdef __CUDACC__

/// The beginning of the addresses of a lane in one group.
__device__ inline const uint4* addresses_of(const TileWork& work, std::uint32_t group) {
  const std::uint32_t part = (group * warps + threadIdx.x / access::warp_lanes) % work.parts;
  return work.table + (part * access::warp_lanes + threadIdx.x % access::warp_lanes) * 2;
}

/// The addresses of a lane in one group.
__device__ inline void find_addresses(const TileWork& work, std::uint32_t group, std::uint32_t (&address)[turns]) {
  const uint4* const own = addresses_of(work, group);
  const uint4 first = own[0];
  const uint4 last = own[1];
  address[0] = first.x;
  address[1] = first.y;
  address[2] = first.z;
  address[3] = first.w;
  address[4] = last.x;
  address[5] = last.y;
  address[6] = last.z;
  address[7] = last.w;
}

/// The 32-bit value number k of the word of `bytes` bytes that begins at an address of the tile.
template <unsigned bytes>
__device__ std::uint32_t content_at(std::uint32_t address, unsigned k, std::uint32_t salt) {
  const std::uint32_t word = measure::random_word(address / 4 + k + salt);
  if constexpr (bytes == 1) return word >> address % 4 * 8 & 0xFFU;
  if constexpr (bytes == 2) return word >> address % 4 * 8 & 0xFFFFU;
  return word;
}

template <unsigned bytes>
constexpr unsigned registers_of = bytes < 4 ? 1 : bytes / 4;

/// Loads a word, unless its address is `none`: the value then stays. Volatile in PTX too, or the assembler would merge
/// equal loads.
template <unsigned bytes>
__device__ void load_word(std::uint32_t address, std::uint32_t none, std::uint32_t (&value)[registers_of<bytes>]) {
  if constexpr (bytes == 1) {
    asm volatile("{.reg .pred on; setp.ne.u32 on, %1, %2; @on ld.volatile.shared.u8 %0, [%1];}"
                 : "+r"(value[0])
                 : "r"(address), "r"(none));
  } else if constexpr (bytes == 2) {
    asm volatile("{.reg .pred on; setp.ne.u32 on, %1, %2; @on ld.volatile.shared.u16 %0, [%1];}"
                 : "+r"(value[0])
                 : "r"(address), "r"(none));
  } else if constexpr (bytes == 4) {
    asm volatile("{.reg .pred on; setp.ne.u32 on, %1, %2; @on ld.volatile.shared.u32 %0, [%1];}"
                 : "+r"(value[0])
                 : "r"(address), "r"(none));
  } else if constexpr (bytes == 8) {
    asm volatile("{.reg .pred on; setp.ne.u32 on, %2, %3; @on ld.volatile.shared.v2.u32 {%0, %1}, [%2];}"
                 : "+r"(value[0]), "+r"(value[1])
                 : "r"(address), "r"(none));
  } else {
    asm volatile("{.reg .pred on; setp.ne.u32 on, %4, %5; @on ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];}"
                 : "+r"(value[0]), "+r"(value[1]), "+r"(value[2]), "+r"(value[3])
                 : "r"(address), "r"(none));
  }
}

/// Stores a word, unless its address is `none`.
template <unsigned bytes>
__device__ void store_word(std::uint32_t address, std::uint32_t none,
                           const std::uint32_t (&value)[registers_of<bytes>]) {
  if constexpr (bytes == 1) {
    asm volatile("{.reg .pred on; setp.ne.u32 on, %0, %2; @on st.volatile.shared.u8 [%0], %1;}" ::"r"(address),
                 "r"(value[0]), "r"(none));
  } else if constexpr (bytes == 2) {
    asm volatile("{.reg .pred on; setp.ne.u32 on, %0, %2; @on st.volatile.shared.u16 [%0], %1;}" ::"r"(address),
                 "r"(value[0]), "r"(none));
  } else if constexpr (bytes == 4) {
    asm volatile("{.reg .pred on; setp.ne.u32 on, %0, %2; @on st.volatile.shared.u32 [%0], %1;}" ::"r"(address),
                 "r"(value[0]), "r"(none));
  } else if constexpr (bytes == 8) {
    asm volatile(
        "{.reg .pred on; setp.ne.u32 on, %0, %3; @on st.volatile.shared.v2.u32 [%0], {%1, %2};}" ::"r"(address),
        "r"(value[0]), "r"(value[1]), "r"(none));
  } else {
    asm volatile(
        "{.reg .pred on; setp.ne.u32 on, %0, %5; @on st.volatile.shared.v4.u32 [%0], {%1, %2, %3, %4};}" ::"r"(address),
        "r"(value[0]), "r"(value[1]), "r"(value[2]), "r"(value[3]), "r"(none));
  }
}

/// Loads `matrices` matrices of 8 x 8 halves: PTX ISA, "ldmatrix".
template <unsigned matrices, bool transposed>
__device__ void load_matrix(std::uint32_t address, std::uint32_t (&value)[matrices]) {
#if __CUDA_ARCH__ >= 750
  if constexpr (matrices == 1 && !transposed) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(value[0]) : "r"(address));
  } else if constexpr (matrices == 1) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];" : "=r"(value[0]) : "r"(address));
  } else if constexpr (matrices == 2 && !transposed) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                 : "=r"(value[0]), "=r"(value[1])
                 : "r"(address));
  } else if constexpr (matrices == 2) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                 : "=r"(value[0]), "=r"(value[1])
                 : "r"(address));
  } else if constexpr (!transposed) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(value[0]), "=r"(value[1]), "=r"(value[2]), "=r"(value[3])
                 : "r"(address));
  } else {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(value[0]), "=r"(value[1]), "=r"(value[2]), "=r"(value[3])
                 : "r"(address));
  }
#else
  __trap();  // the probe asks for the compute capability before
#endif
}

/// Stores them: PTX ISA, "stmatrix".
template <unsigned matrices, bool transposed>
__device__ void store_matrix(std::uint32_t address, const std::uint32_t (&value)[matrices]) {
#if __CUDA_ARCH__ >= 900
  if constexpr (matrices == 1 && !transposed) {
    asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(address), "r"(value[0]));
  } else if constexpr (matrices == 1) {
    asm volatile("stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%0], {%1};" ::"r"(address), "r"(value[0]));
  } else if constexpr (matrices == 2 && !transposed) {
    asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};" ::"r"(address), "r"(value[0]),
                 "r"(value[1]));
  } else if constexpr (matrices == 2) {
    asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};" ::"r"(address), "r"(value[0]),
                 "r"(value[1]));
  } else if constexpr (!transposed) {
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(value[0]),
                 "r"(value[1]), "r"(value[2]), "r"(value[3]));
  } else {
    asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(value[0]),
                 "r"(value[1]), "r"(value[2]), "r"(value[3]));
  }
#endif
}

/// The loads and stores of words, as the kernels below use them.
template <unsigned bytes>
struct Words {
  static constexpr unsigned registers = registers_of<bytes>;
  static constexpr unsigned read_back_bytes = bytes;
  static constexpr bool can_store = true;
  static constexpr bool may_be_merged = false;  ///< by the assembler, where nothing changes in between

  static __device__ void load(std::uint32_t base, std::uint32_t address, std::uint32_t (&value)[registers]) {
    load_word<bytes>(base + address, base + inactive, value);
  }
  static __device__ void store(std::uint32_t base, std::uint32_t address, const std::uint32_t (&value)[registers]) {
    store_word<bytes>(base + address, base + inactive, value);
  }
  static __device__ void read_back(std::uint32_t base, std::uint32_t address, std::uint32_t (&value)[registers]) {
    load(base, address, value);
  }
  static __device__ std::uint32_t content(std::uint32_t address, unsigned k, std::uint32_t salt) {
    return content_at<bytes>(address, k, salt);
  }
};

/// The same of matrices. Lane 8 m + r has the address of row r of matrix m.
template <unsigned matrices, bool transposed>
struct Matrices {
  static constexpr unsigned registers = matrices;
  static constexpr unsigned read_back_bytes = 16;
  static constexpr bool may_be_merged = true;
#if __CUDA_ARCH__ >= 900
  static constexpr bool can_store = true;
#else
  static constexpr bool can_store = false;
#endif

  static __device__ void load(std::uint32_t base, std::uint32_t address, std::uint32_t (&value)[registers]) {
    load_matrix<matrices, transposed>(base + address, value);
  }
  static __device__ void store(std::uint32_t base, std::uint32_t address, const std::uint32_t (&value)[registers]) {
    store_matrix<matrices, transposed>(base + address, value);
  }
  /// The row that the lane gives.
  static __device__ void read_back(std::uint32_t base, std::uint32_t address, std::uint32_t (&value)[4]) {
    const bool gives_row = threadIdx.x % access::warp_lanes < 8 * matrices;
    Words<read_back_bytes>::load(base, gives_row ? address : inactive, value);
  }
  /// The halves of matrix m that a lane holds: those at columns 2 (lane % 4) and the next of row lane / 4; transposed,
  /// those at rows 2 (lane % 4) and the next of column lane / 4.
  static __device__ std::uint32_t content(std::uint32_t address, unsigned m, std::uint32_t salt) {
    const unsigned lane = threadIdx.x % access::warp_lanes;
    if constexpr (!transposed) {
      const std::uint32_t row = __shfl_sync(~0U, address, static_cast<int>(8 * m + lane / 4));
      return content_at<4>(row, lane % 4, salt);
    } else {
      const std::uint32_t upper = __shfl_sync(~0U, address, static_cast<int>(8 * m + lane % 4 * 2));
      const std::uint32_t lower = __shfl_sync(~0U, address, static_cast<int>(8 * m + lane % 4 * 2 + 1));
      const unsigned column_byte = lane / 4 * 2;
      return content_at<2>(upper + column_byte, 0, salt) | content_at<2>(lower + column_byte, 0, salt) << 16U;
    }
  }
};

/// Each thread loads and stores the sum of all; each block also its cycles.
template <class Access>
__global__ void __launch_bounds__(block_threads) load_tile(std::uint32_t* sums, std::uint64_t* cycles, TileWork work) {
  extern __shared__ uint4 tile[];
  auto* content = reinterpret_cast<std::uint32_t*>(tile);
  for (std::uint32_t i = threadIdx.x; i < work.tile_words; i += blockDim.x) content[i] = measure::random_word(i);
  __syncthreads();

  const auto base = static_cast<std::uint32_t>(__cvta_generic_to_shared(tile));
  std::uint32_t sum = 0;
  const std::uint64_t start = clock64();
#pragma unroll 1
  for (std::uint32_t group = 0; group < work.groups; ++group) {
    std::uint32_t address[turns];
    find_addresses(work, group, address);
    std::uint32_t moved = base;
    std::uint32_t value[turns][Access::registers] = {};  // that of an inactive lane stays 0
#pragma unroll 1
    for (std::uint32_t iteration = 0; iteration < work.iterations; ++iteration) {
#pragma unroll
      for (unsigned turn = 0; turn < turns; ++turn) Access::load(moved, address[turn], value[turn]);
#pragma unroll
      for (auto& of_turn : value) {
#pragma unroll
        for (const std::uint32_t word : of_turn) sum += word;
      }
      if constexpr (Access::may_be_merged) moved += work.step;
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) cycles[blockIdx.x] = clock64() - start;
  sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/// Each thread stores, and then stores the sum of what lies at its addresses for the check; each block also its cycles.
/// The content changes with the salt, because shared memory still holds what the last launch left in it. It depends on
/// the address alone, so that it does not matter who stored it last.
template <class Access>
__device__ void store_and_read_back(std::uint32_t* sums, std::uint64_t* cycles, const TileWork& work) {
  extern __shared__ uint4 tile[];
  const auto base = static_cast<std::uint32_t>(__cvta_generic_to_shared(tile));
  std::uint32_t sum = 0;
  const std::uint64_t start = clock64();
#pragma unroll 1
  for (std::uint32_t group = 0; group < work.groups; ++group) {
    std::uint32_t address[turns];
    find_addresses(work, group, address);
    std::uint32_t value[turns][Access::registers];
#pragma unroll
    for (unsigned turn = 0; turn < turns; ++turn) {
#pragma unroll
      for (unsigned k = 0; k < Access::registers; ++k) {
        value[turn][k] = Access::content(address[turn], k, work.salt);
        asm volatile("" : "+r"(value[turn][k]));  // or it would be computed in every iteration, to save registers
      }
    }
    std::uint32_t moved = base;
#pragma unroll 1
    for (std::uint32_t iteration = 0; iteration < work.iterations; ++iteration) {
#pragma unroll
      for (unsigned turn = 0; turn < turns; ++turn) Access::store(moved, address[turn], value[turn]);
      if constexpr (Access::may_be_merged) moved += work.step;
    }
    __syncwarp();
#pragma unroll
    for (unsigned turn = 0; turn < turns; ++turn) {
      std::uint32_t found[registers_of<Access::read_back_bytes>] = {};
      Access::read_back(base, address[turn], found);
#pragma unroll
      for (const std::uint32_t word : found) sum += word;
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) cycles[blockIdx.x] = clock64() - start;
  sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/// Does it if the code is for GPUs that have the store.
template <class Access>
__global__ void __launch_bounds__(block_threads) store_tile(std::uint32_t* sums, std::uint64_t* cycles, TileWork work) {
  if constexpr (Access::can_store) {
    store_and_read_back<Access>(sums, cycles, work);
  } else {
    __trap();  // the probe asks for the compute capability before
  }
}

/// The way that sums are checked.
enum class SumOf { words, copies, matrices, transposed_matrices };

/// Each sum must be `times` that of the content of the thread's words. If matrices are loaded, the sum of a warp must
/// be that of its rows: lanes hold parts of each other's rows. Transposed, halves of odd rows lie in the upper half of
/// a register. `lanes` is the number of lanes that give rows. Copies bring the same to every address.
template <unsigned bytes>
__global__ void check_tile_words(const std::uint32_t* sums, TileWork work, std::uint32_t times, SumOf kind,
                                 unsigned lanes, unsigned long long* mismatches) {
  const unsigned lane = threadIdx.x % access::warp_lanes;
  std::uint32_t expected = 0;
  for (std::uint32_t group = 0; group < work.groups; ++group) {
    std::uint32_t address[turns];
    find_addresses(work, group, address);
    for (const std::uint32_t of_turn : address) {
      if (of_turn == inactive || lane >= lanes) continue;
      for (unsigned k = 0; k < registers_of<bytes>; ++k) {
        const std::uint32_t value = content_at<bytes>(kind == SumOf::copies ? 0 : of_turn, k, work.salt);
        expected += kind != SumOf::transposed_matrices ? value : ((value & 0xFFFFU) + (value >> 16U)) << lane % 2 * 16;
      }
    }
  }
  std::uint32_t sum = sums[blockIdx.x * blockDim.x + threadIdx.x];
  expected *= times;
  if (kind == SumOf::matrices || kind == SumOf::transposed_matrices) {
    for (int distance = access::warp_lanes / 2; distance > 0; distance /= 2) {
      sum += __shfl_xor_sync(~0U, sum, distance);
      expected += __shfl_xor_sync(~0U, expected, distance);
    }
  }
  if (sum != expected) atomicAdd(mismatches, 1ULL);
}

#endif  // __CUDACC__

}  // namespace gpumem::shared_pattern
