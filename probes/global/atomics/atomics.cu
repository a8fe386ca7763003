// Atomics: all threads add to a number of addresses. The cost is contention: it depends on how many updates meet at an
// address, and on whether the lanes of a warp meet there already.

#include <optional>
#include <string>

#include "probes/experiment.hpp"
#include "probes/global/atomics/atomics.hpp"

namespace gpumem::global {

/// Adds atomically with one instruction. Returns the old value, or 0 if it is not asked for.
template <bool in_shared, bool returns>
__device__ std::uint32_t add_atomically(std::uint32_t* word, std::uint32_t value) {
  std::uint32_t old = 0;
  if constexpr (in_shared) {
    const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(word));
    if constexpr (returns) {
      asm volatile("atom.shared.add.u32 %0, [%1], %2;" : "=r"(old) : "r"(address), "r"(value) : "memory");
    } else {
      asm volatile("red.shared.add.u32 [%0], %1;" ::"r"(address), "r"(value) : "memory");
    }
  } else {
    if constexpr (returns) {
      asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(old) : "l"(word), "r"(value) : "memory");
    } else {
      asm volatile("red.global.add.u32 [%0], %1;" ::"l"(word), "r"(value) : "memory");
    }
  }
  return old;
}

/// Each unit (a lane, or the lanes of a warp together) adds to the words unit, unit + units, unit + 2 x units and so
/// on, modulo the addresses. In shared memory every block has words and units of its own, and stores its words at the
/// end. If atomics return the old value, each thread stores the sum of the values that it got.
template <bool in_shared, bool returns>
__global__ void __launch_bounds__(atomics_threads)
    add_to_words(std::uint32_t* words, std::uint32_t* sums, std::uint32_t addresses, std::uint32_t turns,
                 std::uint32_t unit_lanes, std::uint32_t value) {
  extern __shared__ std::uint32_t own[];
  const std::uint32_t thread = blockIdx.x * atomics_threads + threadIdx.x;
  const std::uint32_t units = (in_shared ? 1 : gridDim.x) * atomics_threads / unit_lanes;
  const std::uint32_t step = units % addresses;
  std::uint32_t at = (in_shared ? threadIdx.x : thread) / unit_lanes % addresses;
  if constexpr (in_shared) {
#pragma unroll 1
    for (std::uint32_t i = threadIdx.x; i < addresses; i += atomics_threads) own[i] = 0;
    __syncthreads();
  }
  std::uint32_t sum = 0;
#pragma unroll 1
  for (std::uint32_t turn = 0; turn < turns; turn += atomics_in_a_row) {
    std::uint32_t old[atomics_in_a_row];
#pragma unroll
    for (auto& returned : old) {
      returned = add_atomically<in_shared, returns>((in_shared ? own : words) + at, value);
      at += step;
      if (at >= addresses) at -= addresses;
    }
#pragma unroll
    for (const std::uint32_t returned : old) sum += returned;
  }
  if constexpr (in_shared) {
    __syncthreads();
    std::uint32_t* target = words + std::uint64_t{blockIdx.x} * addresses;
#pragma unroll 1
    for (std::uint32_t i = threadIdx.x; i < addresses; i += atomics_threads) target[i] = own[i];
  }
  if constexpr (returns) sums[thread] = sum;
}

/// The result of a check, in device memory.
struct AtomicsFound {
  unsigned long long mismatches;
  std::uint32_t returned;  ///< the sum of all old values
};

/// Every word must hold its share of the updates. The returned values are added up.
static __global__ void check_words(const std::uint32_t* words, std::uint64_t count, AtomicsLaunch launch,
                                   const std::uint32_t* sums, std::uint64_t threads, AtomicsFound* found) {
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  const std::uint64_t first = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (std::uint64_t i = first; i < count; i += step) {
    const auto expected = static_cast<std::uint32_t>(launch.updates_of(i % launch.addresses)) * launch.value;
    if (words[i] != expected) atomicAdd(&found->mismatches, 1ULL);
  }
  for (std::uint64_t i = first; launch.returns && i < threads; i += step) atomicAdd(&found->returned, sums[i]);
}

namespace {

Workload describe_atomics(const Case& decided, const Device& device) {
  const AtomicsLaunch launch(decided, device);
  Workload workload;
  workload.kernel = dispatch(
      one_of<false, true>(launch.in_shared), one_of<false, true>(launch.returns),
      [](auto in_shared, auto returns) { return measure::kernel_name<&add_to_words<in_shared(), returns()>>(); });
  workload.sites.push_back({.name = "words",
                            .space = launch.in_shared ? access::Space::shared : access::Space::global,
                            .op = access::Op::atomic,
                            .instructions = atomics_in_a_row,
                            .requests = launch.threads() * launch.turns / access::warp_lanes,
                            .request = {}});
  if (launch.in_shared) {
    workload.sites.push_back({.name = "sums",
                              .space = access::Space::shared,
                              .op = access::Op::load,
                              .requests = launch.blocks * launch.requests_of_sums(),
                              .request = [launch](std::uint64_t k) { return launch.request_of_sums(k); }});
    workload.shared_bytes_per_block = launch.addresses * static_cast<unsigned>(sizeof(std::uint32_t));
  }
  workload.allocated_bytes = (launch.words() + launch.threads()) * sizeof(std::uint32_t);
  workload.blocks = launch.blocks;
  workload.block_threads = atomics_threads;
  workload.unmodelled = "no stage of the model executes atomics";
  return workload;
}

class AtomicsExperiment final : public measure::Experiment {
 public:
  AtomicsExperiment(const Case& decided, measure::Session& session)
      : launch_(decided, session.device()),
        words_(launch_.words() * sizeof(std::uint32_t)),
        sums_(launch_.threads() * sizeof(std::uint32_t)),
        found_(session),
        kernel_(dispatch(one_of<false, true>(launch_.in_shared), one_of<false, true>(launch_.returns),
                         [](auto in_shared, auto returns) { return &add_to_words<in_shared(), returns()>; })) {
    measure::check(cudaMemset(words_.data(), 0, words_.bytes()), "clear the words");
    if (launch_.in_shared) measure::allow_all_shared_memory(reinterpret_cast<const void*>(kernel_));
  }

  void launch(cudaStream_t stream) override {
    kernel_<<<launch_.blocks, atomics_threads, static_cast<std::size_t>(shared_bytes()), stream>>>(
        words_.as<std::uint32_t>(), sums_.as<std::uint32_t>(), launch_.addresses, launch_.turns, launch_.unit_lanes,
        launch_.value);
    measure::check(cudaGetLastError(), "launch the kernel");
  }

  measure::Verification verify(cudaStream_t stream) override {
    // The kernel adds to words of global memory, so they begin at 0. It stores words of shared memory whole.
    const int before = launch_.in_shared ? static_cast<int>(measure::poison_byte) : 0;
    measure::check(cudaMemsetAsync(words_.data(), before, words_.bytes(), stream), "prepare the words");
    measure::poison(sums_, stream);
    found_.reset(stream);
    launch(stream);
    check_words<<<launch_.blocks, atomics_threads, 0, stream>>>(words_.as<std::uint32_t>(), launch_.words(), launch_,
                                                                sums_.as<std::uint32_t>(), launch_.threads(),
                                                                found_.data());
    const AtomicsFound found = found_.read(stream);
    if (found.mismatches == 0 && launch_.returns && found.returned != launch_.returned()) {
      return {.mismatches = 1, .what = "sums of what was returned"};
    }
    return {.mismatches = found.mismatches, .what = "words"};
  }

 private:
  [[nodiscard]] int shared_bytes() const {
    return launch_.in_shared ? static_cast<int>(launch_.addresses * sizeof(std::uint32_t)) : 0;
  }

  AtomicsLaunch launch_;
  measure::DeviceBuffer words_;
  measure::DeviceBuffer sums_;
  measure::CheckResult<AtomicsFound> found_;
  decltype(&add_to_words<true, true>) kernel_;
};

Probe atomics_probe() {
  Probe probe;
  probe.name = "atomics";
  probe.purpose = "atomic additions to few or many words: what contention costs";
  probe.family = Family::global;
  probe.axes = {
      axis::addresses(
          {.flag = "addresses",
           .unit = "addresses",
           .purpose = "4-byte words that all threads add to, side by side; in shared memory those of a block",
           .defaults = "1,2..8192*4",
           .quick = "1,32,8192",
           .minimum = 1,
           .maximum = std::uint64_t{1} << 28U}),
      axis::unit_lanes({.flag = "address-per",
                        .purpose = "lanes with neighbouring addresses, or all lanes of a warp with one address"}),
      axis::in_shared(
          {.flag = "atomics-space",
           .purpose = "memory of the words: L2 executes atomics on global memory, the multiprocessor on shared"}),
      axis::returns({.flag = "atomics-op",
                     .purpose = "red adds and is not waited for; atom returns the old value",
                     .quick = "red"})};
  probe.compared = axis::unit_lanes.name;
  probe.baseline = std::string("lane");
  probe.headline = {
      .quantity = {"giga_atomics_per_s", "thousand millions of atomic additions per second, one a lane", Better::more},
      .from_seconds = [](const Workload& workload, double seconds) -> std::optional<double> {
        if (seconds <= 0) return std::nullopt;
        return static_cast<double>(workload.sites.front().requests) * access::warp_lanes / seconds * per_giga;
      }};
  probe.describe = describe_atomics;
  probe.prepare = prepared<AtomicsExperiment>;
  probe.conclude = conclude_atomics;
  return probe;
}

GPUMEM_PROBE(atomics_probe);

}  // namespace

}  // namespace gpumem::global
