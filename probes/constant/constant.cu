// Constant: a warp's lanes look words up in a table, at one address or at several. Constant memory serves one address
// after another; the same table in shared memory, or in global memory and then in L1, serves them together.

#include <string>

#include "engine/measure/content.hpp"
#include "engine/measure/timing.hpp"
#include "probes/constant/pattern.hpp"
#include "probes/experiment.hpp"

namespace gpumem::constant {

constexpr unsigned block_threads = 1024;  ///< one block a multiprocessor: enough warps to hide any of the latencies
constexpr unsigned warps = block_threads / access::warp_lanes;
/// Requests per multiprocessor and launch: about a quarter of a millisecond at one a cycle.
constexpr std::uint32_t requests_per_launch = 1U << 19U;

__constant__ std::uint32_t constants[table_words];

// The memories in which the table may lie. Its words are random_word(i) in each.
struct ConstantTable {
  static constexpr access::Space space = access::Space::constant;
  static __device__ const std::uint32_t* words(const std::uint32_t* /*source*/) { return constants; }
};
struct SharedTable {
  static constexpr access::Space space = access::Space::shared;
  static __device__ const std::uint32_t* words(const std::uint32_t* /*source*/) {
    __shared__ std::uint32_t tile[table_words];
    for (std::uint32_t i = threadIdx.x; i < table_words; i += blockDim.x) tile[i] = measure::random_word(i);
    return tile;
  }
};
struct GlobalTable {
  static constexpr access::Space space = access::Space::global;
  static __device__ const std::uint32_t* words(const std::uint32_t* source) { return source; }
};

/// Each thread looks up a word of every row, `turns` times, and stores the sum; each block also its cycles.
template <class Table>
__global__ void __launch_bounds__(block_threads)
    look_up(const std::uint32_t* source, std::uint32_t* sums, std::uint64_t* cycles, std::uint32_t turns,
            LookUpPattern pattern) {
  const std::uint32_t* const table = Table::words(source);
  __syncthreads();
  std::uint32_t word = pattern.first(threadIdx.x % access::warp_lanes);
  std::uint32_t sum = 0;
  const std::uint64_t start = clock64();
#pragma unroll 1
  for (std::uint32_t turn = 0; turn < turns; ++turn) {
    const std::uint32_t* const in_first_row = table + word;  // from where rows are offsets that loads name themselves
    std::uint32_t value[rows];
#pragma unroll
    for (std::uint32_t row = 0; row < rows; ++row) value[row] = in_first_row[row * row_words];
#pragma unroll
    for (const std::uint32_t loaded : value) sum += loaded;
    word = pattern.next(word);
  }
  __syncthreads();
  if (threadIdx.x == 0) cycles[blockIdx.x] = clock64() - start;
  sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void check_look_ups(const std::uint32_t* sums, std::uint32_t turns, std::uint32_t addresses,
                               unsigned long long* mismatches) {
  std::uint32_t expected = 0;
  for (std::uint32_t turn = 0; turn < turns; ++turn) {
    const std::uint32_t word = (threadIdx.x % access::warp_lanes + turn) % addresses;
    for (std::uint32_t row = 0; row < rows; ++row) expected += measure::random_word(row * row_words + word);
  }
  if (sums[blockIdx.x * blockDim.x + threadIdx.x] != expected) atomicAdd(mismatches, 1ULL);
}

/// A case in numbers.
struct LookUp {
  access::Space space;
  LookUpPattern pattern;
  std::uint32_t turns;

  explicit LookUp(const Case& decided)
      : space(decided[axis::space]),
        pattern{decided[axis::addresses]},
        // Constant memory serves addresses one after another, so a request with several takes longer.
        turns(requests_per_launch / warps / rows / (space == access::Space::constant ? pattern.addresses : 1)) {}

  [[nodiscard]] std::uint64_t requests_per_warp() const { return std::uint64_t{turns} * rows; }

  [[nodiscard]] auto table() const {
    return first_that<ConstantTable, SharedTable, GlobalTable>([=, this](auto known) { return known.space == space; });
  }
};

static Workload describe_constant(const Case& decided, const Device& device) {
  const LookUp look_ups(decided);
  Workload workload;
  workload.kernel =
      dispatch(look_ups.table(), [](auto table) { return measure::kernel_name<&look_up<decltype(table)>>(); });
  workload.blocks = device.multiprocessors;
  workload.block_threads = block_threads;
  if (look_ups.space == access::Space::shared) workload.shared_bytes_per_block = table_words * sizeof(std::uint32_t);
  workload.sites.push_back({.name = "table",
                            .space = look_ups.space,
                            .op = access::Op::load,
                            .word_bytes = sizeof(std::uint32_t),
                            .instructions = rows,
                            .requests = workload.blocks * warps * look_ups.requests_per_warp(),
                            .request = [=](std::uint64_t k) { return look_ups.pattern.request(k); }});
  workload.useful_bytes_read = workload.sites.front().requests * access::warp_lanes * sizeof(std::uint32_t);
  if (look_ups.space != access::Space::shared) {
    workload.unmodelled = "the model has no stage for the constant cache, nor for look-ups in L1 one after another";
  }
  return workload;
}

class LookUpExperiment final : public measure::Experiment {
 public:
  LookUpExperiment(const Case& decided, measure::Session& session)
      : look_ups_(decided),
        blocks_(session.device().multiprocessors),
        source_(session.random_source(table_words)),
        sums_(std::size_t{blocks_} * block_threads * sizeof(std::uint32_t)),
        cycles_(blocks_ * sizeof(std::uint64_t)),
        mismatches_(session) {
    measure::check(cudaMemcpyToSymbolAsync(constants, source_, sizeof constants, 0, cudaMemcpyDeviceToDevice,
                                           session.stream().get()),
                   "fill constant memory");
  }

  void launch(cudaStream_t stream) override {
    dispatch(look_ups_.table(), [&](auto table) {
      look_up<decltype(table)><<<blocks_, block_threads, 0, stream>>>(
          source_, sums_.as<std::uint32_t>(), cycles_.as<std::uint64_t>(), look_ups_.turns, look_ups_.pattern);
    });
    measure::check(cudaGetLastError(), "launch the kernel");
  }

  measure::Verification verify(cudaStream_t stream) override {
    measure::poison(sums_, stream);
    mismatches_.reset(stream);
    launch(stream);
    check_look_ups<<<blocks_, block_threads, 0, stream>>>(sums_.as<std::uint32_t>(), look_ups_.turns,
                                                          look_ups_.pattern.addresses, mismatches_.data());
    return {.mismatches = mismatches_.read(stream), .what = "threads' sums"};
  }

  /// Cycles per request of the multiprocessor in the middle, by its own clock.
  double sample() override {
    return measure::middle_cycles(cycles_) / static_cast<double>(warps * look_ups_.requests_per_warp());
  }

 private:
  LookUp look_ups_;
  unsigned blocks_;
  const std::uint32_t* source_;
  measure::DeviceBuffer sums_;
  measure::DeviceBuffer cycles_;
  measure::MismatchCount mismatches_;
};

static Probe constant_probe() {
  Probe probe;
  probe.name = "constant";
  probe.purpose = "a table read at several addresses per warp, by where it lies";
  probe.family = Family::constant;
  probe.axes = {
      axis::addresses({.flag = "warp-addresses",
                       .purpose = "distinct addresses among a warp's lanes; 1 is what constant memory is made for",
                       .defaults = "1..32",
                       .quick = "1,8,32",
                       .minimum = 1,
                       .maximum = row_words}),
      axis::space({.flag = "space",
                   .purpose = "memory of the table; in global memory it is found in L1",
                   .value_optional = true})};
  probe.compared = axis::space.name;
  probe.baseline = std::string("constant");
  // A request per cycle is the best of shared memory (a wavefront) and of L1 (a line). The best rate of constant memory
  // is not documented.
  probe.headline = request_cycles([](const Workload& workload, const Device&) -> std::optional<double> {
    return workload.sites.front().space == access::Space::constant ? std::nullopt : std::optional(1.0);
  });
  probe.concluded = {
      {"fixed_cycles", "fixed time of a request to constant memory, fitted over the addresses", Better::less},
      {"cycles_per_address", "time that each address adds, fitted over the addresses", Better::less}};
  probe.describe = describe_constant;
  probe.prepare = prepared<LookUpExperiment>;
  probe.conclude = conclude_constant;
  return probe;
}

GPUMEM_PROBE(constant_probe);

}  // namespace gpumem::constant
