#include <algorithm>

#include "engine/measure/content.hpp"
#include "engine/measure/cuda.hpp"
#include "engine/measure/kernel_name.hpp"
#include "probes/chase/timed_chase.cuh"
#include "probes/hierarchy/memory_chase.hpp"

namespace gpumem::hierarchy {

constexpr unsigned chase_threads = 1024;

/// Through L1, as any load. Volatile, to stay where it is.
__device__ inline std::uint64_t load_node(std::uint64_t address) {
  std::uint64_t value = 0;
  asm volatile("ld.global.u64 %0, [%1];" : "=l"(value) : "l"(address));
  return value;
}

/// The first lane of each warp reads nodes for the cache, then the first thread chases.
template <unsigned in_a_row>
__global__ void __launch_bounds__(chase_threads)
    chase_memory(std::uint64_t memory, NodePlace at, std::uint32_t warmed, std::uint64_t place, std::uint32_t steps,
                 std::uint64_t* result) {
  if (threadIdx.x % access::warp_lanes == 0) {
#pragma unroll 1
    for (std::uint32_t node = threadIdx.x / access::warp_lanes; node < warmed;
         node += chase_threads / access::warp_lanes) {
      // Never so, but it has every load waited for.
      if (load_node(memory + at(node)) == nowhere<std::uint64_t>) return;
    }
  }
  __syncthreads();
  if (threadIdx.x == 0)
    time_chase<in_a_row>(place, memory, steps, result, [](std::uint64_t& here) { here = load_node(here); });
}

namespace {

__global__ void fill_words(std::uint32_t* words, std::uint64_t count) {
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
    words[i] = measure::random_word(i);
  }
}

__global__ void link_nodes(std::byte* memory, NodePlace at, ChaseOrder order) {
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t k = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; k < order.nodes(); k += stride) {
    *reinterpret_cast<std::byte**>(memory + at(order(k))) = memory + at(order.next(k));
  }
}

__global__ void check_links(const std::byte* memory, NodePlace at, ChaseOrder order, unsigned long long* mismatches) {
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t k = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; k < order.nodes(); k += stride) {
    const auto* next = *reinterpret_cast<const std::byte* const*>(memory + at(order(k)));
    if (next != memory + at(order.next(k))) atomicAdd(mismatches, 1ULL);
  }
}

/// One block loads the `count` nodes before the one at `position`, in their order.
__global__ void __launch_bounds__(chase_threads)
    load_before(std::uint64_t memory, NodePlace at, ChaseOrder order, std::uint64_t position, std::uint64_t count) {
  const std::uint64_t first = position + order.nodes() - count % order.nodes();
  for (std::uint64_t k = threadIdx.x; k < count; k += chase_threads) {
    // Never so, but the assembler leaves out loads whose values nobody asks for.
    if (load_node(memory + at(order((first + k) % order.nodes()))) == nowhere<std::uint64_t>) return;
  }
}

}  // namespace

void describe_memory_chase(Workload& workload, const MemoryWalk& walk, access::Space space) {
  workload.kernel = measure::kernel_name<&chase_memory<unrolled>>();
  workload.blocks = 1;
  workload.block_threads = chase_threads;
  workload.unmodelled = "the model has no stage for latencies one after another";
  if (space == access::Space::host) {
    workload.host_bytes = walk.footprint_bytes();
  } else {
    workload.allocated_bytes = walk.allocated_bytes();
  }
  workload.sites.push_back({.name = "nodes",
                            .space = space,
                            .op = access::Op::load,
                            .word_bytes = sizeof(std::uint64_t),
                            .instructions = unrolled + 1,
                            .requests = walk.warmed() + std::uint64_t{rounds} * walk.steps,
                            .request = [walk](std::uint64_t k) {
                              const std::uint64_t warmed = walk.warmed();
                              access::WarpRequest request{.active = 1, .word_bytes = sizeof(std::uint64_t)};
                              const std::uint64_t node = k < warmed ? k : walk.order((k - warmed) % walk.order.nodes());
                              request.address[0] = walk.place(node);
                              return request;
                            }});
}

MemoryChase::MemoryChase(const MemoryWalk& walk, void* memory, measure::Session& session)
    : ChaseExperiment(walk.steps),
      walk_(walk),
      memory_(static_cast<std::byte*>(memory)),
      multiprocessors_(session.device().multiprocessors),
      l2_bytes_(session.device().l2_bytes),
      mismatches_(session) {
  // All of the multiprocessor's memory that no one asks for as shared is then L1.
  measure::check(cudaFuncSetAttribute(chase_memory<unrolled>, cudaFuncAttributePreferredSharedMemoryCarveout,
                                      cudaSharedmemCarveoutMaxL1),
                 "prefer L1 to shared memory");
  cudaStream_t stream = session.stream().get();
  const std::uint64_t words = walk_.footprint_bytes() / sizeof(std::uint32_t);
  fill_words<<<multiprocessors_ * 8, 512, 0, stream>>>(reinterpret_cast<std::uint32_t*>(memory_), words);
  link_nodes<<<multiprocessors_ * 8, 256, 0, stream>>>(memory_, walk_.place, walk_.order);
  settle(stream);
  measure::check(cudaStreamSynchronize(stream), "link the nodes");
}

std::uint64_t MemoryChase::run(std::uint64_t* result, cudaStream_t stream) {
  const auto memory = reinterpret_cast<std::uint64_t>(memory_);
  chase_memory<unrolled>
      <<<1, chase_threads, 0, stream>>>(memory, walk_.place, static_cast<std::uint32_t>(walk_.warmed()),
                                        memory + walk_.place(walk_.order(position_)), walk_.steps, result);
  position_ = (position_ + std::uint64_t{rounds} * walk_.steps) % walk_.order.nodes();
  return walk_.place(walk_.order(position_));
}

void MemoryChase::settle(cudaStream_t stream) const {
  // Twice around what L2 could hold a part of, and no more of larger footprints than it takes to fill L2 several times.
  const std::uint64_t enough = 4 * l2_bytes_ / std::min<std::uint64_t>(walk_.place.step_bytes, access::line_bytes);
  const std::uint64_t count = std::min(2 * walk_.order.nodes(), std::max<std::uint64_t>(enough, chase_threads));
  load_before<<<1, chase_threads, 0, stream>>>(reinterpret_cast<std::uint64_t>(memory_), walk_.place, walk_.order,
                                               position_, count);
  measure::check(cudaGetLastError(), "launch the warm-up");
}

measure::Verification MemoryChase::verify(cudaStream_t stream) {
  mismatches_.reset(stream);
  check_links<<<multiprocessors_ * 8, 256, 0, stream>>>(memory_, walk_.place, walk_.order, mismatches_.data());
  const unsigned long long wrong = mismatches_.read(stream, "run the check");
  if (wrong > 0) return {.mismatches = wrong, .what = "links between nodes"};
  settle(stream);
  return ChaseExperiment::verify(stream);
}

}  // namespace gpumem::hierarchy
