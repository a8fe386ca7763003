#pragma once
// From a pattern of shared-memory words to a probe: the kernels that load and store them again and again, their checks,
// their workload for the model, and their headline. A probe's file supplies the pattern, a trivially copyable functor:
//
//   std::uint32_t operator()(std::uint32_t thread, std::uint32_t turn) const   word that a thread accesses
//   std::uint32_t extent() const                                               words that a block needs
//
// A turn is less than `turns`.
//
// The warps of a block may share words: they find, or leave, the same there.

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/measure/content.hpp"
#include "engine/measure/timing.hpp"
#include "probes/experiment.hpp"
#include "probes/requests.hpp"
#include "probes/shared/words_probe.hpp"

namespace gpumem::shared {

/// Accesses a thread has in flight before it uses the first; with 32 warps it takes far fewer to keep the banks busy.
constexpr unsigned turns = 8;
constexpr unsigned block_threads = 1024;
constexpr unsigned warps = block_threads / access::warp_lanes;
/// Wavefronts per multiprocessor and launch: about a quarter of a millisecond, so that launching does not show.
constexpr std::uint64_t wavefronts_per_launch = std::uint64_t{1} << 19U;

/// A load of one word as one instruction. Volatile in PTX too, or the assembler would merge equal loads.
template <unsigned words>
__device__ void load(std::uint32_t address, std::uint32_t (&value)[words]) {
  if constexpr (words == 1) {
    asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(value[0]) : "r"(address));
  } else if constexpr (words == 2) {
    asm volatile("ld.volatile.shared.v2.u32 {%0, %1}, [%2];" : "=r"(value[0]), "=r"(value[1]) : "r"(address));
  } else {
    asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(value[0]), "=r"(value[1]), "=r"(value[2]), "=r"(value[3])
                 : "r"(address));
  }
}

/// A store of one word as one instruction, likewise.
template <unsigned words>
__device__ void store(std::uint32_t address, const std::uint32_t (&value)[words]) {
  if constexpr (words == 1) {
    asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(address), "r"(value[0]));
  } else if constexpr (words == 2) {
    asm volatile("st.volatile.shared.v2.u32 [%0], {%1, %2};" ::"r"(address), "r"(value[0]), "r"(value[1]));
  } else {
    asm volatile("st.volatile.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(value[0]), "r"(value[1]),
                 "r"(value[2]), "r"(value[3]));
  }
}

/// Finds the addresses of a thread's words. They never change, so they are computed before the loop and cost it
/// nothing.
template <unsigned words, class Pattern>
__device__ void find_words(const void* tile, const Pattern& pattern, std::uint32_t (&address)[turns]) {
  const auto base = static_cast<std::uint32_t>(__cvta_generic_to_shared(tile));
#pragma unroll
  for (unsigned turn = 0; turn < turns; ++turn) {
    address[turn] = base + pattern(threadIdx.x, turn) * words * access::bank_bytes;
  }
}

/// Each thread loads its words `iterations` times and stores the sum; each block also its cycles.
template <unsigned words, class Pattern>
__global__ void __launch_bounds__(block_threads)
    load_words(std::uint32_t* sums, std::uint64_t* cycles, std::uint32_t iterations, Pattern pattern) {
  extern __shared__ uint4 tile[];
  auto* content = reinterpret_cast<std::uint32_t*>(tile);
  for (std::uint32_t i = threadIdx.x; i < pattern.extent() * words; i += blockDim.x) {
    content[i] = measure::random_word(i);
  }
  __syncthreads();

  std::uint32_t address[turns];
  find_words<words>(tile, pattern, address);
  std::uint32_t sum = 0;
  const std::uint64_t start = clock64();
#pragma unroll 1
  for (std::uint32_t iteration = 0; iteration < iterations; ++iteration) {
    std::uint32_t value[turns][words];
#pragma unroll
    for (unsigned turn = 0; turn < turns; ++turn) load(address[turn], value[turn]);
#pragma unroll
    for (auto& of_turn : value) {
#pragma unroll
      for (const std::uint32_t word : of_turn) sum += word;
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) cycles[blockIdx.x] = clock64() - start;
  sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/// Each thread stores its words `iterations` times and then, for the check, the sum of what lies there; each block also
/// its cycles. The stored words change with the salt, because shared memory still holds what the last launch left in
/// it.
template <unsigned words, class Pattern>
__global__ void __launch_bounds__(block_threads)
    store_words(std::uint32_t* sums, std::uint64_t* cycles, std::uint32_t iterations, std::uint32_t salt,
                Pattern pattern) {
  extern __shared__ uint4 tile[];
  std::uint32_t address[turns];
  find_words<words>(tile, pattern, address);
  std::uint32_t value[turns][words];
#pragma unroll
  for (unsigned turn = 0; turn < turns; ++turn) {
#pragma unroll
    for (unsigned k = 0; k < words; ++k) {
      value[turn][k] = measure::random_word(pattern(threadIdx.x, turn) * words + k + salt);
    }
  }
  __syncthreads();
  const std::uint64_t start = clock64();
#pragma unroll 1
  for (std::uint32_t iteration = 0; iteration < iterations; ++iteration) {
#pragma unroll
    for (unsigned turn = 0; turn < turns; ++turn) store(address[turn], value[turn]);
  }
  __syncthreads();
  if (threadIdx.x == 0) cycles[blockIdx.x] = clock64() - start;
  std::uint32_t sum = 0;
#pragma unroll
  for (unsigned turn = 0; turn < turns; ++turn) {
    std::uint32_t found[words];
    load(address[turn], found);
#pragma unroll
    for (const std::uint32_t word : found) sum += word;
  }
  sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/// Each thread's sum must be `times` that of what its words hold.
template <class Pattern>
__global__ void check_sums(const std::uint32_t* sums, std::uint32_t words, std::uint32_t times, std::uint32_t salt,
                           Pattern pattern, unsigned long long* mismatches) {
  std::uint32_t expected = 0;
  for (std::uint32_t i = 0; i < turns * words; ++i) {
    expected += measure::random_word(pattern(threadIdx.x, i / words) * words + i % words + salt);
  }
  if (sums[blockIdx.x * blockDim.x + threadIdx.x] != expected * times) atomicAdd(mismatches, 1ULL);
}

template <class Pattern>
struct SharedLaunch {
  Pattern pattern;
  access::Op op;
  unsigned word_bytes;
  std::uint32_t iterations = 1;

  SharedLaunch(const Case& decided, const Pattern& its_pattern)
      : pattern(its_pattern), op(decided[axis::op]), word_bytes(decided[axis::word_bytes]) {
    std::uint64_t wavefronts = 0;  // of an iteration
    for (std::uint64_t k = 0; k < warps * turns; ++k) wavefronts += access::shared_wavefronts(request(k), op);
    iterations = static_cast<std::uint32_t>(std::max<std::uint64_t>(wavefronts_per_launch / wavefronts, 1));
  }

  /// The k-th request of a block: warp after warp, each with its turns in order.
  [[nodiscard]] access::WarpRequest request(std::uint64_t k) const {
    const auto warp = static_cast<std::uint32_t>(k / turns % warps);
    const auto turn = static_cast<std::uint32_t>(k % turns);
    return warp_request(word_bytes, [&](unsigned lane) {
      return std::uint64_t{pattern(warp * access::warp_lanes + lane, turn)} * word_bytes;
    });
  }
  [[nodiscard]] bool stores() const { return op == access::Op::store; }
  [[nodiscard]] unsigned words() const { return word_bytes / access::bank_bytes; }
  [[nodiscard]] std::uint32_t shared_bytes() const { return pattern.extent() * word_bytes; }
  [[nodiscard]] std::uint64_t accesses_per_thread() const { return std::uint64_t{iterations} * turns; }

  /// Selects, among the compiled kernels, the one with this many 32-bit words per access.
  [[nodiscard]] auto compiled_words() const { return one_of<1, 2, 4>(words()); }
};

template <class Pattern>
Workload describe(const Case& decided, const Device& device, const Pattern& pattern) {
  const SharedLaunch<Pattern> launch(decided, pattern);
  Workload workload;
  workload.kernel = dispatch(launch.compiled_words(), [&](auto words) {
    return launch.stores() ? measure::kernel_name<&store_words<words(), Pattern>>()
                           : measure::kernel_name<&load_words<words(), Pattern>>();
  });
  workload.blocks = device.multiprocessors;
  workload.block_threads = block_threads;
  workload.shared_bytes_per_block = launch.shared_bytes();
  const auto add_site = [&](const char* name, access::Op op, std::uint64_t per_thread) {
    workload.sites.push_back({.name = name,
                              .space = access::Space::shared,
                              .op = op,
                              .word_bytes = launch.word_bytes,
                              .instructions = turns,
                              .requests = workload.blocks * warps * per_thread,
                              .request = [launch](std::uint64_t k) { return launch.request(k); }});
  };
  add_site("tile", launch.op, launch.accesses_per_thread());
  if (launch.stores()) add_site("read back", access::Op::load, turns);
  const std::uint64_t bytes = workload.blocks * block_threads * launch.accesses_per_thread() * launch.word_bytes;
  (launch.stores() ? workload.useful_bytes_written : workload.useful_bytes_read) = bytes;
  return workload;
}

template <class Pattern>
class SharedExperiment final : public measure::Experiment {
 public:
  SharedExperiment(const Case& decided, const Pattern& pattern, measure::Session& session)
      : launch_(decided, pattern),
        blocks_(session.device().multiprocessors),
        sums_(std::size_t{blocks_} * block_threads * sizeof(std::uint32_t)),
        cycles_(blocks_ * sizeof(std::uint64_t)),
        mismatches_(session) {
    dispatch(launch_.compiled_words(), [&](auto words) {
      measure::allow_all_shared_memory(launch_.stores() ? reinterpret_cast<const void*>(&store_words<words(), Pattern>)
                                                        : reinterpret_cast<const void*>(&load_words<words(), Pattern>));
    });
  }

  void launch(cudaStream_t stream) override {
    auto* sums = sums_.as<std::uint32_t>();
    auto* cycles = cycles_.as<std::uint64_t>();
    const std::uint32_t bytes = launch_.shared_bytes();
    dispatch(launch_.compiled_words(), [&](auto words) {
      if (launch_.stores()) {
        store_words<words(), Pattern>
            <<<blocks_, block_threads, bytes, stream>>>(sums, cycles, launch_.iterations, ++salt_, launch_.pattern);
      } else {
        load_words<words(), Pattern>
            <<<blocks_, block_threads, bytes, stream>>>(sums, cycles, launch_.iterations, launch_.pattern);
      }
    });
    measure::check(cudaGetLastError(), "launch the kernel");
  }

  measure::Verification verify(cudaStream_t stream) override {
    measure::poison(sums_, stream);
    mismatches_.reset(stream);
    launch(stream);
    check_sums<<<blocks_, block_threads, 0, stream>>>(sums_.as<std::uint32_t>(), launch_.words(),
                                                      launch_.stores() ? 1 : launch_.iterations, salt_, launch_.pattern,
                                                      mismatches_.data());
    return {.mismatches = mismatches_.read(stream), .what = "threads' sums"};
  }

  /// Cycles per request of the multiprocessor in the middle, by its own clock.
  double sample() override {
    return measure::middle_cycles(cycles_) / static_cast<double>(warps * launch_.accesses_per_thread());
  }

 private:
  SharedLaunch<Pattern> launch_;
  unsigned blocks_;
  measure::DeviceBuffer sums_;
  measure::DeviceBuffer cycles_;
  measure::MismatchCount mismatches_;
  std::uint32_t salt_ = 0;  ///< of the stores' content; stays 0 for loads
};

/// Assembles a probe whose pattern is `make_pattern(case)`, with the axes `own` before those that all of them share.
template <class MakePattern>
Probe make_probe(std::string name, std::string purpose, std::vector<Axis> own, Value baseline,
                 MakePattern make_pattern) {
  Probe probe = words_probe(std::move(own));
  probe.name = std::move(name);
  probe.purpose = std::move(purpose);
  probe.baseline = std::move(baseline);
  probe.describe = [=](const Case& decided, const Device& device) {
    return describe(decided, device, make_pattern(decided));
  };
  probe.prepare = [=](const Case& decided, measure::Session& session) -> std::unique_ptr<measure::Experiment> {
    using Pattern = decltype(make_pattern(decided));
    return std::make_unique<SharedExperiment<Pattern>>(decided, make_pattern(decided), session);
  };
  return probe;
}

}  // namespace gpumem::shared
