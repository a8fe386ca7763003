#pragma once
// Warps whose lanes part: on paths of their own, in loops of unequal length, and for a predicated load.

#include <cstdint>
#include <type_traits>

#include "engine/measure/content.hpp"
#include "probes/kernels/divergence/divergence.hpp"

namespace gpumem::kernels {

constexpr unsigned divergent_block_threads = 1024;

struct ByLane {
  static constexpr bool synchronizes = false;
};
struct ByLaneAndSync {
  static constexpr bool synchronizes = true;
};
struct ByWarp {
  static constexpr bool synchronizes = false;
};

/// A step of a path. The constants stand in the instruction: the compiler can neither merge two paths' instructions
/// and select the constants, nor leave steps out.
template <unsigned path>
__device__ void step_on(std::uint32_t& x) {
  asm volatile("mad.lo.u32 %0, %0, %1, %2;" : "+r"(x) : "n"(multiplier(path)), "n"(increment(path)));
}

template <unsigned path>
__device__ void walk(std::uint32_t& x, unsigned trips_of_path) {
#pragma unroll 1
  for (unsigned trip = 0; trip < trips_of_path; ++trip) {
#pragma unroll
    for (unsigned step = 0; step < steps_at_once; ++step) step_on<path>(x);
  }
}

/// Finds the path by halving, so that finding it costs few branches and all paths the same. Lanes that synchronize do
/// so at the end of their own path, for behind all paths the compiler brings them together anyway and drops the call.
template <class Split, unsigned first, unsigned count>
__device__ void take_path(unsigned path, std::uint32_t& x) {
  if constexpr (count == 1) {
    walk<first>(x, trips);
    if constexpr (Split::synchronizes) __syncwarp();
  } else if (path < first + count / 2) {
    take_path<Split, first, count / 2>(path, x);
  } else {
    take_path<Split, first + count / 2, count / 2>(path, x);
  }
}

/// Runs `work` between two readings of the multiprocessor's clock.
template <class Work>
__device__ void time_block(std::uint64_t* cycles, Work&& work) {
  __syncthreads();
  const long long start = clock64();
  work();
  __syncthreads();
  if (threadIdx.x == 0) cycles[blockIdx.x] = static_cast<std::uint64_t>(clock64() - start);
}

template <class Split, unsigned paths>
__global__ void __launch_bounds__(divergent_block_threads) split_paths(std::uint32_t* results, std::uint64_t* cycles) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned number = std::is_same_v<Split, ByWarp> ? threadIdx.x / access::warp_lanes : threadIdx.x;
  std::uint32_t x = measure::random_word(thread);
  time_block(cycles, [&] {
#pragma unroll 1
    for (unsigned round = 0; round < divergence_rounds; ++round) {
      take_path<Split, 0, paths>(path_of(number, round, paths), x);
    }
  });
  results[thread] = x;
}

template <unsigned paths>
__global__ void __launch_bounds__(divergent_block_threads)
    unequal_loops(std::uint32_t* results, std::uint64_t* cycles) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  std::uint32_t x = measure::random_word(thread);
  time_block(cycles, [&] {
#pragma unroll 1
    for (unsigned round = 0; round < divergence_rounds; ++round) {
      walk<0>(x, unequal_trips(path_of(threadIdx.x, round, paths), paths));
    }
  });
  results[thread] = x;
}

template <unsigned paths>
__global__ void __launch_bounds__(divergent_block_threads)
    predicated_loads(std::uint32_t* results, std::uint64_t* cycles, const std::uint32_t* table) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned lane = threadIdx.x % access::warp_lanes;
  std::uint32_t x = measure::random_word(thread);
  time_block(cycles, [&] {
#pragma unroll 1
    for (unsigned first = 0; first < divergence_steps; first += steps_at_once) {
      std::uint32_t word[steps_at_once] = {};
#pragma unroll
      for (unsigned k = 0; k < steps_at_once; ++k) {
        // A predicate on the instruction itself, which is what the compiler makes of an if around a load.
        asm volatile("{\n\t.reg .pred wanted;\n\tsetp.ne.u32 wanted, %2, 0;\n\t@wanted ld.global.u32 %0, [%1];\n\t}"
                     : "+r"(word[k])
                     : "l"(table + table_word(lane, first + k)), "r"(loads(lane, first + k, paths) ? 1U : 0U));
      }
#pragma unroll
      for (const std::uint32_t loaded : word) x += loaded;
    }
  });
  results[thread] = x;
}

/// The arithmetic that check_walks() repeats for a thread, in loops over path numbers instead of separate code.
enum class Branching { by_lane, by_warp, unequal, loads };

static __global__ void check_walks(const std::uint32_t* results, Branching walk, unsigned paths,
                                   unsigned long long* mismatches) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned lane = threadIdx.x % access::warp_lanes;
  std::uint32_t x = measure::random_word(thread);
  for (unsigned round = 0; round < divergence_rounds; ++round) {
    const unsigned number = walk == Branching::by_warp ? threadIdx.x / access::warp_lanes : lane;
    const unsigned path = path_of(number, round, paths);
    const unsigned length = walk == Branching::unequal ? unequal_trips(path, paths) * steps_at_once : steps_per_round;
    for (unsigned k = 0; k < length; ++k) {
      const unsigned step = round * steps_per_round + k;
      if (walk == Branching::loads) {
        if (loads(lane, step, paths)) x += measure::random_word(table_word(lane, step));
      } else {
        const unsigned of = walk == Branching::unequal ? 0 : path;
        x = x * multiplier(of) + increment(of);
      }
    }
  }
  if (results[thread] != x) atomicAdd(mismatches, 1ULL);
}

}  // namespace gpumem::kernels
