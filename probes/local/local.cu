// Local: an array of each thread's own. With indices that the compiler does not know it needs addresses, and lies in
// local memory, which is device memory behind the caches; with known ones it lies in registers. The work is the same.

#include <iterator>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/measure/content.hpp"
#include "probes/experiment.hpp"
#include "probes/local/update.hpp"

namespace gpumem::local {

/// Few enough that each thread may have as many registers as a thread can have.
constexpr unsigned block_threads = 256;
constexpr unsigned threads_per_multiprocessor = 2048;  ///< of a launch; as many are resident where registers suffice
constexpr unsigned blocks_per_multiprocessor = threads_per_multiprocessor / block_threads;

/// Each thread fills its array, updates every word `rounds` times and stores a sum in which each word has a weight of
/// its own. With known indices all loops over the array are unrolled.
template <unsigned words, class Index>
__global__ void __launch_bounds__(block_threads) update_array(std::uint32_t* sums, std::uint32_t rounds, Index index) {
  constexpr bool known = std::is_same_v<Index, KnownIndex>;
  const std::uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
  std::uint32_t array[words];
#pragma unroll(known ? words : 1)
  for (std::uint32_t k = 0; k < words; ++k) array[index(k)] = measure::random_word(thread * words + k);
#pragma unroll 1
  for (std::uint32_t round = 0; round < rounds; ++round) {
#pragma unroll(known ? words / words_at_once : 1)
    for (std::uint32_t k = 0; k < words; k += words_at_once) {
      std::uint32_t word[words_at_once];
#pragma unroll
      for (std::uint32_t j = 0; j < words_at_once; ++j) word[j] = array[index(k + j)];
#pragma unroll
      for (std::uint32_t j = 0; j < words_at_once; ++j) array[index(k + j)] = updated(word[j]);
    }
  }
  std::uint32_t sum = 0;
#pragma unroll(known ? words : 1)
  for (std::uint32_t k = 0; k < words; ++k) sum = sum * 31 + array[index(k)];
  sums[thread] = sum;
}

__global__ void check_updates(const std::uint32_t* sums, std::uint32_t words, std::uint32_t rounds,
                              unsigned long long* mismatches) {
  const std::uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
  std::uint32_t expected = 0;
  for (std::uint32_t k = 0; k < words; ++k) {
    std::uint32_t word = measure::random_word(thread * words + k);
    for (std::uint32_t round = 0; round < rounds; ++round) word = updated(word);
    expected = expected * 31 + word;
  }
  if (sums[thread] != expected) atomicAdd(mismatches, 1ULL);
}

namespace axis {
constexpr Number<std::uint32_t> array_words{"array_words"};
constexpr Choice<bool> in_registers{"array", {{"local", false}, {"registers", true}}};
}  // namespace axis

/// A case in numbers.
struct ArrayUpdate {
  bool in_registers;
  std::uint32_t words;

  explicit ArrayUpdate(const Case& decided)
      : in_registers(decided[axis::in_registers]), words(decided[axis::array_words]) {}

  [[nodiscard]] std::uint32_t rounds() const { return updates_per_thread / words; }

  /// Calls visit(integral_constant<words>, Index).
  template <class Visitor>
  decltype(auto) with_kernel(Visitor&& visit) const {
    return dispatch(one_of<4, 8, 16, 32, 64>(words), [&](auto size) {
      return in_registers ? visit(size, KnownIndex{}) : visit(size, IndexedByLaunch{size() - 1});
    });
  }
};

static Workload describe_local(const Case& decided, const Device& device) {
  const ArrayUpdate update(decided);
  Workload workload;
  workload.kernel = update.with_kernel(
      [](auto words, auto index) { return measure::kernel_name<&update_array<words(), decltype(index)>>(); });
  workload.blocks = std::uint64_t{device.multiprocessors} * blocks_per_multiprocessor;
  workload.block_threads = block_threads;
  workload.unmodelled = "the model has no stage for caches that hold part of a thread's array";
  if (update.in_registers) return workload;

  const std::uint64_t warps = workload.blocks * block_threads / access::warp_lanes;
  for (const access::Op op : {access::Op::load, access::Op::store}) {
    workload.sites.push_back({.name = "array",
                              .space = access::Space::local,
                              .op = op,
                              .word_bytes = sizeof(std::uint32_t),
                              // To update, and to sum up or to fill.
                              .instructions = words_at_once + 1,
                              .requests = warps * (updates_per_thread + update.words),
                              .request = [=](std::uint64_t k) {
                                return request(IndexedByLaunch{update.words - 1}, update.words, warps, k);
                              }});
  }
  const std::uint64_t useful = workload.sites.front().requests * access::warp_lanes * sizeof(std::uint32_t);
  workload.useful_bytes_read = useful;
  workload.useful_bytes_written = useful;
  return workload;
}

class LocalExperiment final : public measure::Experiment {
 public:
  LocalExperiment(const Case& decided, measure::Session& session)
      : update_(decided),
        blocks_(session.device().multiprocessors * blocks_per_multiprocessor),
        sums_(std::size_t{blocks_} * block_threads * sizeof(std::uint32_t)),
        mismatches_(session) {}

  void launch(cudaStream_t stream) override {
    update_.with_kernel([&](auto words, auto index) {
      update_array<words()><<<blocks_, block_threads, 0, stream>>>(sums_.as<std::uint32_t>(), update_.rounds(), index);
    });
    measure::check(cudaGetLastError(), "launch the kernel");
  }

  measure::Verification verify(cudaStream_t stream) override {
    measure::poison(sums_, stream);
    mismatches_.reset(stream);
    launch(stream);
    check_updates<<<blocks_, block_threads, 0, stream>>>(sums_.as<std::uint32_t>(), update_.words, update_.rounds(),
                                                         mismatches_.data());
    return {.mismatches = mismatches_.read(stream), .what = "threads' sums"};
  }

  /// Local memory and registers per thread that the compiler gave the kernel.
  std::vector<std::pair<std::string, double>> metrics(cudaStream_t /*stream*/,
                                                      measure::Seconds /*per_launch*/) override {
    cudaFuncAttributes attributes{};
    update_.with_kernel([&](auto words, auto index) {
      measure::check(cudaFuncGetAttributes(&attributes, update_array<words(), decltype(index)>),
                     "ask what the kernel needs");
    });
    return {{"local_bytes_per_thread", static_cast<double>(attributes.localSizeBytes)},
            {"registers_per_thread", static_cast<double>(attributes.numRegs)}};
  }

 private:
  ArrayUpdate update_;
  unsigned blocks_;
  measure::DeviceBuffer sums_;
  measure::MismatchCount mismatches_;
};

/// Adds the cost of local memory at the smallest and the largest size that ran in both.
static void add_cost(std::vector<Fact>& facts, const OutcomesByNumber& local, const OutcomesByNumber& registers) {
  std::vector<std::size_t> indices;
  std::vector<double> sizes;
  std::vector<double> slowdowns;
  bool is_slower = false;
  for (const auto& [words, outcome, known] : pairs_of(local, registers)) {
    indices.insert(indices.end(), {outcome->index, known->index});
    if (sizes.size() == 2) {
      sizes.pop_back();
      slowdowns.pop_back();
    }
    sizes.push_back(static_cast<double>(words));
    slowdowns.push_back(gain(*outcome, *known));
    is_slower = is_slower || better(*known, *outcome);
  }
  if (indices.empty()) return;
  facts.push_back({is_slower ? FactKind::costs : FactKind::as_fast_as,
                   std::move(indices),
                   is_slower ? "Give arrays indices that the compiler knows: unroll the loops over them. Others take "
                               "{slowdown_ratio} as long as registers, at {words} words."
                             : "Indexed arrays of {words} words are as fast as the same work in registers.",
                   {{"words", sizes}, {"slowdown_ratio", slowdowns}}});
}

/// Adds the smallest array that registers were too few for, if there is one.
static void add_spill(std::vector<Fact>& facts, const OutcomesByNumber& registers) {
  for (const auto& [words, outcome] : registers) {
    const double bytes = outcome->metric("local_bytes_per_thread").value_or(0);
    if (bytes < 1) continue;
    facts.push_back(
        {FactKind::limit,
         {outcome->index},
         "Registers are too few from {words} words on even with known indices: {spilled_bytes} are spilled.",
         {{"words", static_cast<double>(words)}, {"spilled_bytes", bytes}}});
    return;
  }
}

/// Adds the sizes at which an update takes far longer than at the next smaller size.
static void add_knees(std::vector<Fact>& facts, const OutcomesByNumber& local) {
  constexpr double far_dearer = 1.3;  // less is the cost of the loop, which differs between sizes
  for (auto larger = local.begin(); larger != local.end(); ++larger) {
    if (larger == local.begin()) continue;
    const Outcome& before = *std::prev(larger)->second;
    const Outcome& after = *larger->second;
    if (!better(before, after) || gain(after, before) < far_dearer) continue;
    facts.push_back({FactKind::capacity,
                     {before.index, after.index},
                     "An update takes {slowdown_ratio} as long with {larger} words as with {smaller}: the caches no "
                     "longer hold the arrays of all threads.",
                     {{"smaller", static_cast<double>(std::prev(larger)->first)},
                      {"larger", static_cast<double>(larger->first)},
                      gain_value("slowdown_ratio", after, before)}});
  }
}

/// Compares local memory with registers, and says what the compiler reported. Concludes nothing if no size ran in local
/// memory.
static Conclusion conclude_local(std::span<const Outcome> outcomes) {
  const OutcomesByNumber local = by_number(outcomes, axis::in_registers, false, axis::array_words);
  const OutcomesByNumber registers = by_number(outcomes, axis::in_registers, true, axis::array_words);
  if (local.empty()) return {};
  Conclusion conclusion;
  add_cost(conclusion.facts, local, registers);
  add_spill(conclusion.facts, registers);
  add_knees(conclusion.facts, local);
  const auto& [words, largest] = *local.rbegin();
  if (const auto bytes = largest->metric("local_bytes_per_thread")) {
    conclusion.facts.push_back({FactKind::costs,
                                {largest->index},
                                "The compiler reports {local_bytes} of local memory per thread for {words} words.",
                                {{"local_bytes", *bytes}, {"words", static_cast<double>(words)}}});
  }
  return conclusion;
}

static Probe local_probe() {
  Probe probe;
  probe.name = "local";
  probe.purpose = "a thread's own array: local memory against registers";
  probe.family = Family::local;
  probe.axes = {
      axis::array_words(
          {.flag = "array-words",
           .unit = "words",
           .purpose = "4-byte words in each thread's array; many of them do not fit in L1, nor in registers",
           .defaults = "4..64*2",
           .quick = "4,16,64",
           .numbers = {4, 8, 16, 32, 64}}),
      axis::in_registers({.flag = "array",
                          .purpose = "memory of the array; the compiler takes registers if it knows the indices",
                          .value_optional = true})};
  probe.compared = axis::in_registers.name;
  probe.baseline = std::string("registers");
  probe.headline = {
      .quantity = {"updates_per_ns", "words of arrays loaded, changed and stored, by the whole GPU", Better::more},
      .from_seconds = [](const Workload& workload, double seconds) -> std::optional<double> {
        return static_cast<double>(workload.blocks) * workload.block_threads * updates_per_thread / (seconds * 1e9);
      }};
  probe.metrics = {
      {{"local_bytes_per_thread", "local memory that the compiler gave the kernel, per thread", Better::less}},
      {{"registers_per_thread", "registers that the compiler gave the kernel, per thread", Better::neither}}};
  probe.describe = describe_local;
  probe.prepare = prepared<LocalExperiment>;
  probe.conclude = conclude_local;
  return probe;
}

GPUMEM_PROBE(local_probe);

}  // namespace gpumem::local
