// Latency: a chase through each level of the hierarchy, every step waiting for the one before.

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "engine/machine/compute_capability.hpp"
#include "engine/measure/content.hpp"
#include "engine/measure/cuda.hpp"
#include "engine/measure/host_memory.hpp"
#include "engine/measure/kernel_name.hpp"
#include "probes/chase/cluster_chase.cuh"
#include "probes/chase/timed_chase.cuh"
#include "probes/hierarchy/latency/ladder.hpp"
#include "probes/hierarchy/memory_chase.hpp"

namespace gpumem::hierarchy {

constexpr unsigned kib = 1024;
constexpr unsigned mib = 1024 * kib;
constexpr unsigned line = access::line_bytes;

constexpr unsigned shared_bytes = cluster_chase_bytes;
constexpr unsigned local_words = 64;  // of a thread; each on a line of its own, shared with the other lanes' words
/// First-level constant caches hold 2 KiB, in lines of 64 bytes (Jia and others, Dissecting the NVIDIA Volta GPU
/// Architecture via Microbenchmarking, 2018); the next level holds all of a program's constants.
constexpr unsigned constant_line = 64;
constexpr unsigned near_constant_bytes = 1 * kib;
constexpr unsigned far_constant_bytes = 32 * kib;

__constant__ std::uint32_t constant_nodes[(far_constant_bytes + near_constant_bytes) / sizeof(std::uint32_t)];

/// Additions are so short that, fewer in a row, the loop around them would show.
constexpr unsigned additions_in_a_row = 6 * unrolled;

// ---- Kernels, each of one warp a block: the first thread chases.

template <unsigned in_a_row>
__global__ void chase_registers(float addend, std::uint32_t steps, std::uint64_t* result) {
  const float own = addend + static_cast<float>(threadIdx.x);  // in a register, where a parameter would be none
  if (threadIdx.x != 0) return;
  // Adds floating-point numbers, because two additions of integers in a row become one instruction.
  time_chase<in_a_row>(0.0F, 0.0F, steps, result, [own](float& sum) {
    asm volatile("add.rn.f32 %0, %0, %1;" : "+f"(sum) : "f"(own));
  });
}

template <unsigned in_a_row>
__global__ void chase_shared(ChaseOrder order, std::uint32_t steps, std::uint64_t* result) {
  __shared__ std::uint32_t nodes[shared_bytes / sizeof(std::uint32_t)];
  constexpr unsigned step_words = line / sizeof(std::uint32_t);
  const auto base = static_cast<std::uint32_t>(__cvta_generic_to_shared(nodes));
  for (std::uint64_t k = threadIdx.x; k < order.nodes(); k += blockDim.x) {
    nodes[order(k) * step_words] = base + static_cast<std::uint32_t>(order.next(k)) * line;
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  time_chase<in_a_row>(base + static_cast<std::uint32_t>(order(0)) * line, base, steps, result, [](std::uint32_t& at) {
    asm volatile("ld.shared.u32 %0, [%0];" : "+r"(at));
  });
}

template <unsigned in_a_row>
__global__ void chase_local(ChaseOrder order, std::uint32_t steps, std::uint64_t* result) {
  if (threadIdx.x != 0) return;
  std::uint32_t nodes[local_words];
  constexpr auto word = static_cast<std::uint32_t>(sizeof(std::uint32_t));
  const auto base = static_cast<std::uint32_t>(__cvta_generic_to_local(nodes));
#pragma unroll 1
  for (std::uint64_t k = 0; k < order.nodes(); ++k) {
    const std::uint32_t at = base + static_cast<std::uint32_t>(order(k)) * word;
    asm volatile("st.local.u32 [%0], %1;" ::"r"(at), "r"(base + static_cast<std::uint32_t>(order.next(k)) * word));
  }
  time_chase<in_a_row>(base + static_cast<std::uint32_t>(order(0)) * word, base, steps, result, [](std::uint32_t& at) {
    asm volatile("ld.local.u32 %0, [%0];" : "+r"(at));
  });
}

template <unsigned in_a_row>
__global__ void chase_constant(std::uint32_t place, std::uint32_t origin, std::uint32_t steps, std::uint64_t* result) {
  if (threadIdx.x != 0) return;
  time_chase<in_a_row>(place, origin, steps, result, [](std::uint32_t& at) {
    at = *reinterpret_cast<const std::uint32_t*>(reinterpret_cast<const char*>(constant_nodes) + at);
  });
}

template <unsigned in_a_row>
__global__ void chase_texture(cudaTextureObject_t nodes, std::uint32_t place, std::uint32_t steps,
                              std::uint64_t* result) {
  if (threadIdx.x != 0) return;
  time_chase<in_a_row>(place, 0U, steps, result,
                       [nodes](std::uint32_t& at) { at = tex1Dfetch<std::uint32_t>(nodes, static_cast<int>(at)); });
}

// ---- Levels

/// The way by which a kernel accesses a level.
enum class Path { registers, shared, cluster, local, constant, texture, pointer };

struct Level {
  Path way = Path::pointer;
  access::Space space = access::Space::global;
  std::uint64_t bytes = 0;     ///< that the nodes span
  unsigned l2_sixteenths = 0;  ///< or so many of L2, if those are more
  unsigned step_bytes = line;
  std::uint64_t origin = 0;  ///< byte of the constants where they begin
  std::uint64_t nodes = 1;
};

namespace axis {
constexpr Choice<Level> level_shape{
    level.name,
    {{"register", {Path::registers}},
     {"shared", {Path::shared, access::Space::shared, shared_bytes}},
     {"cluster", {Path::cluster, access::Space::cluster, shared_bytes}},
     {"l1", {.bytes = 16 * kib}},
     {"texture", {Path::texture, access::Space::texture, 16 * kib}},
     {"constant", {Path::constant, access::Space::constant, near_constant_bytes, 0, constant_line, far_constant_bytes}},
     {"constant-far", {Path::constant, access::Space::constant, far_constant_bytes, 0, constant_line}},
     {"local", {Path::local, access::Space::local, local_words * sizeof(std::uint32_t), 0, sizeof(std::uint32_t)}},
     // `l2` fits the part of L2 that is near; `l2-far` is more than that part, and less than all of L2.
     {"l2", {.bytes = 1 * mib, .l2_sixteenths = 1}},
     {"l2-far", {.bytes = 1 * mib, .l2_sixteenths = 10}},
     {"memory", {.bytes = 64 * mib, .l2_sixteenths = 64}},
     {"host", {.space = access::Space::host, .bytes = 4 * mib}}}};
}  // namespace axis

static Level level_of(const Case& tested, const Device& device) {
  Level level = tested[axis::level_shape];
  const std::uint64_t bytes = std::max(level.bytes, device.l2_bytes * level.l2_sixteenths / 16);
  level.nodes = std::max<std::uint64_t>(bytes / level.step_bytes, 1);
  return level;
}

static ChaseOrder order_of(const Level& level, const Case& tested) {
  return {level.nodes, std::max(tested[axis::page_bytes] / level.step_bytes, std::uint64_t{1})};
}

/// Steps that a launch times: fewer over the link, where each takes a microsecond.
static std::uint32_t steps_of(const Level& level) {
  return level.space == access::Space::host ? timed_steps / 4 : timed_steps;
}

static MemoryWalk walk_of(const Level& level, const Case& tested) {
  return {level.nodes * level.step_bytes, tested[axis::page_bytes], level.step_bytes, steps_of(level)};
}

static std::string kernel_of(Path way) {
  switch (way) {
    case Path::registers:
      return measure::kernel_name<&chase_registers<additions_in_a_row>>();
    case Path::shared:
      return measure::kernel_name<&chase_shared<unrolled>>();
    case Path::cluster:
      return measure::kernel_name<&chase_cluster<unrolled, access::Op::load>>();
    case Path::local:
      return measure::kernel_name<&chase_local<unrolled>>();
    case Path::constant:
      return measure::kernel_name<&chase_constant<unrolled>>();
    default:
      return measure::kernel_name<&chase_texture<unrolled>>();
  }
}

static Workload describe_latency(const Case& decided, const Device& device) {
  const Level level = level_of(decided, device);
  Workload workload;
  workload.subject = Chase{.level = decided[axis::level]};
  if (level.way == Path::pointer) {
    describe_memory_chase(workload, walk_of(level, decided), level.space);
    return workload;
  }
  if (level.way == Path::cluster) require_clusters(device);
  workload.kernel = kernel_of(level.way);
  workload.blocks = level.way == Path::cluster ? 2 : 1;
  workload.block_threads = access::warp_lanes;
  workload.unmodelled = "the model has no stage for latencies one after another";
  if (level.way == Path::registers) return workload;
  if (level.way == Path::shared || level.way == Path::cluster) workload.shared_bytes_per_block = shared_bytes;
  const unsigned word_bytes = level.way == Path::cluster ? sizeof(std::uint64_t) : sizeof(std::uint32_t);
  const ChaseOrder order = order_of(level, decided);
  const auto at_node = [=, local = level.way == Path::local, step = level.step_bytes](std::uint64_t node) {
    access::WarpRequest request{.active = 1, .word_bytes = word_bytes};
    request.address[0] = local ? access::local_address(node * step, 0) : node * step;
    return request;
  };
  workload.sites.push_back({.name = "nodes",
                            .space = level.space,
                            .op = access::Op::load,
                            .word_bytes = word_bytes,
                            .instructions = unrolled,
                            .requests = std::uint64_t{rounds} * steps_of(level),
                            .request = [=](std::uint64_t k) { return at_node(order(k % order.nodes())); }});
  if (level.way == Path::local) {
    workload.sites.push_back({.name = "links",
                              .space = level.space,
                              .op = access::Op::store,
                              .word_bytes = word_bytes,
                              .requests = level.nodes,
                              .request = at_node});
  }
  return workload;
}

// ---- Experiments

/// Memory that a texture reads, as 32-bit words.
class WordTexture {
 public:
  WordTexture() = default;
  explicit WordTexture(const std::vector<std::uint32_t>& words) : buffer_(words.size() * sizeof(std::uint32_t)) {
    measure::check(cudaMemcpy(buffer_.data(), words.data(), buffer_.bytes(), cudaMemcpyDefault), "link the nodes");
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = buffer_.data();
    resource.res.linear.desc = cudaCreateChannelDesc<std::uint32_t>();
    resource.res.linear.sizeInBytes = buffer_.bytes();
    cudaTextureDesc texture{};
    texture.readMode = cudaReadModeElementType;
    measure::check(cudaCreateTextureObject(&object_, &resource, &texture, nullptr), "create a texture");
  }
  ~WordTexture() {
    if (object_ != 0) static_cast<void>(cudaDestroyTextureObject(object_));
  }
  WordTexture(const WordTexture&) = delete;
  WordTexture& operator=(const WordTexture&) = delete;

  [[nodiscard]] cudaTextureObject_t get() const { return object_; }

 private:
  measure::DeviceBuffer buffer_;
  cudaTextureObject_t object_ = 0;
};

/// A chase through a level that pointers do not address. Its nodes are few, and the host knows them all.
class SmallChase final : public ChaseExperiment {
 public:
  SmallChase(const Level& level, const ChaseOrder& order)
      : ChaseExperiment(steps_of(level)), level_(level), order_(order) {
    if (level.way == Path::texture) texture_ = std::make_unique<WordTexture>(linked_words(sizeof(std::uint32_t)));
    if (level.way != Path::constant) return;
    const auto words = linked_words(1);
    measure::check(cudaMemcpyToSymbol(constant_nodes, words.data(), words.size() * sizeof words.front(), level.origin),
                   "link the nodes");
  }

 private:
  /// The nodes, linked in units of `unit_bytes`.
  [[nodiscard]] std::vector<std::uint32_t> linked_words(std::uint64_t unit_bytes) const {
    std::vector<std::uint32_t> words(level_.nodes * level_.step_bytes / sizeof(std::uint32_t));
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = measure::random_word(i);
    for (std::uint64_t k = 0; k < level_.nodes; ++k) {
      const std::uint64_t next = level_.origin + order_.next(k) * level_.step_bytes;
      words[order_(k) * level_.step_bytes / sizeof(std::uint32_t)] = static_cast<std::uint32_t>(next / unit_bytes);
    }
    return words;
  }

  std::uint64_t run(std::uint64_t* result, cudaStream_t stream) override {
    const std::uint64_t taken = std::uint64_t{rounds} * steps();
    const std::uint64_t reached = order_(taken % level_.nodes) * level_.step_bytes;
    const auto origin = static_cast<std::uint32_t>(level_.origin);
    const auto first = static_cast<std::uint32_t>(order_(0) * level_.step_bytes);
    switch (level_.way) {
      case Path::registers: {
        const std::uint32_t addend = measure::random_word(1) % 256;  // sums of it are exact
        chase_registers<additions_in_a_row>
            <<<1, access::warp_lanes, 0, stream>>>(static_cast<float>(addend), steps(), result);
        return taken * addend;
      }
      case Path::shared:
        chase_shared<unrolled><<<1, access::warp_lanes, 0, stream>>>(order_, steps(), result);
        return reached;
      case Path::cluster:
        measure::launch_clusters(chase_cluster<unrolled, access::Op::load>,
                                 {.clusters = 1, .blocks = 2, .block_threads = access::warp_lanes}, stream, order_,
                                 steps(), 1U, result);
        return reached;
      case Path::local:
        chase_local<unrolled><<<1, access::warp_lanes, 0, stream>>>(order_, steps(), result);
        return reached;
      case Path::constant:
        chase_constant<unrolled><<<1, access::warp_lanes, 0, stream>>>(origin + first, origin, steps(), result);
        return reached;
      default:
        chase_texture<unrolled>
            <<<1, access::warp_lanes, 0, stream>>>(texture_->get(), first / sizeof(std::uint32_t), steps(), result);
        return reached / sizeof(std::uint32_t);
    }
  }

  Level level_;
  ChaseOrder order_;
  std::unique_ptr<WordTexture> texture_;
};

/// Like DeviceNodes, but in mapped memory of the host.
struct MappedNodes {
  host::Buffer mapped;
};

class HostChase final : private MappedNodes, public MemoryChase {
 public:
  HostChase(const MemoryWalk& walk, measure::Session& session)
      : MappedNodes{host::Buffer(host::Memory::pinned, walk.footprint_bytes())},
        MemoryChase(walk, mapped.device_words(), session) {}
};

static std::unique_ptr<measure::Experiment> prepare(const Case& decided, measure::Session& session) {
  const Level level = level_of(decided, session.device());
  if (level.way != Path::pointer) return std::make_unique<SmallChase>(level, order_of(level, decided));
  const MemoryWalk walk = walk_of(level, decided);
  if (level.space == access::Space::host) return std::make_unique<HostChase>(walk, session);
  return std::make_unique<DeviceChase>(walk, session);
}

static Probe latency_probe() {
  Probe probe;
  probe.name = "latency";
  probe.purpose = "time of a load that waits for the last one, by level";
  probe.family = Family::hierarchy;
  probe.axes = {axis::level_shape({.flag = "latency",
                                   .purpose = "level that answers: a register, a memory of the multiprocessor, a cache "
                                              "that holds all of a chase, or a memory behind it"}),
                order_axis()};
  probe.compared = axis::page_bytes.name;
  probe.baseline = std::string("random");
  probe.headline = latency_headline();
  probe.metrics = {latency_ns()};
  probe.describe = describe_latency;
  probe.prepare = prepare;
  probe.conclude = conclude_latency;
  return probe;
}

GPUMEM_PROBE(latency_probe);

}  // namespace gpumem::hierarchy
