// Bank: a warp's lanes load shared-memory words a stride apart. How many distinct words share the busiest bank is how
// many wavefronts a request takes; stride 0 is the broadcast of one word.

#include <algorithm>
#include <vector>

#include "probes/measure/content.hpp"
#include "probes/measure/cuda.hpp"
#include "probes/measure/experiment.hpp"
#include "probes/measure/kernel_name.hpp"
#include "probes/measure/session.hpp"
#include "probes/model/predict.hpp"
#include "probes/probe.hpp"

namespace gpumem::shared {

struct BankPattern {
  std::uint32_t stride;

  GPUMEM_HOST_DEVICE constexpr std::uint32_t operator()(std::uint32_t lane) const { return lane * stride; }
};

/// Loads a thread has in flight before it uses the first; with 32 warps it takes far fewer to keep the banks busy.
constexpr unsigned unrolled = 8;
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

/// Each thread loads its word `unrolled` x `iterations` times and stores the sum; each block also its cycles.
template <unsigned words>
__global__ void load_banks(std::uint32_t* sums, std::uint64_t* cycles, std::uint32_t shared_words,
                           std::uint32_t iterations, BankPattern pattern) {
  extern __shared__ uint4 tile[];
  auto* content = reinterpret_cast<std::uint32_t*>(tile);
  for (std::uint32_t i = threadIdx.x; i < shared_words; i += blockDim.x) content[i] = measure::random_word(i);
  __syncthreads();

  const auto base = static_cast<std::uint32_t>(__cvta_generic_to_shared(tile));
  const std::uint32_t address = base + pattern(threadIdx.x % access::warp_lanes) * words * access::bank_bytes;
  std::uint32_t sum = 0;
  const std::uint64_t start = clock64();
#pragma unroll 1
  for (std::uint32_t iteration = 0; iteration < iterations; ++iteration) {
    std::uint32_t value[unrolled][words];
#pragma unroll
    for (auto& one : value) load(address, one);
#pragma unroll
    for (auto& one : value) {
#pragma unroll
      for (const std::uint32_t word : one) sum += word;
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) cycles[blockIdx.x] = clock64() - start;
  sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void check_sums(const std::uint32_t* sums, std::uint32_t words, std::uint32_t loads, BankPattern pattern,
                           unsigned long long* mismatches) {
  const std::uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
  std::uint32_t expected = 0;
  for (std::uint32_t k = 0; k < words; ++k) {
    expected += measure::random_word(pattern(threadIdx.x % access::warp_lanes) * words + k);
  }
  if (sums[thread] != expected * loads) atomicAdd(mismatches, 1ULL);
}

struct BankLaunch {
  BankPattern pattern;
  unsigned word_bytes;
  std::uint32_t iterations;

  explicit BankLaunch(const Case& decided)
      : pattern{static_cast<std::uint32_t>(decided.number("stride_words"))},
        word_bytes(static_cast<unsigned>(decided.number("word_bytes"))),
        iterations(static_cast<std::uint32_t>(std::max<std::uint64_t>(
            wavefronts_per_launch / warps / unrolled / access::shared_wavefronts(request(), access::Op::load), 1))) {}

  [[nodiscard]] access::WarpRequest request() const {
    access::WarpRequest request;
    request.word_bytes = word_bytes;
    request.active = ~std::uint32_t{0};
    for (std::uint32_t lane = 0; lane < access::warp_lanes; ++lane) {
      request.address[lane] = std::uint64_t{pattern(lane)} * word_bytes;
    }
    return request;
  }
  [[nodiscard]] unsigned words() const { return word_bytes / access::bank_bytes; }
  [[nodiscard]] std::uint32_t shared_words() const { return (pattern(access::warp_lanes - 1) + 1) * words(); }
  [[nodiscard]] std::uint32_t shared_bytes() const { return shared_words() * access::bank_bytes; }
  [[nodiscard]] std::uint64_t loads_per_thread() const { return std::uint64_t{iterations} * unrolled; }

  /// Calls visit(integral_constant<32-bit words per load>).
  template <class Visitor>
  decltype(auto) with_words(Visitor&& visit) const {
    switch (word_bytes) {
      case 4:
        return visit(std::integral_constant<unsigned, 1>{});
      case 8:
        return visit(std::integral_constant<unsigned, 2>{});
      default:
        return visit(std::integral_constant<unsigned, 4>{});
    }
  }
};

static Workload describe(const Case& decided, const Device& device) {
  const BankLaunch launch(decided);
  Workload workload;
  workload.kernel = launch.with_words([](auto words) { return measure::kernel_name<&load_banks<words()>>(); });
  workload.blocks = device.multiprocessors;
  workload.block_threads = block_threads;
  workload.shared_bytes_per_block = launch.shared_bytes();
  workload.sites.push_back({.name = "tile",
                            .space = access::Space::shared,
                            .op = access::Op::load,
                            .word_bytes = launch.word_bytes,
                            .instructions = unrolled,
                            .requests = workload.blocks * warps * launch.loads_per_thread(),
                            .request = [request = launch.request()](std::uint64_t) { return request; }});
  workload.useful_bytes_read = workload.blocks * block_threads * launch.loads_per_thread() * launch.word_bytes;
  return workload;
}

class BankExperiment final : public measure::Experiment {
 public:
  BankExperiment(const Case& decided, measure::Session& session)
      : launch_(decided),
        blocks_(session.device().multiprocessors),
        sums_(std::size_t{blocks_} * block_threads * sizeof(std::uint32_t)),
        cycles_(blocks_ * sizeof(std::uint64_t)),
        mismatches_(session.scratch<unsigned long long>()) {
    launch_.with_words([&](auto words) {
      measure::check(cudaFuncSetAttribute(load_banks<words()>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                          static_cast<int>(launch_.shared_bytes())),
                     "reserve shared memory");
    });
  }

  void launch(cudaStream_t stream) override {
    launch_.with_words([&](auto words) {
      load_banks<words()><<<blocks_, block_threads, launch_.shared_bytes(), stream>>>(
          sums_.as<std::uint32_t>(), cycles_.as<std::uint64_t>(), launch_.shared_words(), launch_.iterations,
          launch_.pattern);
    });
    measure::check(cudaGetLastError(), "launch the kernel");
  }

  measure::Verification verify(cudaStream_t stream) override {
    measure::check(cudaMemsetAsync(sums_.data(), measure::poison_byte, sums_.bytes(), stream), "poison the output");
    measure::check(cudaMemsetAsync(mismatches_, 0, sizeof *mismatches_, stream), "reset the check");
    launch(stream);
    check_sums<<<blocks_, block_threads, 0, stream>>>(sums_.as<std::uint32_t>(), launch_.words(),
                                                      static_cast<std::uint32_t>(launch_.loads_per_thread()),
                                                      launch_.pattern, mismatches_);
    measure::check(cudaGetLastError(), "launch the check");
    measure::Verification verification;
    unsigned long long mismatches = 0;
    measure::check(cudaMemcpyAsync(&mismatches, mismatches_, sizeof mismatches, cudaMemcpyDefault, stream),
                   "read the check");
    measure::check(cudaStreamSynchronize(stream), "run the kernel and its check");
    verification.mismatches = mismatches;
    verification.what = "threads' sums";
    return verification;
  }

  /// Cycles per request of the multiprocessor in the middle, by its own clock.
  double sample() override {
    std::vector<std::uint64_t> cycles(blocks_);
    measure::check(cudaMemcpy(cycles.data(), cycles_.data(), cycles_.bytes(), cudaMemcpyDefault), "read the cycles");
    const auto middle = cycles.begin() + static_cast<std::ptrdiff_t>(cycles.size() / 2);
    std::ranges::nth_element(cycles, middle);
    return static_cast<double>(*middle) / static_cast<double>(warps * launch_.loads_per_thread());
  }

 private:
  BankLaunch launch_;
  unsigned blocks_;
  measure::DeviceBuffer sums_;
  measure::DeviceBuffer cycles_;
  unsigned long long* mismatches_;
};

static Probe bank_probe() {
  Probe probe;
  probe.name = "bank";
  probe.purpose = "strided shared-memory loads: what bank conflicts cost";
  probe.axes = {{.flag = "bank-stride",
                 .parameter = "stride_words",
                 .unit = "words",
                 .purpose = "distance between the words of neighbouring lanes; 0 broadcasts one word",
                 .defaults = "0..33",
                 .quick = "0,1,2,4,8,16,32,33",
                 .maximum = 1024},
                {.flag = "word-bytes",
                 .parameter = "word_bytes",
                 .unit = "bytes",
                 .purpose = "size of a word: what one lane loads with one instruction",
                 .defaults = "4",
                 .numbers = {4, 8, 16}}};
  probe.baseline = std::uint64_t{1};
  probe.headline = {
      .quantity = {"cycles_per_request", "cycles of a multiprocessor per warp request, by its own clock", Better::less},
      .predict = [](const Workload&, const model::Prediction& prediction,
                    const model::Profile& profile) -> std::optional<double> {
        return prediction.sites.front().cost.wavefronts_per_request / profile.rates.shared_wavefronts_per_cycle;
      },
      // The words that a warp asks for, through all banks at once.
      .peak = [](const Workload& workload, const Device&) -> std::optional<double> {
        return workload.sites.front().word_bytes / access::bank_bytes;
      }};
  probe.metrics = {{.quantity = {"gb_per_s_per_multiprocessor", "bandwidth of one multiprocessor", Better::more},
                    .from_seconds = [](const Workload& workload, double seconds) -> std::optional<double> {
                      const auto blocks = static_cast<double>(workload.blocks);  // one a multiprocessor
                      return static_cast<double>(workload.useful_bytes()) / blocks / seconds * per_giga;
                    }}};
  probe.describe = describe;
  probe.prepare = [](const Case& decided, measure::Session& session) -> std::unique_ptr<measure::Experiment> {
    return std::make_unique<BankExperiment>(decided, session);
  };
  return probe;
}

GPUMEM_PROBE(bank_probe);

}  // namespace gpumem::shared
