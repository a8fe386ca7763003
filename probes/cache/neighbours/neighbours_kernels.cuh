#pragma once
// The kernels of two that run at once, and the signals between them. No wait is without an end: where launches are
// serialised, both give up after a while and say so.

#include <cstdint>

#include "engine/measure/content.hpp"
#include "engine/measure/global_timer.cuh"
#include "probes/cache/neighbours/neighbours_case.hpp"
#include "probes/past_l1.cuh"

namespace gpumem::cache {

/// In device memory. Times are those of the GPU's global timer.
struct NeighbourSignals {
  unsigned started = 0;  ///< blocks of the neighbour
  unsigned victim_ended = 0;
  unsigned gave_up = 0;  ///< some wait came to its end
  unsigned long long victim_begin_ns = 0;
  unsigned long long victim_end_ns = 0;
  unsigned long long neighbour_begin_ns = ~0ULL;
  unsigned long long neighbour_end_ns = 0;
};

/// Until the neighbour runs, and until its victim has ended.
inline constexpr std::uint64_t neighbour_patience_ns = 300'000'000;

__device__ inline unsigned volatile_read(const unsigned* word) { return *static_cast<const volatile unsigned*>(word); }

/// The victim may begin: its neighbour has so many blocks, and all of them run.
static __global__ void begin_victim(NeighbourSignals* signals, unsigned neighbour_blocks) {
  const std::uint64_t start = measure::global_ns();
#pragma unroll 1
  while (volatile_read(&signals->started) < neighbour_blocks) {
    if (measure::global_ns() - start < neighbour_patience_ns) continue;
    signals->gave_up = 1;
    break;
  }
  signals->victim_begin_ns = measure::global_ns();
}

static __global__ void end_victim(NeighbourSignals* signals) {
  signals->victim_end_ns = measure::global_ns();
  __threadfence();
  *static_cast<volatile unsigned*>(&signals->victim_ended) = 1;
}

/// All blocks share out the words, and go over them `turns` times. Each thread stores the sum of what it has read.
template <unsigned in_a_row>
__global__ void __launch_bounds__(neighbour_threads, 1)
    read_beside(const uint4* words, std::uint32_t count, std::uint32_t turns, std::uint32_t* sums) {
  const std::uint32_t thread = blockIdx.x * neighbour_threads + threadIdx.x;
  const std::uint32_t step = gridDim.x * neighbour_threads;
  std::uint32_t sum = 0;
#pragma unroll 1
  for (std::uint32_t turn = 0; turn < turns; ++turn) {
#pragma unroll 1
    for (std::uint32_t i = thread; i < count; i += in_a_row * step) {
      uint4 word[in_a_row] = {};
#pragma unroll
      for (unsigned k = 0; k < in_a_row; ++k) {
        if (i + k * step < count) word[k] = load_past_l1(words + i + k * step);
      }
#pragma unroll
      for (const uint4& vector : word) sum += vector.x + vector.y + vector.z + vector.w;
    }
  }
  sums[thread] = sum;
}

/// The same with atomics, which add 1 to every word in each turn.
template <unsigned in_a_row>
__global__ void __launch_bounds__(neighbour_threads, 1)
    add_beside(std::uint32_t* words, std::uint32_t count, std::uint32_t turns) {
  const std::uint32_t step = gridDim.x * neighbour_threads;
#pragma unroll 1
  for (std::uint32_t turn = 0; turn < turns; ++turn) {
#pragma unroll 1
    for (std::uint32_t i = blockIdx.x * neighbour_threads + threadIdx.x; i < count; i += in_a_row * step) {
#pragma unroll
      for (unsigned k = 0; k < in_a_row; ++k) {
        if (i + k * step < count) {
          asm volatile("red.global.add.u32 [%0], 1;" ::"l"(words + i + k * step) : "memory");
        }
      }
    }
  }
}

enum class NeighbourDoes {
  streams,        ///< until its victim has ended
  streams_alone,  ///< for so long
  waits           ///< until its victim has ended: the victim has the multiprocessors that it has beside a stream
};

/// The neighbour: its blocks read chunk after chunk, or nothing. Each stores how many it has read, each thread the sum
/// of its words.
static __global__ void __launch_bounds__(neighbour_threads, 1)
    stream_beside(const uint4* words, std::uint32_t chunks, NeighbourSignals* signals, std::uint64_t most_ns,
                  NeighbourDoes does, std::uint32_t* sums, std::uint32_t* chunks_read) {
  constexpr unsigned chunks_in_a_row = 8;
  constexpr std::uint32_t chunk_words = neighbour_threads * neighbour_in_a_row;
  const std::uint64_t start = measure::global_ns();
  if (threadIdx.x == 0) {
    atomicMin(&signals->neighbour_begin_ns, start);
    __threadfence();
    atomicAdd(&signals->started, 1U);
  }
  std::uint32_t sum = 0;
  std::uint32_t read = 0;
  std::uint32_t chunk = blockIdx.x;
  bool ends = false;
#pragma unroll 1
  while (!ends) {
    const unsigned reads = does == NeighbourDoes::waits ? 0 : chunks_in_a_row;
#pragma unroll 1
    for (unsigned i = 0; i < reads; ++i) {
      uint4 word[neighbour_in_a_row];
      const uint4* first = words + std::uint64_t{chunk} * chunk_words + threadIdx.x;
#pragma unroll
      for (unsigned k = 0; k < neighbour_in_a_row; ++k) word[k] = load_past_l1(first + k * neighbour_threads);
#pragma unroll
      for (const uint4& vector : word) sum += vector.x + vector.y + vector.z + vector.w;
      chunk += gridDim.x;
      if (chunk >= chunks) chunk -= chunks;
    }
    read += reads;
    bool over = false;
    if (threadIdx.x == 0) {
      if (reads == 0) __nanosleep(1000);  // else it would ask for the signal all the time
      const bool alone = does == NeighbourDoes::streams_alone;
      const bool ended = !alone && volatile_read(&signals->victim_ended) != 0;
      over = ended || measure::global_ns() - start >= most_ns;
      if (over && !ended && !alone) signals->gave_up = 1;
    }
    ends = __syncthreads_or(over ? 1 : 0) != 0;
  }
  if (threadIdx.x == 0) {
    atomicMax(&signals->neighbour_end_ns, static_cast<unsigned long long>(measure::global_ns()));
    chunks_read[blockIdx.x] = read;
  }
  sums[blockIdx.x * neighbour_threads + threadIdx.x] = sum;
}

__device__ inline std::uint32_t sum_of_word(std::uint64_t index) {
  std::uint32_t sum = 0;
  for (unsigned k = 0; k < 4; ++k) sum += measure::random_word(4 * index + k);
  return sum;
}

/// Each thread of the victim must have read its words in every turn.
static __global__ void check_read_beside(const std::uint32_t* sums, std::uint32_t count, std::uint32_t turns,
                                         unsigned long long* mismatches) {
  const std::uint32_t thread = blockIdx.x * neighbour_threads + threadIdx.x;
  std::uint32_t expected = 0;
  for (std::uint64_t i = thread; i < count; i += std::uint64_t{gridDim.x} * neighbour_threads) {
    expected += sum_of_word(i);
  }
  if (sums[thread] != turns * expected) atomicAdd(mismatches, 1ULL);
}

/// Each word must have been added to so often.
static __global__ void check_added_beside(const std::uint32_t* words, std::uint32_t count, std::uint32_t expected,
                                          unsigned long long* mismatches) {
  const std::uint32_t step = gridDim.x * neighbour_threads;
  for (std::uint32_t i = blockIdx.x * neighbour_threads + threadIdx.x; i < count; i += step) {
    if (words[i] != expected) atomicAdd(mismatches, 1ULL);
  }
}

/// Each thread of the neighbour must have read its words of as many chunks as its block says; `first` is the index of
/// the stream's first word.
static __global__ void check_stream_beside(const std::uint32_t* sums, const std::uint32_t* chunks_read,
                                           std::uint32_t chunks, std::uint64_t first, unsigned long long* mismatches) {
  std::uint32_t expected = 0;
  std::uint32_t chunk = blockIdx.x;
  for (std::uint32_t i = 0; i < chunks_read[blockIdx.x]; ++i) {
    for (unsigned k = 0; k < neighbour_in_a_row; ++k) {
      expected +=
          sum_of_word(first + (std::uint64_t{chunk} * neighbour_in_a_row + k) * neighbour_threads + threadIdx.x);
    }
    chunk += gridDim.x;
    if (chunk >= chunks) chunk -= chunks;
  }
  if (sums[blockIdx.x * neighbour_threads + threadIdx.x] != expected || chunks_read[blockIdx.x] == 0) {
    atomicAdd(mismatches, 1ULL);
  }
}

}  // namespace gpumem::cache
