// Async-copy: an array of global memory streamed through shared memory, by three ways to get it there: loaded into
// registers and stored, by cp.async past the registers, and by the bulk copy engine at the request of one thread. What
// bandwidth each reaches follows from the bytes that a multiprocessor has in flight (Little's law); what it costs are
// registers and threads.

#include <algorithm>
#include <bit>
#include <memory>
#include <string>
#include <type_traits>

#include "probes/compute_capability.hpp"
#include "probes/error.hpp"
#include "probes/measure/content.hpp"
#include "probes/measure/cuda.hpp"
#include "probes/measure/experiment.hpp"
#include "probes/measure/kernel_name.hpp"
#include "probes/measure/session.hpp"
#include "probes/measure/verify.hpp"
#include "probes/probe.hpp"
#include "probes/shared/async_copy_advice.hpp"
#include "probes/words.hpp"

namespace gpumem::shared {

namespace {

constexpr unsigned word_bytes = sizeof(uint4);
/// Parts of the ring that the asynchronous ways fill: one is used while the others are on their way.
constexpr unsigned ring_stages = 4;
/// Loads of a thread from shared memory that do not wait for each other.
constexpr unsigned used_at_once = 4;
/// What a thread may hold, in words; more would not leave registers for 256 threads with 128 KiB.
constexpr unsigned most_held = 32;
constexpr std::uint64_t most_in_flight = std::uint64_t{128} << 10U;

}  // namespace

/// Steps of this block: tiles go round the blocks.
__device__ inline std::uint32_t steps_of(std::uint32_t tiles) {
  return blockIdx.x < tiles ? (tiles - blockIdx.x - 1) / gridDim.x + 1 : 0;
}
__device__ inline const uint4* tile_of(const uint4* source, std::uint32_t step, std::uint32_t words) {
  return source + (std::uint64_t{step} * gridDim.x + blockIdx.x) * words;
}

__device__ inline std::uint32_t shared_address(const void* pointer) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

/// Adds up a tile that has arrived, each thread words that another one brought; several at once, or one warp alone
/// could not use what the memory delivers.
__device__ inline std::uint32_t sum_of(const uint4* tile, std::uint32_t words) {
  std::uint32_t sum = 0;
#pragma unroll 1
  for (std::uint32_t first = threadIdx.x; first < words; first += used_at_once * blockDim.x) {
    uint4 word[used_at_once] = {};
#pragma unroll
    for (unsigned k = 0; k < used_at_once; ++k) {
      const std::uint32_t i = first + k * blockDim.x;
      if (i < words) word[k] = tile[words - 1 - i];
    }
#pragma unroll
    for (const uint4& one : word) sum += one.x + one.y + one.z + one.w;
  }
  return sum;
}

/// The next tile is loaded before this one is used.
template <unsigned held>
__global__ void __launch_bounds__(std::min(1024U, static_cast<unsigned>(most_in_flight / word_bytes / held)))
    copy_through_registers(const uint4* source, std::uint32_t* sums, std::uint32_t tiles) {
  extern __shared__ uint4 tile[];
  const std::uint32_t words = held * blockDim.x;
  const std::uint32_t steps = steps_of(tiles);
  uint4 word[held] = {};
  std::uint32_t sum = 0;
#pragma unroll 1
  for (std::uint32_t step = 0; step <= steps; ++step) {
    if (step > 0) {
#pragma unroll
      for (unsigned k = 0; k < held; ++k) tile[k * blockDim.x + threadIdx.x] = word[k];
    }
    __syncthreads();
    if (step < steps) {
      const uint4* next = tile_of(source, step, words) + threadIdx.x;
#pragma unroll
      for (unsigned k = 0; k < held; ++k) {  // volatile: here, and not when they are stored
        asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(word[k].x), "=r"(word[k].y), "=r"(word[k].z), "=r"(word[k].w)
                     : "l"(next + k * blockDim.x));
      }
    }
    if (step > 0) sum += sum_of(tile, words);
    __syncthreads();
  }
  sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/// A stage is filled again as soon as it has been used. Steps that only use, or only fill, keep the loop whole.
template <unsigned stages>
__global__ void __launch_bounds__(1024)
    copy_by_cp_async(const uint4* source, std::uint32_t* sums, std::uint32_t tiles, std::uint32_t words) {
#if __CUDA_ARCH__ >= 800
  extern __shared__ uint4 ring[];
  const std::uint32_t steps = steps_of(tiles);
  std::uint32_t sum = 0;
#pragma unroll 1
  for (std::uint32_t step = 0; step < steps + stages; ++step) {
    uint4* stage = ring + step % stages * words;
    if (step >= stages) {
      asm volatile("cp.async.wait_group %0;" ::"n"(stages - 1) : "memory");
      __syncthreads();
      sum += sum_of(stage, words);
      __syncthreads();
    }
    if (step < steps) {
      const uint4* next = tile_of(source, step, words);
#pragma unroll 1
      for (std::uint32_t i = threadIdx.x; i < words; i += blockDim.x) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(stage + i)), "l"(next + i)
                     : "memory");
      }
    }
    asm volatile("cp.async.commit_group;" ::: "memory");  // also of nothing: the number of groups is what is waited by
  }
  sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
#else
  __trap();
#endif
}

#if __CUDA_ARCH__ >= 900
/// Whether the phase of that parity has completed; waits a while for it.
__device__ inline bool has_arrived(const std::uint64_t& barrier, std::uint32_t parity) {
  std::uint32_t arrived = 0;
  asm volatile(
      "{\n\t.reg .pred done;\n\t"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%1], %2;\n\t"
      "selp.u32 %0, 1, 0, done;\n\t}"
      : "=r"(arrived)
      : "r"(shared_address(&barrier)), "r"(parity)
      : "memory");
  return arrived != 0;
}

/// Asks the copy engine for a stage. The barrier's phase completes when all of its bytes have arrived.
__device__ inline void request_bulk_copy(uint4* stage, const uint4* tile, std::uint32_t bytes, std::uint64_t& barrier) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&barrier)), "r"(bytes)
               : "memory");
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   shared_address(stage)),
               "l"(tile), "r"(bytes), "r"(shared_address(&barrier))
               : "memory");
}
#endif

/// As copy_by_cp_async, but one thread asks for whole stages, and a barrier per stage tells when it is there.
template <unsigned stages>
__global__ void __launch_bounds__(1024)
    copy_by_bulk_engine(const uint4* source, std::uint32_t* sums, std::uint32_t tiles, std::uint32_t words) {
#if __CUDA_ARCH__ >= 900
  extern __shared__ uint4 ring[];
  __shared__ std::uint64_t barriers[stages];
  if (threadIdx.x == 0) {
    for (auto& barrier : barriers) {
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&barrier)) : "memory");
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");  // so that the engine sees them as well
  }
  __syncthreads();
  const std::uint32_t steps = steps_of(tiles);
  std::uint32_t sum = 0;
#pragma unroll 1
  for (std::uint32_t step = 0; step < steps + stages; ++step) {
    const std::uint32_t slot = step % stages;
    uint4* stage = ring + slot * words;
    if (step >= stages) {
      const std::uint32_t parity = (step / stages - 1) % 2;  // of the use of the stage that is waited for
      while (!has_arrived(barriers[slot], parity)) continue;
      sum += sum_of(stage, words);
      __syncthreads();
    }
    if (step < steps && threadIdx.x == 0) {
      request_bulk_copy(stage, tile_of(source, step, words), words * word_bytes, barriers[slot]);
    }
  }
  sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
#else
  __trap();
#endif
}

/// Each thread's sum must be that of its words of every tile of its block.
__global__ void check_tile_sums(const std::uint32_t* sums, std::uint32_t tiles, std::uint32_t words,
                                unsigned long long* mismatches) {
  std::uint32_t expected = 0;
  for (std::uint64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    for (std::uint32_t i = threadIdx.x; i < words; i += blockDim.x) {
      const std::uint64_t first = (tile * words + (words - 1 - i)) * 4;
      for (std::uint64_t k = 0; k < 4; ++k) expected += measure::random_word(first + k);
    }
  }
  if (sums[blockIdx.x * blockDim.x + threadIdx.x] != expected) atomicAdd(mismatches, 1ULL);
}

namespace {

enum class Way { registers, cp_async, bulk };

/// A case in numbers.
struct AsyncLaunch {
  Way way;
  std::uint64_t in_flight_bytes;  ///< per multiprocessor, which has one block
  unsigned block_threads;

  explicit AsyncLaunch(const Case& decided)
      : way(decided.name("copied_by") == "registers"  ? Way::registers
            : decided.name("copied_by") == "cp-async" ? Way::cp_async
                                                      : Way::bulk),
        in_flight_bytes(decided.number("in_flight_bytes")),
        block_threads(static_cast<unsigned>(decided.number("block_threads"))) {}

  /// What a block works on at a time.
  [[nodiscard]] std::uint32_t tile_words() const {
    return static_cast<std::uint32_t>(in_flight_bytes / word_bytes / (way == Way::registers ? 1 : ring_stages));
  }
  [[nodiscard]] std::uint64_t held() const { return in_flight_bytes / word_bytes / block_threads; }

  /// Calls visit(integral_constant<words that a thread holds>).
  template <class Visitor>
  decltype(auto) with_held(Visitor&& visit) const {
    switch (held()) {
      case 1:
        return visit(std::integral_constant<unsigned, 1>{});
      case 2:
        return visit(std::integral_constant<unsigned, 2>{});
      case 4:
        return visit(std::integral_constant<unsigned, 4>{});
      case 8:
        return visit(std::integral_constant<unsigned, 8>{});
      case 16:
        return visit(std::integral_constant<unsigned, 16>{});
      default:
        return visit(std::integral_constant<unsigned, most_held>{});
    }
  }
};

/// 16 times the L2, so that the memory is what is read; less where that is more than half of it. A power of two, so
/// that tiles divide it.
std::uint64_t array_bytes(const Device& device) {
  constexpr std::uint64_t least = std::uint64_t{1} << 20U;
  std::uint64_t bytes = std::bit_ceil(std::max(16 * device.l2_bytes, least));
  while (bytes > least && bytes > device.free_memory_bytes.value_or(device.memory_bytes) / 2) bytes /= 2;
  return bytes;
}

/// Throws where the GPU has no such instruction.
void require_way(Way way, const Device& device) {
  if (way == Way::cp_async) require_compute_capability(device, 80, "cp.async");
  if (way == Way::bulk) require_compute_capability(device, 90, "the bulk copy engine");
}

void validate(const Case& chosen) {
  const AsyncLaunch launch(chosen);
  if (launch.way != Way::registers) return;
  const std::uint64_t each = launch.in_flight_bytes / launch.block_threads;
  if (each >= word_bytes && each <= most_held * word_bytes) return;
  throw usage_error("--in-flight " + std::to_string(launch.in_flight_bytes) + " through registers is " +
                    std::to_string(each) + " bytes for each of " + std::to_string(launch.block_threads) +
                    " threads, which hold 16 to 512; choose another --block-threads, or --async-copy cp-async,bulk");
}

access::WarpRequest whole_words(std::uint64_t first_word, bool reversed) {
  access::WarpRequest request;
  request.word_bytes = word_bytes;
  request.active = ~std::uint32_t{0};
  for (unsigned lane = 0; lane < access::warp_lanes; ++lane) {
    request.address[lane] = (first_word + (reversed ? access::warp_lanes - 1 - lane : lane)) * word_bytes;
  }
  return request;
}

Workload describe(const Case& decided, const Device& device) {
  const AsyncLaunch launch(decided);
  require_way(launch.way, device);
  if (launch.in_flight_bytes > device.shared_bytes_per_block) {
    const auto [needed, had] = sizes_apart(launch.in_flight_bytes, device.shared_bytes_per_block);
    throw missing_capability_error("takes " + needed + " of shared memory per block, the GPU has " + had);
  }
  Workload workload;
  switch (launch.way) {
    case Way::registers:
      workload.kernel =
          launch.with_held([](auto held) { return measure::kernel_name<&copy_through_registers<held()>>(); });
      break;
    case Way::cp_async:
      workload.kernel = measure::kernel_name<&copy_by_cp_async<ring_stages>>();
      break;
    case Way::bulk:
      workload.kernel = measure::kernel_name<&copy_by_bulk_engine<ring_stages>>();
      break;
  }
  const std::uint64_t bytes = array_bytes(device);
  const unsigned instructions = launch.way == Way::registers ? static_cast<unsigned>(launch.held()) : 1;
  const auto add_site = [&](const char* name, access::Space space, access::Op op, unsigned of_them) {
    const bool reversed = space == access::Space::shared && op == access::Op::load;
    workload.sites.push_back(
        {.name = name,
         .space = space,
         .op = op,
         .word_bytes = word_bytes,
         .instructions = of_them,
         .requests = bytes / (word_bytes * access::warp_lanes),
         .request = [=](std::uint64_t k) { return whole_words(k * access::warp_lanes, reversed); }});
  };
  add_site("source", access::Space::global, access::Op::load, instructions);
  add_site("tile", access::Space::shared, access::Op::store, instructions);
  add_site("use", access::Space::shared, access::Op::load, used_at_once);
  workload.useful_bytes_read = bytes;
  workload.blocks = device.multiprocessors;
  workload.block_threads = launch.block_threads;
  workload.shared_bytes_per_block = static_cast<unsigned>(launch.in_flight_bytes);
  workload.allocated_bytes = bytes + workload.blocks * launch.block_threads * sizeof(std::uint32_t);
  workload.modelled = false;  // how much is in flight is no part of the model
  return workload;
}

class AsyncCopyExperiment final : public measure::Experiment {
 public:
  AsyncCopyExperiment(const Case& decided, measure::Session& session)
      : launch_(decided),
        blocks_(session.device().multiprocessors),
        words_(array_bytes(session.device()) / word_bytes),
        source_(session.random_source(words_ * (word_bytes / sizeof(std::uint32_t)))),
        sums_(std::size_t{blocks_} * launch_.block_threads * sizeof(std::uint32_t)),
        mismatches_(session) {
    with_kernel([&](auto kernel, auto... /*arguments*/) {
      cudaFuncAttributes attributes{};
      measure::check(cudaFuncGetAttributes(&attributes, kernel), "look at the kernel");
      // Of a build for older GPUs alone, the PTX that a newer one compiles has no such instructions.
      const int least = launch_.way == Way::bulk ? 90 : launch_.way == Way::cp_async ? 80 : 0;
      if (attributes.ptxVersion < least) {
        throw missing_capability_error("this program was not built for GPUs with these instructions: build it for sm_" +
                                       std::to_string(least) + " or later");
      }
      measure::allow_all_shared_memory(reinterpret_cast<const void*>(kernel));
    });
  }

  void launch(cudaStream_t stream) override {
    with_kernel([&](auto kernel, auto... tile_words) {
      kernel<<<blocks_, launch_.block_threads, launch_.in_flight_bytes, stream>>>(
          reinterpret_cast<const uint4*>(source_), sums_.as<std::uint32_t>(), tiles(), tile_words...);
    });
    measure::check(cudaGetLastError(), "launch the kernel");
  }

  measure::Verification verify(cudaStream_t stream) override {
    measure::poison(sums_, stream);
    mismatches_.reset(stream);
    launch(stream);
    check_tile_sums<<<blocks_, launch_.block_threads, 0, stream>>>(sums_.as<std::uint32_t>(), tiles(),
                                                                   launch_.tile_words(), mismatches_.data());
    return {.mismatches = mismatches_.read(stream), .what = "threads' sums"};
  }

 private:
  [[nodiscard]] std::uint32_t tiles() const { return static_cast<std::uint32_t>(words_ / launch_.tile_words()); }

  /// Calls visit(kernel, what it takes beside source, sums and tiles...).
  template <class Visitor>
  void with_kernel(Visitor&& visit) const {
    switch (launch_.way) {
      case Way::registers:
        return launch_.with_held([&](auto held) { visit(copy_through_registers<held()>); });
      case Way::cp_async:
        return visit(copy_by_cp_async<ring_stages>, launch_.tile_words());
      case Way::bulk:
        return visit(copy_by_bulk_engine<ring_stages>, launch_.tile_words());
    }
  }

  AsyncLaunch launch_;
  unsigned blocks_;
  std::uint64_t words_;  ///< of the array
  const std::uint32_t* source_;
  measure::DeviceBuffer sums_;
  measure::MismatchCount mismatches_;
};

Probe async_copy_probe() {
  Probe probe;
  probe.name = "async-copy";
  probe.purpose = "global to shared memory: which way fills the memory's bandwidth with the least in flight";
  probe.axes = {{.flag = "in-flight",
                 .parameter = "in_flight_bytes",
                 .unit = "bytes",
                 .purpose = "bytes that each multiprocessor has on their way at once; bandwidth is that over latency",
                 .defaults = "4KiB..128KiB*2",
                 .quick = "8KiB,32KiB,128KiB",
                 .numbers = {4096, 8192, 16384, 32768, 65536, most_in_flight}},
                {.flag = "async-copy",
                 .parameter = "copied_by",
                 .purpose = "loads and stores, cp.async past the registers, or the bulk copy engine (sm_90)",
                 .defaults = "registers,cp-async,bulk",
                 .names = {"registers", "cp-async", "bulk"},
                 .value_optional = true},
                {.flag = "block-threads",
                 .parameter = "block_threads",
                 .unit = "threads",
                 .purpose = "threads of the one block of a multiprocessor; the bulk engine needs one of them to copy",
                 .defaults = "256",
                 .numbers = {32, 64, 128, 256, 512, 1024}}};
  probe.compared = "copied_by";
  probe.baseline = std::string("registers");
  probe.concluded = {{"saturating_in_flight_bytes",
                      "fewest bytes in flight per multiprocessor that reach 95 % of the best bandwidth of the table",
                      Better::less}};
  probe.describe = describe;
  probe.validate = validate;
  probe.prepare = [](const Case& decided, measure::Session& session) -> std::unique_ptr<measure::Experiment> {
    return std::make_unique<AsyncCopyExperiment>(decided, session);
  };
  probe.conclude = conclude_async_copy;
  return probe;
}

GPUMEM_PROBE(async_copy_probe);

}  // namespace

}  // namespace gpumem::shared
