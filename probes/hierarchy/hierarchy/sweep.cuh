#pragma once
// The kernels of the hierarchy's levels, each in the shape that is best there, and the checks of what they did.

#include <cstdint>

#include "engine/measure/content.hpp"

namespace gpumem::hierarchy {

enum class Traffic { read, write, copy, triad };

/// The arrays of a level: `first` and `second` are read, `target` is written.
struct Arrays {
  const std::uint32_t* first;
  const std::uint32_t* second;
  std::uint32_t* target;
};

constexpr std::uint32_t scalar = 3;  ///< of the triad, which is of whole numbers, to be verified to the bit

/// 32-bit words that one instruction loads or stores: 2 or 4.
template <class Vector>
constexpr unsigned words_of = sizeof(Vector) / sizeof(std::uint32_t);

__device__ inline uint2 random_of(std::uint64_t vector, uint2) {
  return {measure::random_word(2 * vector), measure::random_word(2 * vector + 1)};
}
__device__ inline uint4 random_of(std::uint64_t vector, uint4) {
  const uint2 low = random_of(2 * vector, uint2{});
  const uint2 high = random_of(2 * vector + 1, uint2{});
  return {low.x, low.y, high.x, high.y};
}
/// a + b x times
__device__ inline uint2 combine(uint2 a, uint2 b, std::uint32_t times) {
  return {a.x + times * b.x, a.y + times * b.y};
}
__device__ inline uint4 combine(uint4 a, uint4 b, std::uint32_t times) {
  return {a.x + times * b.x, a.y + times * b.y, a.z + times * b.z, a.w + times * b.w};
}
__device__ inline std::uint32_t fold(uint2 v) { return v.x + v.y; }
__device__ inline std::uint32_t fold(uint4 v) { return v.x + v.y + v.z + v.w; }

/// The best way to access each level: the vector of an instruction, the number of them that a thread has in a row, and
/// the cache operators. L1 keeps what .ca loads and never has what .cg loads; .cs says that data will not be used
/// again.
template <unsigned in_a_row>
struct L1 {
  using Vector = uint2;
  static constexpr unsigned unrolled = in_a_row;
  static __device__ Vector load(const Vector* from) { return __ldca(from); }
  static __device__ void store(Vector* to, Vector v) { *to = v; }
};
template <unsigned in_a_row>
struct L2 {
  using Vector = uint4;
  static constexpr unsigned unrolled = in_a_row;
  static __device__ Vector load(const Vector* from) { return __ldcg(from); }
  static __device__ void store(Vector* to, Vector v) { *to = v; }
};
template <unsigned in_a_row>
struct Memory {
  using Vector = uint4;
  static constexpr unsigned unrolled = in_a_row;
  static __device__ Vector load(const Vector* from) { return __ldcs(from); }
  static __device__ void store(Vector* to, Vector v) { __stcs(to, v); }
};

/// Each block goes over a part of the arrays, pass after pass: its own, or with `rotate` the one `rotate` further on
/// each time. `rotate` is a parameter so that the assembler does not load once for all passes. Reads leave a sum per
/// thread in `sums`, unless it is null.
template <class Level, Traffic traffic>
__global__ void __launch_bounds__(1024) sweep(Arrays arrays, std::uint32_t* sums, unsigned passes, unsigned rotate) {
  using Vector = typename Level::Vector;
  std::uint32_t part = blockIdx.x;
  Vector sum{};
#pragma unroll 1
  for (unsigned pass = 0; pass < passes; ++pass) {
    const std::uint64_t own = std::uint64_t{part} * blockDim.x * Level::unrolled + threadIdx.x;
    part += rotate;
    if (part >= gridDim.x) part -= gridDim.x;
    Vector first[Level::unrolled];
    Vector second[Level::unrolled];
#pragma unroll
    for (unsigned turn = 0; turn < Level::unrolled; ++turn) {
      const std::uint64_t vector = own + turn * blockDim.x;
      if constexpr (traffic == Traffic::write) first[turn] = random_of(vector, Vector{});
      if constexpr (traffic != Traffic::write) {
        first[turn] = Level::load(reinterpret_cast<const Vector*>(arrays.first) + vector);
      }
      if constexpr (traffic == Traffic::triad) {
        second[turn] = Level::load(reinterpret_cast<const Vector*>(arrays.second) + vector);
      }
    }
#pragma unroll
    for (unsigned turn = 0; turn < Level::unrolled; ++turn) {
      const std::uint64_t vector = own + turn * blockDim.x;
      if constexpr (traffic == Traffic::read) sum = combine(sum, first[turn], 1);
      if constexpr (traffic == Traffic::triad) first[turn] = combine(first[turn], second[turn], scalar);
      if constexpr (traffic != Traffic::read) {
        Level::store(reinterpret_cast<Vector*>(arrays.target) + vector, first[turn]);
      }
    }
  }
  if constexpr (traffic == Traffic::read) {
    if (sums != nullptr) sums[std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x] = fold(sum);
  }
}

/// Loads or stores with one instruction, volatile so that no pass over the same bytes is left out.
__device__ inline uint4 load_shared(std::uint32_t from) {
  uint4 v;
  asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "r"(from));
  return v;
}
__device__ inline void store_shared(std::uint32_t to, uint4 v) {
  asm volatile("st.volatile.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w)
               : "memory");
}

constexpr unsigned shared_unrolled = 2;

/// The same in shared memory, of which each block has its own. The words that were written are added up at the end.
template <Traffic traffic>
__global__ void __launch_bounds__(1024) sweep_shared(std::uint32_t* sums, unsigned passes) {
  extern __shared__ uint4 memory[];
  const unsigned vectors = shared_unrolled * blockDim.x;  // of each array
  for (unsigned i = threadIdx.x; i < 2 * vectors; i += blockDim.x) memory[i] = random_of(i, uint4{});
  __syncthreads();
  const auto base = static_cast<std::uint32_t>(__cvta_generic_to_shared(memory));
  const auto address = [&](unsigned array, unsigned turn) {
    return base + static_cast<std::uint32_t>(sizeof(uint4)) * (array * vectors + turn * blockDim.x + threadIdx.x);
  };
  uint4 sum{};
#pragma unroll 1
  for (unsigned pass = 0; pass < passes; ++pass) {
    uint4 first[shared_unrolled];
    uint4 second[shared_unrolled];
#pragma unroll
    for (unsigned turn = 0; turn < shared_unrolled; ++turn) {
      if constexpr (traffic == Traffic::write) first[turn] = random_of(turn * blockDim.x + threadIdx.x, uint4{});
      if constexpr (traffic != Traffic::write) first[turn] = load_shared(address(0, turn));
      if constexpr (traffic == Traffic::triad) second[turn] = load_shared(address(1, turn));
    }
#pragma unroll
    for (unsigned turn = 0; turn < shared_unrolled; ++turn) {
      if constexpr (traffic == Traffic::read) sum = combine(sum, first[turn], 1);
      if constexpr (traffic == Traffic::triad) first[turn] = combine(first[turn], second[turn], scalar);
      if constexpr (traffic != Traffic::read) store_shared(address(2, turn), first[turn]);
    }
  }
  if constexpr (traffic != Traffic::read) {
#pragma unroll
    for (unsigned turn = 0; turn < shared_unrolled; ++turn) sum = combine(sum, load_shared(address(2, turn)), 1);
  }
  sums[std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x] = fold(sum);
}

/// Multiply-adds on eight registers a thread, none of which waits for another: three registers read, one written each.
constexpr unsigned chains = 8;
template <unsigned chains>
__global__ void __launch_bounds__(1024) multiply_add(float* sums, unsigned passes, float factor) {
  float sum[chains] = {};
#pragma unroll 4
  for (unsigned pass = 0; pass < passes; ++pass) {
#pragma unroll
    for (float& chain : sum) asm volatile("fma.rn.f32 %0, %1, %1, %0;" : "+f"(chain) : "f"(factor));
  }
  float all = 0;
#pragma unroll
  for (const float chain : sum) all += chain;
  sums[std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x] = all;
}

// ---- Checks against the expected words, evaluated anew

static __global__ void check_target(const std::uint32_t* target, std::uint64_t words, std::uint64_t second_at,
                                    bool combined, unsigned long long* mismatches) {
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < words; i += step) {
    const std::uint32_t more = combined ? scalar * measure::random_word(second_at + i) : 0;
    if (target[i] != measure::random_word(i) + more) atomicAdd(mismatches, 1ULL);
  }
}

/// The words that a thread has added up: `times` those of its vectors in the first array, `second_times` those in the
/// second.
struct SummedWords {
  unsigned words;     ///< of a vector
  unsigned unrolled;  ///< vectors of a thread in a part
  bool shared;        ///< in shared memory, where each block has one part only
  unsigned parts;     ///< of the array: the block's and the ones after it
  std::uint32_t times;
  std::uint64_t second_at;  ///< the vector that the second array begins at
  std::uint32_t second_times;
};

/// Launched as the kernel was.
static __global__ void check_sums(const std::uint32_t* sums, SummedWords summed, unsigned long long* mismatches) {
  const auto [words, unrolled, shared, parts, times, second_at, second_times] = summed;
  std::uint32_t expected = 0;
  for (unsigned part = 0; part < parts; ++part) {
    const std::uint64_t block = shared ? 0 : (blockIdx.x + part) % gridDim.x;
    for (unsigned turn = 0; turn < unrolled; ++turn) {
      const std::uint64_t vector = (block * unrolled + turn) * blockDim.x + threadIdx.x;
      for (unsigned word = 0; word < words; ++word) {
        expected += times * measure::random_word(vector * words + word);
        if (second_times > 0) expected += second_times * measure::random_word((second_at + vector) * words + word);
      }
    }
  }
  if (sums[std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x] != expected) atomicAdd(mismatches, 1ULL);
}

static __global__ void check_counts(const float* sums, float expected, unsigned long long* mismatches) {
  if (sums[std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x] != expected) atomicAdd(mismatches, 1ULL);
}

}  // namespace gpumem::hierarchy
