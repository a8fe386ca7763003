#pragma once
// The kernels that move the traffic, end it and check it.

#include "engine/measure/global_timer.cuh"
#include "probes/hierarchy/loaded_latency/traffic.hpp"
#include "probes/past_l1.cuh"

namespace gpumem::hierarchy {

__device__ inline uint4 random_vector(std::uint64_t index) {
  return {measure::random_word(4 * index), measure::random_word(4 * index + 1), measure::random_word(4 * index + 2),
          measure::random_word(4 * index + 3)};
}

__device__ inline std::uint32_t folded(const uint4& word) { return word.x + word.y + word.z + word.w; }

/// Moves chunks until the state says that it is over, or the longest time has passed. Leaves the number of each warp's
/// chunks, each thread's sum of what it read, and how long each block took.
static __global__ void __launch_bounds__(traffic_threads, 1)
    move_traffic(PacedTraffic traffic, const uint4* source, uint4* target, TrafficState* state, std::uint32_t* chunks,
                 std::uint32_t* sums, TrafficTime* times) {
  __shared__ volatile std::uint32_t over;
  if (threadIdx.x == 0) over = 0;
  __syncthreads();
  const std::uint32_t lane = threadIdx.x % access::warp_lanes;
  const std::uint32_t warp = blockIdx.x * traffic_warps + threadIdx.x / access::warp_lanes;
  const std::uint64_t start_ns = measure::global_ns();
  const std::uint64_t start = clock64();
  std::uint64_t next = start + traffic.begin(warp);
  TrafficWalk walk(warp);
  std::uint32_t moved = 0;
  std::uint32_t sum = 0;
#pragma unroll 1
  for (;;) {
    while (static_cast<std::uint64_t>(clock64()) < next && over == 0) {
    }
    if (threadIdx.x == 0) {
      const bool late = measure::global_ns() - start_ns > traffic.longest_ns;
      if (late) atomicExch(&state->timed_out, 1U);
      if (late || *reinterpret_cast<const volatile std::uint32_t*>(&state->over) != 0) over = 1;
    }
    // All lanes of a warp take its first lane's value, so that they end together.
    if (__shfl_sync(~0U, over, 0) != 0) break;
    const std::uint64_t first = std::uint64_t{walk.chunk} * (traffic_chunk_vectors * access::warp_lanes) + lane;
    if (walk.stores(traffic)) {
#pragma unroll
      for (unsigned k = 0; k < traffic_chunk_vectors; ++k)
        target[first + k * access::warp_lanes] = random_vector(first + k * access::warp_lanes);
    } else {
      uint4 words[traffic_chunk_vectors];
#pragma unroll
      for (unsigned k = 0; k < traffic_chunk_vectors; ++k)
        words[k] = load_past_l1(source + first + k * access::warp_lanes);
#pragma unroll
      for (const uint4& word : words) sum += folded(word);
    }
    walk.advance(traffic);
    next += traffic.interval_cycles;
    ++moved;
  }
  if (lane == 0) chunks[warp] = moved;
  sums[std::uint64_t{warp} * access::warp_lanes + lane] = sum;
  __syncthreads();
  if (threadIdx.x == 0) times[blockIdx.x] = {clock64() - start, measure::global_ns() - start_ns};
}

static __global__ void end_traffic(TrafficState* state) {
  *reinterpret_cast<volatile std::uint32_t*>(&state->over) = 1;
}

/// Each thread's sum must be that of the words of its chunks, and what its warp stored must be in the target.
static __global__ void check_traffic(PacedTraffic traffic, const uint4* target, const std::uint32_t* chunks,
                                     const std::uint32_t* sums, unsigned long long* mismatches) {
  const std::uint32_t lane = threadIdx.x % access::warp_lanes;
  const std::uint32_t warp = blockIdx.x * traffic_warps + threadIdx.x / access::warp_lanes;
  TrafficWalk walk(warp);
  std::uint32_t expected = 0;
  bool stored_all = true;
  for (std::uint32_t k = 0; k < chunks[warp]; ++k) {
    const std::uint64_t first = std::uint64_t{walk.chunk} * (traffic_chunk_vectors * access::warp_lanes) + lane;
    const bool stores = walk.stores(traffic);
    for (unsigned j = 0; j < traffic_chunk_vectors; ++j) {
      const uint4 word = random_vector(first + j * access::warp_lanes);
      if (!stores) {
        expected += folded(word);
        continue;
      }
      const uint4 found = target[first + j * access::warp_lanes];
      stored_all = stored_all && found.x == word.x && found.y == word.y && found.z == word.z && found.w == word.w;
    }
    walk.advance(traffic);
  }
  if (!stored_all || sums[std::uint64_t{warp} * access::warp_lanes + lane] != expected) atomicAdd(mismatches, 1ULL);
}

}  // namespace gpumem::hierarchy
