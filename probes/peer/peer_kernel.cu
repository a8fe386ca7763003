#include <algorithm>

#include "probes/global/launch.cuh"
#include "probes/peer/peer_kernel.hpp"

namespace gpumem::peer {

/// Every element in its place.
struct Consecutive {
  GPUMEM_HOST_DEVICE constexpr std::uint64_t operator()(std::uint64_t i) const { return i; }
  GPUMEM_HOST_DEVICE constexpr bool active(std::uint64_t) const { return true; }
  [[nodiscard]] constexpr std::uint64_t extent(std::uint64_t count) const { return count; }
  [[nodiscard]] constexpr std::uint64_t useful(std::uint64_t count) const { return count; }
  [[nodiscard]] constexpr global::PatternPeriod period() const { return {.accesses = 1, .growth_elements = 1}; }
};

namespace {

// The fastest of those tried between two H100s (docs/peer.md).
constexpr global::Tile write_tile{256, 1};
constexpr global::Tile read_tile{512, 8};
constexpr unsigned read_blocks_per_multiprocessor = 2;

global::Launch launch_of(std::uint64_t words, const global::Tile& tile) {
  return {.op = global::Op::copy, .word_bytes = sizeof(uint4), .count = words, .tile = tile};
}

std::uint64_t read_blocks(std::uint64_t words, const Device& gpu) {
  return std::min<std::uint64_t>(launch_of(words, read_tile).blocks(),
                                 std::uint64_t{gpu.multiprocessors} * read_blocks_per_multiprocessor);
}

/// Leaves nothing in L1, where the next copy would find it.
__device__ uint4 load_past_l1(const uint4* address) {
  uint4 word;
  asm volatile("ld.global.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(word.x), "=r"(word.y), "=r"(word.z), "=r"(word.w)
               : "l"(address));
  return word;
}

}  // namespace

/// Copies `count` elements, so many times in a row. Blocks stay to the end, and their threads go on by as many elements
/// as the grid has threads: loads of the next copy are under way before the last ones of this copy have come back.
template <class Pattern>
__global__ void __launch_bounds__(read_tile.block_threads, read_blocks_per_multiprocessor)
    read_in_rounds(const uint4* source, uint4* target, std::uint64_t count, unsigned copies, Pattern pattern) {
  constexpr unsigned turns = read_tile.elements_per_thread;
  const std::uint64_t threads = std::uint64_t{gridDim.x} * blockDim.x;
  const std::uint64_t first = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
#pragma unroll 1
  for (unsigned copy = 0; copy < copies; ++copy) {
#pragma unroll 1
    for (std::uint64_t begin = first; begin < count; begin += turns * threads) {
      uint4 word[turns];
#pragma unroll
      for (unsigned turn = 0; turn < turns; ++turn) {
        const std::uint64_t i = begin + turn * threads;
        if (i < count && pattern.active(i)) word[turn] = load_past_l1(&source[pattern(i)]);
      }
#pragma unroll
      for (unsigned turn = 0; turn < turns; ++turn) {
        const std::uint64_t i = begin + turn * threads;
        if (i < count && pattern.active(i)) target[pattern(i)] = word[turn];
      }
    }
  }
}

Workload describe_read(std::uint64_t words, const Device& gpu) {
  Workload workload = global::workload_of(launch_of(words, read_tile), Consecutive{}, access::Space::global);
  workload.kernel = measure::kernel_name<&read_in_rounds<Consecutive>>();
  workload.blocks = read_blocks(words, gpu);
  workload.sites.front().space = access::Space::peer;
  return workload;
}

Workload describe_write(std::uint64_t words) {
  Workload workload = global::describe_launch(launch_of(words, write_tile), Consecutive{}, access::Space::global);
  workload.sites.back().space = access::Space::peer;
  return workload;
}

void queue_reads(unsigned copies, std::uint64_t words, const std::uint32_t* source, std::uint32_t* target,
                 const Device& gpu, cudaStream_t stream) {
  const auto grid = static_cast<unsigned>(read_blocks(words, gpu));
  read_in_rounds<<<grid, read_tile.block_threads, 0, stream>>>(
      reinterpret_cast<const uint4*>(source), reinterpret_cast<uint4*>(target), words, copies, Consecutive{});
  measure::check(cudaGetLastError(), "launch the kernel that reads");
}

void queue_writes(unsigned copies, std::uint64_t words, const std::uint32_t* source, std::uint32_t* target,
                  cudaStream_t stream) {
  for (unsigned copy = 0; copy < copies; ++copy) {
    global::launch_into(launch_of(words, write_tile), Consecutive{}, source, target, stream);
  }
}

}  // namespace gpumem::peer
