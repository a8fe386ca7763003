// Cache-hint: arrays read or written again and again with each of the cache operators of PTX. Every multiprocessor goes
// round its own share of the array, so that a footprint fits in the L1s, in L2, or in neither.

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/measure/content.hpp"
#include "probes/experiment.hpp"
#include "probes/global/kernels.cuh"
#include "probes/requests.hpp"

namespace gpumem::cache {

namespace {

constexpr unsigned word_bytes = sizeof(uint4);
constexpr unsigned block_threads = 1024;
/// Accesses of a thread in a row: 64 KiB for a multiprocessor, twice what the memory's latency takes.
constexpr unsigned in_a_row = 4;
/// Bytes of a launch, unless one round of the array is more: 0.1 to 0.5 ms, at L1's speed or the memory's.
constexpr std::uint64_t bytes_per_launch = std::uint64_t{2} << 30U;

}  // namespace

// "ld" and "st" alone are what compilers write. Left out are ld.lu, which of global memory is ld.cs, and st.wb, which
// is st (PTX ISA, cache operators). ld.na stands for ld.L1::no_allocate.
enum class Hint { load, load_ca, load_cg, load_cs, load_nc, load_no_allocate, store, store_cg, store_cs, store_wt };

constexpr bool stores(Hint hint) { return hint >= Hint::store; }

#define GPUMEM_LOAD(instruction)                                        \
  asm volatile(instruction " {%0, %1, %2, %3}, [%4];"                   \
               : "=r"(word.x), "=r"(word.y), "=r"(word.z), "=r"(word.w) \
               : "l"(address))
#define GPUMEM_STORE(instruction)                                                                            \
  asm volatile(instruction " [%0], {%1, %2, %3, %4};" ::"l"(address), "r"(word.x), "r"(word.y), "r"(word.z), \
               "r"(word.w)                                                                                   \
               : "memory")

template <Hint hint>
__device__ uint4 load(const uint4* address) {
  uint4 word;
  if constexpr (hint == Hint::load) GPUMEM_LOAD("ld.global.v4.u32");
  if constexpr (hint == Hint::load_ca) GPUMEM_LOAD("ld.global.ca.v4.u32");
  if constexpr (hint == Hint::load_cg) GPUMEM_LOAD("ld.global.cg.v4.u32");
  if constexpr (hint == Hint::load_cs) GPUMEM_LOAD("ld.global.cs.v4.u32");
  if constexpr (hint == Hint::load_nc) GPUMEM_LOAD("ld.global.nc.v4.u32");
  if constexpr (hint == Hint::load_no_allocate) GPUMEM_LOAD("ld.global.L1::no_allocate.v4.u32");
  return word;
}

template <Hint hint>
__device__ void store(uint4* address, const uint4& word) {
  if constexpr (hint == Hint::store) GPUMEM_STORE("st.global.v4.u32");
  if constexpr (hint == Hint::store_cg) GPUMEM_STORE("st.global.cg.v4.u32");
  if constexpr (hint == Hint::store_cs) GPUMEM_STORE("st.global.cs.v4.u32");
  if constexpr (hint == Hint::store_wt) GPUMEM_STORE("st.global.wt.v4.u32");
}

#undef GPUMEM_LOAD
#undef GPUMEM_STORE

/// Takes a thread round its block's share of an array: word (thread + 1024 x turn) modulo the share, turn after turn.
class Round {
 public:
  __device__ explicit Round(std::uint32_t share_words)
      : share_(share_words), step_(block_threads % share_words), at_(threadIdx.x % share_words) {}
  __device__ std::uint32_t next() {
    const std::uint32_t now = at_;
    at_ += step_;
    if (at_ >= share_) at_ -= share_;
    return now;
  }

 private:
  std::uint32_t share_;
  std::uint32_t step_;
  std::uint32_t at_;
};

/// Each thread loads in turn after turn of its round, and stores the sum.
template <Hint hint>
__global__ void __launch_bounds__(block_threads)
    read_round(const uint4* source, std::uint32_t* sums, std::uint32_t share_words, std::uint32_t turns) {
  const uint4* share = source + std::uint64_t{blockIdx.x} * share_words;
  Round round(share_words);
  std::uint32_t sum = 0;
#pragma unroll 1
  for (std::uint32_t turn = 0; turn < turns; turn += in_a_row) {
    uint4 word[in_a_row];
#pragma unroll
    for (auto& vector : word) vector = load<hint>(share + round.next());
#pragma unroll
    for (const uint4& vector : word) sum += vector.x + vector.y + vector.z + vector.w;
  }
  sums[blockIdx.x * block_threads + threadIdx.x] = sum;
}

template <Hint hint>
__global__ void __launch_bounds__(block_threads)
    write_round(uint4* target, std::uint32_t share_words, std::uint32_t turns) {
  const std::uint64_t first = std::uint64_t{blockIdx.x} * share_words;
  Round round(share_words);
#pragma unroll 1
  for (std::uint32_t turn = 0; turn < turns; turn += in_a_row) {
#pragma unroll
    for (unsigned k = 0; k < in_a_row; ++k) {
      const std::uint64_t element = first + round.next();
      store<hint>(target + element, global::WordTraits<uint4>::random(element));
    }
  }
}

/// Each thread's sum must be that of the words on its round.
static __global__ void check_round(const std::uint32_t* sums, std::uint32_t share_words, std::uint32_t turns,
                                   unsigned long long* mismatches) {
  std::uint32_t expected = 0;
  for (std::uint64_t turn = 0; turn < turns; ++turn) {
    const std::uint64_t word =
        std::uint64_t{blockIdx.x} * share_words + (threadIdx.x + block_threads * turn) % share_words;
    for (std::uint64_t k = 0; k < 4; ++k) expected += measure::random_word(4 * word + k);
  }
  if (sums[blockIdx.x * block_threads + threadIdx.x] != expected) atomicAdd(mismatches, 1ULL);
}

namespace axis {
constexpr Size footprint_bytes{"footprint_bytes"};
constexpr Choice<Hint> cache_hint{"cache_hint",
                                  {"ld", "ld.ca", "ld.cg", "ld.cs", "ld.nc", "ld.na", "st", "st.cg", "st.cs", "st.wt"}};
}  // namespace axis

namespace {

/// A case in numbers.
struct HintLaunch {
  Hint hint;
  unsigned blocks;  ///< one a multiprocessor
  std::uint32_t share_words;
  std::uint32_t turns;

  HintLaunch(const Case& decided, const Device& device)
      : hint(decided[axis::cache_hint]), blocks(std::max(device.multiprocessors, 1U)) {
    // Whole warps take part in every turn, so a share is a number of whole requests.
    const std::uint64_t requests = decided[axis::footprint_bytes] / blocks / (access::warp_lanes * word_bytes);
    share_words = static_cast<std::uint32_t>(std::max<std::uint64_t>(requests, 1) * access::warp_lanes);
    const std::uint64_t once = (share_words + block_threads - 1) / block_threads;
    const std::uint64_t wanted = std::max(bytes_per_launch / blocks / (block_threads * word_bytes), once);
    turns = static_cast<std::uint32_t>((wanted + in_a_row - 1) / in_a_row * in_a_row);
  }

  [[nodiscard]] std::uint64_t array_bytes() const { return std::uint64_t{blocks} * share_words * word_bytes; }
  [[nodiscard]] std::uint64_t threads() const { return std::uint64_t{blocks} * block_threads; }
  [[nodiscard]] std::uint64_t bytes() const { return threads() * turns * word_bytes; }

  /// The requests of a block after each other: its warps, turn by turn.
  [[nodiscard]] access::WarpRequest request(std::uint64_t k) const {
    const std::uint64_t of_block = k % (std::uint64_t{turns} * block_threads / access::warp_lanes);
    const std::uint64_t block = k / (std::uint64_t{turns} * block_threads / access::warp_lanes);
    return warp_request(word_bytes, [&](unsigned lane) {
      return (block * share_words + (of_block * access::warp_lanes + lane) % share_words) * word_bytes;
    });
  }
};

auto load_of(Hint hint) {
  using enum Hint;
  return one_of<load, load_ca, load_cg, load_cs, load_nc, load_no_allocate>(hint);
}
auto store_of(Hint hint) {
  using enum Hint;
  return one_of<store, store_cg, store_cs, store_wt>(hint);
}

Workload describe_cache_hint(const Case& decided, const Device& device) {
  const HintLaunch launch(decided, device);
  const bool store = stores(launch.hint);
  Workload workload;
  workload.kernel =
      store ? dispatch(store_of(launch.hint), [](auto hint) { return measure::kernel_name<&write_round<hint()>>(); })
            : dispatch(load_of(launch.hint), [](auto hint) { return measure::kernel_name<&read_round<hint()>>(); });
  workload.sites.push_back({.name = store ? "target" : "source",
                            .space = access::Space::global,
                            .op = store ? access::Op::store : access::Op::load,
                            .word_bytes = word_bytes,
                            .instructions = in_a_row,
                            .requests = launch.bytes() / (word_bytes * access::warp_lanes),
                            .request = [launch](std::uint64_t k) { return launch.request(k); }});
  (store ? workload.useful_bytes_written : workload.useful_bytes_read) = launch.bytes();
  workload.allocated_bytes = launch.array_bytes() + (store ? 0 : launch.threads() * sizeof(std::uint32_t));
  workload.blocks = launch.blocks;
  workload.block_threads = block_threads;
  workload.unmodelled = "the model does not know cache operators";
  return workload;
}

/// Device memory is no limit of what stays in the caches.
std::optional<double> memory_peak(const Workload& workload, const Device& device) {
  return workload.allocated_bytes > device.l2_bytes ? device_memory_peak(workload, device) : std::nullopt;
}

class HintExperiment final : public measure::Experiment {
 public:
  HintExperiment(const Case& decided, measure::Session& session)
      : launch_(decided, session.device()), session_(&session) {
    const std::uint64_t words = launch_.array_bytes() / sizeof(std::uint32_t);
    const auto prefer_l1 = [](auto kernel) {
      measure::check(
          cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxL1),
          "ask for as much L1 as there is");
    };
    if (stores(launch_.hint)) {
      target_ = session.target(words);
      dispatch(store_of(launch_.hint), [&](auto hint) { prefer_l1(write_round<hint()>); });
    } else {
      source_ = session.random_source(words);
      sums_ = measure::DeviceBuffer(launch_.threads() * sizeof(std::uint32_t));
      dispatch(load_of(launch_.hint), [&](auto hint) { prefer_l1(read_round<hint()>); });
    }
  }

  void launch(cudaStream_t stream) override {
    const unsigned blocks = launch_.blocks;
    if (stores(launch_.hint)) {
      dispatch(store_of(launch_.hint), [&](auto hint) {
        write_round<hint()><<<blocks, block_threads, 0, stream>>>(reinterpret_cast<uint4*>(target_),
                                                                  launch_.share_words, launch_.turns);
      });
    } else {
      dispatch(load_of(launch_.hint), [&](auto hint) {
        read_round<hint()><<<blocks, block_threads, 0, stream>>>(
            reinterpret_cast<const uint4*>(source_), sums_.as<std::uint32_t>(), launch_.share_words, launch_.turns);
      });
    }
    measure::check(cudaGetLastError(), "launch the kernel");
  }

  measure::Verification verify(cudaStream_t stream) override {
    if (stores(launch_.hint)) {
      measure::poison(target_, launch_.array_bytes(), stream);
      launch(stream);
      return measure::verify_random_words(*session_, target_, launch_.array_bytes() / sizeof(std::uint32_t), 0, stream,
                                          "32-bit words of the target");
    }
    const measure::MismatchCount mismatches(*session_);
    measure::poison(sums_, stream);
    mismatches.reset(stream);
    launch(stream);
    check_round<<<launch_.blocks, block_threads, 0, stream>>>(sums_.as<std::uint32_t>(), launch_.share_words,
                                                              launch_.turns, mismatches.data());
    return {.mismatches = mismatches.read(stream), .what = "threads' sums"};
  }

 private:
  HintLaunch launch_;
  measure::Session* session_;
  const std::uint32_t* source_ = nullptr;
  std::uint32_t* target_ = nullptr;
  measure::DeviceBuffer sums_;
};

using ByFootprint = std::map<std::uint64_t, std::vector<Outcome>>;

/// Says for each footprint whether an operator makes a difference to `accesses`, "loads" or "stores".
void add_operators(std::vector<Fact>& facts, const char* accesses, const ByFootprint& by_footprint) {
  Fact alike{
      FactKind::as_fast_as,
      {},
      "No operator makes a difference to {accesses} of {footprint_bytes}: {rate_gb_per_s}.",
      {{"accesses", accesses}, {"footprint_bytes", std::vector<double>{}}, {"rate_gb_per_s", std::vector<double>{}}}};
  for (const auto& [bytes, outcomes] : by_footprint) {
    const Outcome& best = best_of(outcomes);
    std::vector<std::size_t> indices;
    std::vector<std::string> fastest;
    std::vector<std::string> slower;
    std::vector<double> shares;
    for (const Outcome& outcome : outcomes) {
      const bool is_slower = better(best, outcome);
      indices.push_back(outcome.index);
      (is_slower ? slower : fastest).push_back(outcome.tested.name(axis::cache_hint));
      if (is_slower) shares.push_back(gain(best, outcome));
    }
    if (outcomes.size() > 1 && slower.empty()) {
      alike.outcomes.insert(alike.outcomes.end(), indices.begin(), indices.end());
      alike.values[1].items.emplace_back(static_cast<double>(bytes));
      alike.values[2].items.emplace_back(best.headline);
      continue;
    }
    facts.push_back({FactKind::fastest,
                     indices,
                     outcomes.size() == 1 ? "{accesses} of {footprint_bytes} reach {rate_gb_per_s} with {operator}."
                                          : "{accesses} of {footprint_bytes} are fastest with {operator}: "
                                            "{rate_gb_per_s}. The others reach less of that: {slower share_ratio}.",
                     {{"accesses", accesses},
                      {"footprint_bytes", static_cast<double>(bytes)},
                      {"operator", fastest},
                      headline_value("rate_gb_per_s", best),
                      {"slower", slower},
                      {"share_ratio", shares}}});
  }
  if (!alike.outcomes.empty()) facts.push_back(std::move(alike));
}

/// For cases of any footprints and operators. Loads are compared with loads, and stores with stores.
Conclusion conclude_cache_hint(std::span<const Outcome> outcomes) {
  ByFootprint of_loads;
  ByFootprint of_stores;
  for (const Outcome& outcome : outcomes) {
    ByFootprint& by_footprint = stores(outcome.tested[axis::cache_hint]) ? of_stores : of_loads;
    by_footprint[outcome.tested[axis::footprint_bytes]].push_back(outcome);
  }
  Conclusion conclusion;
  add_operators(conclusion.facts, "loads", of_loads);
  add_operators(conclusion.facts, "stores", of_stores);
  std::ranges::stable_sort(conclusion.facts, {}, &Fact::kind);  // what makes a difference comes first
  return conclusion;
}

Probe cache_hint_probe() {
  Probe probe;
  probe.name = "cache-hint";
  probe.purpose = "cache operators of loads and stores: what each is worth";
  probe.family = Family::cache;
  probe.axes = {
      axis::footprint_bytes({.flag = "cache-footprint",
                             .purpose = "the array, a share of it for each multiprocessor, in whole 512 bytes",
                             .defaults = "4MiB,40MiB,1GiB",
                             .quick = "4MiB,1GiB",
                             .minimum = 512}),
      axis::cache_hint({.flag = "cache-hint",
                        .purpose = "the operator, as PTX and CUDA's intrinsics name it: ld.cg is __ldcg",
                        .defaults = "ld,ld.cg,ld.cs,ld.na,st,st.cg,st.cs,st.wt",
                        .quick = "ld,ld.cg,ld.cs,st,st.cs",
                        .value_optional = true})};
  probe.compared = axis::cache_hint.name;
  probe.baseline = std::string("ld");
  probe.headline = bandwidth(memory_peak);
  probe.describe = describe_cache_hint;
  probe.prepare = prepared<HintExperiment>;
  probe.conclude = conclude_cache_hint;
  return probe;
}

GPUMEM_PROBE(cache_hint_probe);

}  // namespace

}  // namespace gpumem::cache
