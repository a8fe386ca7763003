// Working set: the same chase over more and more bytes. Latency rises, and the bandwidth of all multiprocessors
// together falls, as soon as a cache or a TLB no longer holds all of them: the knees are the capacities.

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/measure/cuda.hpp"
#include "engine/measure/timing.hpp"
#include "engine/measure/verify.hpp"
#include "probes/hierarchy/memory_chase.hpp"
#include "probes/hierarchy/working_set/working_set.hpp"

namespace gpumem::hierarchy {

constexpr unsigned read_threads = 1024;
constexpr unsigned read_warps = read_threads / access::warp_lanes;
/// Loads of 16 bytes that a thread has in flight. A chunk is what its warp then reads: 4 KiB.
constexpr unsigned loads_in_flight = 8;
constexpr unsigned chunk_words = loads_in_flight * access::warp_lanes;  // of 16 bytes
constexpr unsigned chunk_bytes = chunk_words * sizeof(uint4);
/// Chunks that each warp reads: 64 MiB a multiprocessor, 2 ms at 4.5 TB/s. Over the smallest footprint, that is enough
/// passes for the first not to show.
constexpr std::uint32_t chunks_read = 512;

/// The chunk that a warp reads as its i-th: each block begins at another part of the footprint, and goes round.
struct ReadOrder {
  std::uint32_t chunks;

  [[nodiscard]] __device__ std::uint32_t first() const {
    const std::uint64_t begin = std::uint64_t{chunks} * blockIdx.x / gridDim.x;
    return static_cast<std::uint32_t>((begin + threadIdx.x / access::warp_lanes) % chunks);
  }
};

/// Every multiprocessor reads the footprint again and again; each thread stores what it read, folded into a word.
__global__ void __launch_bounds__(read_threads)
    read_footprint(const uint4* words, ReadOrder order, std::uint32_t* folded) {
  std::uint32_t chunk = order.first();
  const std::uint32_t advance = read_warps % order.chunks;  // a step that never needs more than one turn back
  std::uint32_t sum = 0;
#pragma unroll 1
  for (std::uint32_t i = 0; i < chunks_read; ++i) {
    const uint4* from = words + std::uint64_t{chunk} * chunk_words + threadIdx.x % access::warp_lanes;
    uint4 value[loads_in_flight];
#pragma unroll
    for (unsigned k = 0; k < loads_in_flight; ++k) {
      asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(value[k].x), "=r"(value[k].y), "=r"(value[k].z), "=r"(value[k].w)
                   : "l"(from + k * access::warp_lanes));
    }
#pragma unroll
    for (const uint4& vector : value) sum ^= vector.x ^ vector.y ^ vector.z ^ vector.w;
    chunk += advance;
    if (chunk >= order.chunks) chunk -= order.chunks;
  }
  folded[blockIdx.x * read_threads + threadIdx.x] = sum;
}

/// The same word for word, with every place worked out anew.
__global__ void __launch_bounds__(read_threads)
    check_folded(const std::uint32_t* words, ReadOrder order, const std::uint32_t* folded,
                 unsigned long long* mismatches) {
  const unsigned warp = threadIdx.x / access::warp_lanes;
  std::uint32_t sum = 0;
  for (std::uint32_t i = 0; i < chunks_read; ++i) {
    const std::uint64_t chunk =
        (std::uint64_t{order.chunks} * blockIdx.x / gridDim.x + warp + i * read_warps) % order.chunks;
    for (unsigned word = 0; word < chunk_words; word += access::warp_lanes) {
      const std::uint64_t at = 4 * (chunk * chunk_words + word + threadIdx.x % access::warp_lanes);
      sum ^= words[at] ^ words[at + 1] ^ words[at + 2] ^ words[at + 3];
    }
  }
  if (folded[blockIdx.x * read_threads + threadIdx.x] != sum) atomicAdd(mismatches, 1ULL);
}

static MemoryWalk walk_of(const Case& tested) {
  return {tested[axis::footprint_bytes], tested[axis::page_bytes], tested[axis::step_bytes], timed_steps};
}

static Workload describe_working_set(const Case& decided, const Device& device) {
  const MemoryWalk walk = walk_of(decided);
  Workload workload;
  describe_memory_chase(workload, walk, access::Space::global);
  // Nodes further apart than a line have one each.
  const std::uint64_t nodes_bytes = std::min<std::uint64_t>(walk.place.step_bytes, access::line_bytes);
  workload.subject = Chase{.lines = walk.order.nodes() * nodes_bytes / access::line_bytes,
                           .lines_once = walk.place.step_bytes == access::line_bytes};
  workload.allocated_bytes += std::uint64_t{device.multiprocessors} * read_threads * sizeof(std::uint32_t);
  return workload;
}

class WorkingSetExperiment final : public DeviceChase {
 public:
  WorkingSetExperiment(const Case& decided, measure::Session& session)
      : DeviceChase(walk_of(decided), session),
        session_(&session),
        decided_(walk_of(decided)),
        blocks_(session.device().multiprocessors),
        order_{static_cast<std::uint32_t>(decided[axis::footprint_bytes] / chunk_bytes)},
        folded_(std::size_t{blocks_} * read_threads * sizeof(std::uint32_t)),
        mismatches_(session) {
    measure::check(cudaFuncSetAttribute(read_footprint, cudaFuncAttributePreferredSharedMemoryCarveout,
                                        cudaSharedmemCarveoutMaxL1),
                   "prefer L1 to shared memory");
  }

  /// Checks the reads of all multiprocessors, then the chase: its launches come next.
  measure::Verification verify(cudaStream_t stream) override {
    measure::poison(folded_, stream);
    mismatches_.reset(stream);
    read(stream);
    check_folded<<<blocks_, read_threads, 0, stream>>>(reinterpret_cast<const std::uint32_t*>(memory()), order_,
                                                       folded_.as<std::uint32_t>(), mismatches_.data());
    const unsigned long long wrong = mismatches_.read(stream, "read the footprint and check it");
    if (wrong > 0) return {.mismatches = wrong, .what = "threads' sums of what they read"};
    return DeviceChase::verify(stream);
  }

  std::vector<std::pair<std::string, double>> metrics(cudaStream_t stream, measure::Seconds per_launch) override {
    auto all = DeviceChase::metrics(stream, per_launch);
    // Each read finds what the one before left in L2.
    const measure::Seconds once = measure::time_queued(session_->stream(), 5, [&] { read(stream); }).median;
    const double bytes = double{read_warps} * blocks_ * chunks_read * chunk_bytes;
    all.emplace_back("read_gb_per_s", bytes / once.count() * per_giga);
    if (const auto fetched = fetch_bytes(stream)) all.emplace_back("fetch_bytes", *fetched);
    return all;
  }

 private:
  /// Bytes that a miss brings: the smallest distance at which the neighbour of a node just loaded is missed as well.
  /// nullopt if L1 may hold all nodes.
  std::optional<double> fetch_bytes(cudaStream_t stream) {
    constexpr std::uint64_t neighbourhood = 1024;  // bytes that are finished, in random order, before the next
    constexpr std::uint64_t walked = std::uint64_t{rounds} * timed_steps * 2 * access::line_bytes;
    constexpr double misses = 0.85;  // of a step's time where all miss; where every other one does it is about 0.7
    if (decided_.warmed() > 0) return std::nullopt;
    std::map<std::uint64_t, double> cycles;
    for (std::uint64_t step = access::sector_bytes; step <= 2 * access::line_bytes; step *= 2) {
      MemoryWalk walk(walked, neighbourhood, step, timed_steps);
      walk.place.scattered = false;
      DeviceChase chase(walk, *session_);
      settle(stream);  // so that the nodes just linked are where they would be after a chase of the footprint
      chase.launch(stream);
      measure::check(cudaStreamSynchronize(stream), "chase from neighbour to neighbour");
      cycles[step] = chase.sample();
    }
    const double all_miss = cycles.rbegin()->second;
    const auto found =
        std::ranges::find_if(cycles, [&](const auto& of_step) { return of_step.second > misses * all_miss; });
    return static_cast<double>(found->first);
  }

  void read(cudaStream_t stream) {
    read_footprint<<<blocks_, read_threads, 0, stream>>>(reinterpret_cast<const uint4*>(memory()), order_,
                                                         folded_.as<std::uint32_t>());
    measure::check(cudaGetLastError(), "launch the reads");
  }

  measure::Session* session_;
  MemoryWalk decided_;
  unsigned blocks_;
  ReadOrder order_;
  measure::DeviceBuffer folded_;
  measure::MismatchCount mismatches_;
};

static Probe working_set_probe() {
  Probe probe;
  probe.name = "working-set";
  probe.purpose = "latency, bandwidth over the footprint: what each cache holds";
  probe.family = Family::hierarchy;
  probe.axes = {
      axis::footprint_bytes(
          {.flag = "footprint",
           .purpose = "bytes that are visited, again and again; each cache and TLB holds so many of them",
           .defaults = "8KiB..64KiB*2,96KiB..320KiB:16KiB,384KiB,512KiB,768KiB,"
                       "1MiB..16MiB*2,20MiB..64MiB:4MiB,80MiB,96MiB,128MiB..64GiB*2",
           .quick = "16KiB,1MiB,16MiB,48MiB,256MiB,4GiB",
           .minimum = chunk_bytes}),
      order_axis(),
      axis::step_bytes({.flag = "step",
                        .unit = "bytes",
                        .purpose =
                            "distance between nodes, at random within their own; further apart than a line is, so many "
                            "fit a cache as it has lines",
                        .defaults = "32,128,256",
                        .quick = "128",
                        .numbers = {32, 64, 128, 256, 512, 1024, 2048, 4096}})};
  probe.compared = axis::step_bytes.name;
  probe.baseline = std::uint64_t{128};
  probe.headline = latency_headline();
  probe.metrics = {
      latency_ns(),
      {{"read_gb_per_s", "bandwidth of all multiprocessors reading that footprint again and again", Better::more}},
      {{"fetch_bytes", "bytes that a miss brings: a neighbour further away misses too", Better::neither}}};
  probe.concluded = working_set_quantities();
  probe.describe = describe_working_set;
  probe.fits = [](const Case& tested, const Device& device) {
    return describe_working_set(tested, device).allocated_bytes <=
           device.free_memory_bytes.value_or(device.memory_bytes);
  };
  probe.validate = [](const Case& chosen) {
    const std::uint64_t footprint = chosen[axis::footprint_bytes];
    if (footprint % chunk_bytes == 0) return;
    throw usage_error("--footprint " + std::to_string(footprint) + " is not a multiple of 4 KiB; use " +
                      std::to_string(footprint / chunk_bytes * chunk_bytes));
  };
  probe.prepare = prepared<WorkingSetExperiment>;
  probe.conclude = conclude_working_set;
  return probe;
}

GPUMEM_PROBE(working_set_probe);

}  // namespace gpumem::hierarchy
