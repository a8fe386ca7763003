// Persistence: a hot set that is read again and again, while a stream that is used once passes through L2 between one
// time and the next. Left alone the stream drives the hot set out. A window of persisting accesses keeps a part of L2
// for it (CUDA C++ Programming Guide, L2 persistence); evict-first has the stream leave first instead.

#include <algorithm>
#include <string>
#include <utility>

#include "engine/machine/compute_capability.hpp"
#include "engine/measure/content.hpp"
#include "engine/measure/timing.hpp"
#include "probes/cache/set_aside.hpp"
#include "probes/experiment.hpp"
#include "probes/past_l1.cuh"
#include "probes/requests.hpp"

namespace gpumem::cache {

/// Rounds of a launch. The first finds L2 as the launch before has left it.
constexpr unsigned persistence_rounds = 8;
constexpr unsigned persistence_threads = 1024;
/// Loads of a thread in a row.
constexpr unsigned loads_in_a_row = 4;

/// Loads past L1, with the policy that the line leaves L2 first.
__device__ inline uint4 load_evict_first(const uint4* address) {
  uint4 word;
#if __CUDA_ARCH__ >= 800
  std::uint64_t policy = 0;
  asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  asm volatile("ld.global.cg.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"
               : "=r"(word.x), "=r"(word.y), "=r"(word.z), "=r"(word.w)
               : "l"(address), "l"(policy));
#else
  word = load_past_l1(address);
#endif
  return word;
}

/// Adds up `count` words that all blocks share out, 1024 in turn for each.
template <class Load>
__device__ std::uint32_t sum_of_part(const uint4* words, std::uint32_t count, const Load& load) {
  const std::uint32_t turn = gridDim.x * persistence_threads;
  std::uint32_t sum = 0;
#pragma unroll 1
  for (std::uint32_t i = blockIdx.x * persistence_threads + threadIdx.x; i < count; i += loads_in_a_row * turn) {
    uint4 word[loads_in_a_row] = {};
#pragma unroll
    for (unsigned k = 0; k < loads_in_a_row; ++k) {
      if (i + k * turn < count) word[k] = load(words + i + k * turn);
    }
#pragma unroll
    for (const uint4& vector : word) sum += vector.x + vector.y + vector.z + vector.w;
  }
  return sum;
}

/// Reads in each round a part of the stream that no other round reads, then the hot set. Each block stores the cycles
/// that its part of the hot set took in all rounds, each thread the sum of all that it has read.
template <bool evict_first>
__global__ void __launch_bounds__(persistence_threads, 1)
    read_hot_set(const uint4* hot, std::uint32_t hot_words, const uint4* stream, std::uint32_t stream_words,
                 std::uint32_t* sums, std::uint64_t* cycles) {
  std::uint32_t sum = 0;
  std::uint64_t hot_cycles = 0;
#pragma unroll 1
  for (unsigned round = 0; round < persistence_rounds; ++round) {
    sum += sum_of_part(stream + std::uint64_t{round} * stream_words, stream_words, [](const uint4* address) {
      return evict_first ? load_evict_first(address) : load_past_l1(address);
    });
    __syncthreads();
    const std::uint64_t start = clock64();
    sum += sum_of_part(hot, hot_words, [](const uint4* address) { return load_past_l1(address); });
    __syncthreads();
    hot_cycles += clock64() - start;
  }
  if (threadIdx.x == 0) cycles[blockIdx.x] = hot_cycles;
  sums[blockIdx.x * persistence_threads + threadIdx.x] = sum;
}

/// Each thread's sum must be that of its words: of the hot set in every round, of the stream once.
static __global__ void check_hot_set(const std::uint32_t* sums, std::uint64_t hot_words, std::uint64_t stream_words,
                                     unsigned long long* mismatches) {
  const std::uint64_t thread = blockIdx.x * persistence_threads + threadIdx.x;
  const std::uint64_t threads = std::uint64_t{gridDim.x} * persistence_threads;
  const auto sum_from = [&](std::uint64_t first, std::uint64_t count) {
    std::uint32_t sum = 0;
    for (std::uint64_t i = thread; i < count; i += threads) {
      for (std::uint64_t k = 0; k < 4; ++k) sum += measure::random_word(4 * (first + i) + k);
    }
    return sum;
  };
  std::uint32_t expected = persistence_rounds * sum_from(0, hot_words);
  for (unsigned round = 0; round < persistence_rounds; ++round) {
    expected += sum_from(hot_words + round * stream_words, stream_words);
  }
  if (sums[thread] != expected) atomicAdd(mismatches, 1ULL);
}

enum class HotSet { alone, beside, window, evict_first };

namespace axis {
constexpr Number hot_set_bytes{"hot_set_bytes"};
constexpr Choice<HotSet> persistence{"persistence", {"alone", "beside", "window", "evict-first"}};
}  // namespace axis

namespace {

constexpr unsigned persistence_word_bytes = sizeof(uint4);

/// A case in numbers.
struct HotLaunch {
  bool window;
  bool evict_first;
  unsigned blocks;  ///< one a multiprocessor
  std::uint32_t hot_words;
  std::uint32_t stream_words;  ///< of a round: twice the L2, so that nothing else outlives it

  HotLaunch(const Case& decided, const Device& device)
      : window(decided[axis::persistence] == HotSet::window),
        evict_first(decided[axis::persistence] == HotSet::evict_first),
        blocks(std::max(device.multiprocessors, 1U)),
        hot_words(static_cast<std::uint32_t>(decided[axis::hot_set_bytes] / persistence_word_bytes)),
        stream_words(decided[axis::persistence] == HotSet::alone
                         ? 0
                         : static_cast<std::uint32_t>(2 * device.l2_bytes / persistence_word_bytes)) {}

  [[nodiscard]] std::uint64_t words() const { return hot_words + std::uint64_t{persistence_rounds} * stream_words; }
  [[nodiscard]] std::uint64_t threads() const { return std::uint64_t{blocks} * persistence_threads; }
};

/// Requests that it takes to read words, whole but for the last.
std::uint64_t requests_of(std::uint64_t words) { return (words + access::warp_lanes - 1) / access::warp_lanes; }

/// The k-th request: in every round the hot set, then the round's part of the stream, in the order of the words.
access::WarpRequest request_of(std::uint64_t k, const HotLaunch& launch) {
  const std::uint64_t hot = requests_of(launch.hot_words);
  const std::uint64_t round = k / (hot + requests_of(launch.stream_words));
  const std::uint64_t in_round = k % (hot + requests_of(launch.stream_words));
  const bool of_hot_set = in_round < hot;
  const std::uint64_t words = of_hot_set ? launch.hot_words : launch.stream_words;
  const std::uint64_t part = of_hot_set ? 0 : launch.hot_words + round * launch.stream_words;
  return consecutive_request(persistence_word_bytes, of_hot_set ? in_round : in_round - hot, words, part);
}

Workload describe_persistence(const Case& decided, const Device& device) {
  const HotLaunch launch(decided, device);
  if (launch.evict_first) require_compute_capability(device, 80, "a policy of loads");
  Workload workload;
  workload.kernel =
      launch.evict_first ? measure::kernel_name<&read_hot_set<true>>() : measure::kernel_name<&read_hot_set<false>>();
  workload.sites.push_back(
      {.name = "hot set and stream",
       .space = access::Space::global,
       .op = access::Op::load,
       .word_bytes = persistence_word_bytes,
       .instructions = 2 * loads_in_a_row,
       .requests = persistence_rounds * (requests_of(launch.hot_words) + requests_of(launch.stream_words)),
       .request = [launch](std::uint64_t k) { return request_of(k, launch); }});
  workload.useful_bytes_read =
      persistence_rounds * (std::uint64_t{launch.hot_words} + launch.stream_words) * persistence_word_bytes;
  workload.allocated_bytes = launch.words() * persistence_word_bytes + launch.threads() * sizeof(std::uint32_t);
  workload.blocks = launch.blocks;
  workload.block_threads = persistence_threads;
  workload.unmodelled = "the model does not know windows that are set aside in L2";
  return workload;
}

class HotSetExperiment final : public measure::Experiment {
 public:
  HotSetExperiment(const Case& decided, measure::Session& session)
      : launch_(decided, session.device()),
        words_(reinterpret_cast<const uint4*>(session.random_source(launch_.words() * 4))),
        sums_(launch_.threads() * sizeof(std::uint32_t)),
        cycles_(launch_.blocks * sizeof(std::uint64_t)),
        mismatches_(session) {
    if (!launch_.window) return;
    const std::uint64_t hot_bytes = std::uint64_t{launch_.hot_words} * persistence_word_bytes;
    set_aside_ = SetAside(hot_bytes);
    policy_ = persisting_window(words_, hot_bytes, set_aside_);
  }

  void launch(cudaStream_t stream) override {
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(launch_.blocks);
    config.blockDim = dim3(persistence_threads);
    config.stream = stream;
    config.attrs = &policy_;
    config.numAttrs = launch_.window ? 1 : 0;
    measure::check(cudaLaunchKernelEx(&config, launch_.evict_first ? read_hot_set<true> : read_hot_set<false>, words_,
                                      launch_.hot_words, words_ + launch_.hot_words, launch_.stream_words,
                                      sums_.as<std::uint32_t>(), cycles_.as<std::uint64_t>()),
                   "launch the kernel");
  }

  measure::Verification verify(cudaStream_t stream) override {
    measure::poison(sums_, stream);
    mismatches_.reset(stream);
    launch(stream);
    check_hot_set<<<launch_.blocks, persistence_threads, 0, stream>>>(sums_.as<std::uint32_t>(), launch_.hot_words,
                                                                      launch_.stream_words, mismatches_.data());
    return {.mismatches = mismatches_.read(stream), .what = "threads' sums"};
  }

  /// Bytes of the hot set per cycle of the multiprocessor in the middle, of all of them together.
  double sample() override {
    return static_cast<double>(launch_.hot_words) * persistence_rounds * persistence_word_bytes /
           measure::middle_cycles(cycles_);
  }

 private:
  HotLaunch launch_;
  SetAside set_aside_;
  cudaLaunchAttribute policy_{};
  const uint4* words_;  ///< the hot set, then the stream
  measure::DeviceBuffer sums_;
  measure::DeviceBuffer cycles_;
  measure::MismatchCount mismatches_;
};

/// Says what each way to keep a hot set in L2 gains over the same hot set unprotected beside the stream. Cases without
/// the stream are left out: L2 alone limits how fast their hot set is read.
Conclusion conclude_persistence(std::span<const Outcome> outcomes) {
  Conclusion conclusion;
  const auto add_cure = [&](HotSet cure, const char* gains, const char* no_gain) {
    std::ranges::move(
        gains_of(outcomes, axis::persistence, HotSet::beside, cure, axis::hot_set_bytes, {gains, no_gain}),
        std::back_inserter(conclusion.facts));
  };
  add_cure(HotSet::evict_first,
           "Load the stream evict-first: what is read again after twice the L2 is faster, {hot_set_bytes gain_ratio}.",
           "Loading the stream evict-first gains nothing for {hot_set_bytes}.");
  add_cure(HotSet::window,
           "Set a persisting window: what is read again after twice the L2 is faster, {hot_set_bytes gain_ratio}.",
           "Persisting windows gain nothing for {hot_set_bytes}.");
  // Ways that gain something come first, the largest gain before the rest.
  std::ranges::stable_sort(conclusion.facts, {}, [](const Fact& fact) {
    return std::pair(fact.kind, -std::get<double>(fact.values[1].items.front()));
  });
  return conclusion;
}

Probe persistence_probe() {
  Probe probe;
  probe.name = "persistence";
  probe.purpose = "a hot set read between parts of a stream: what keeps it near";
  probe.family = Family::cache;
  probe.axes = {
      axis::hot_set_bytes({.flag = "hot-set",
                           .unit = "bytes",
                           .purpose = "data that is read again and again, each time after a stream of twice the L2",
                           .defaults = "4MiB..32MiB*2",
                           .quick = "16MiB",
                           .minimum = 512,
                           .maximum = std::uint64_t{32} << 30U}),
      axis::persistence(
          {.flag = "persistence",
           .purpose = "without the stream; beside it; with a persisting window; or with a stream that leaves first",
           .value_optional = true})};
  probe.compared = axis::persistence.name;
  probe.baseline = std::string("beside");
  probe.headline = {.quantity = {"hot_bytes_per_cycle", "bytes of the hot set that all multiprocessors read per cycle",
                                 Better::more}};
  probe.describe = describe_persistence;
  probe.prepare = prepared<HotSetExperiment>;
  probe.conclude = conclude_persistence;
  return probe;
}

GPUMEM_PROBE(persistence_probe);

}  // namespace

}  // namespace gpumem::cache
