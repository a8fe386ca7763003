// Async-copy: an array of global memory streamed through shared memory, by three ways to get it there: loaded into
// registers and stored, by cp.async past the registers, and by the bulk copy engine at the request of one thread. The
// bandwidth of each follows from the bytes that a multiprocessor has in flight (Little's law); the cost is registers
// and threads.

#include <algorithm>
#include <bit>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/machine/compute_capability.hpp"
#include "probes/experiment.hpp"
#include "probes/shared/async_copy/async_copy_kernels.cuh"

namespace gpumem::shared {

enum class CopyMethod { registers, cp_async, bulk };

namespace axis {
constexpr Number in_flight_bytes{"in_flight_bytes"};
constexpr Choice<CopyMethod> copied_by{"copied_by", {"registers", "cp-async", "bulk"}};
constexpr Number<unsigned> block_threads{"block_threads"};
}  // namespace axis

namespace {

/// A case in numbers.
struct AsyncLaunch {
  CopyMethod way;
  std::uint64_t in_flight_bytes;  ///< per multiprocessor, which has one block
  unsigned block_threads;

  explicit AsyncLaunch(const Case& decided)
      : way(decided[axis::copied_by]),
        in_flight_bytes(decided[axis::in_flight_bytes]),
        block_threads(decided[axis::block_threads]) {}

  /// Words of a tile, on which a block works at a time.
  [[nodiscard]] std::uint32_t tile_words() const {
    return static_cast<std::uint32_t>(in_flight_bytes / word_bytes / (way == CopyMethod::registers ? 1 : ring_stages));
  }
  [[nodiscard]] std::uint64_t held() const { return in_flight_bytes / word_bytes / block_threads; }

  /// Selects, among the compiled kernels, the one whose threads hold this many words.
  [[nodiscard]] auto compiled_held() const { return one_of<1, 2, 4, 8, 16, most_held>(held()); }
};

/// Bytes of the array: at least 16 times L2, so that reads go to memory, but no more than half of the free memory. A
/// power of two, so that tiles divide it.
std::uint64_t array_bytes(const Device& device) {
  constexpr std::uint64_t least = std::uint64_t{1} << 20U;
  std::uint64_t bytes = std::bit_ceil(std::max(16 * device.l2_bytes, least));
  while (bytes > least && bytes > device.free_memory_bytes.value_or(device.memory_bytes) / 2) bytes /= 2;
  return bytes;
}

/// Throws a missing-capability error if the GPU lacks the instructions of this method.
void require_way(CopyMethod way, const Device& device) {
  if (way == CopyMethod::cp_async) require_compute_capability(device, 80, "cp.async");
  if (way == CopyMethod::bulk) require_compute_capability(device, 90, "the bulk copy engine");
}

void validate(const Case& chosen) {
  const AsyncLaunch launch(chosen);
  if (launch.way != CopyMethod::registers) return;
  const std::uint64_t each = launch.in_flight_bytes / launch.block_threads;
  if (each >= word_bytes && each <= most_held * word_bytes) return;
  throw usage_error("--in-flight " + std::to_string(launch.in_flight_bytes) + " through registers is " +
                    std::to_string(each) + " bytes for each of " + std::to_string(launch.block_threads) +
                    " threads, which hold 16 to 512; choose another --block-threads, or --async-copy cp-async,bulk");
}

Workload describe_async_copy(const Case& decided, const Device& device) {
  const AsyncLaunch launch(decided);
  require_way(launch.way, device);
  Workload workload;
  switch (launch.way) {
    case CopyMethod::registers:
      workload.kernel = dispatch(launch.compiled_held(),
                                 [](auto held) { return measure::kernel_name<&copy_through_registers<held()>>(); });
      break;
    case CopyMethod::cp_async:
      workload.kernel = measure::kernel_name<&copy_by_cp_async<ring_stages>>();
      break;
    case CopyMethod::bulk:
      workload.kernel = measure::kernel_name<&copy_by_bulk_engine<ring_stages>>();
      break;
  }
  const std::uint64_t bytes = array_bytes(device);
  const unsigned instructions = launch.way == CopyMethod::registers ? static_cast<unsigned>(launch.held()) : 1;
  const auto add_site = [&](const char* name, access::Space space, access::Op op, unsigned of_them) {
    const bool reversed = space == access::Space::shared && op == access::Op::load;
    workload.sites.push_back({.name = name,
                              .space = space,
                              .op = op,
                              .word_bytes = word_bytes,
                              .instructions = of_them,
                              .requests = bytes / (word_bytes * access::warp_lanes),
                              .request = [=](std::uint64_t k) { return request_of_words(k, reversed); }});
  };
  add_site("source", access::Space::global, access::Op::load, instructions);
  add_site("tile", access::Space::shared, access::Op::store, instructions);
  add_site("use", access::Space::shared, access::Op::load, used_at_once);
  workload.useful_bytes_read = bytes;
  workload.blocks = device.multiprocessors;
  workload.block_threads = launch.block_threads;
  workload.shared_bytes_per_block = static_cast<unsigned>(launch.in_flight_bytes);
  workload.allocated_bytes = bytes + workload.blocks * launch.block_threads * sizeof(std::uint32_t);
  workload.unmodelled = "the model does not know how many bytes are in flight at once";
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
      // A build for older GPUs alone has PTX without these instructions, which a newer GPU then compiles.
      const int least = launch_.way == CopyMethod::bulk ? 90 : launch_.way == CopyMethod::cp_async ? 80 : 0;
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

  /// Calls visit(kernel, its arguments after source, sums and tiles...).
  template <class Visitor>
  void with_kernel(Visitor&& visit) const {
    switch (launch_.way) {
      case CopyMethod::registers:
        return dispatch(launch_.compiled_held(), [&](auto held) { visit(copy_through_registers<held()>); });
      case CopyMethod::cp_async:
        return visit(copy_by_cp_async<ring_stages>, launch_.tile_words());
      case CopyMethod::bulk:
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

std::uint64_t in_flight_of(const Outcome& outcome) { return outcome.tested[axis::in_flight_bytes]; }

/// The cases of one method.
struct MethodCases {
  std::string words;  ///< "by cp.async"
  std::vector<Outcome> outcomes;
  std::optional<std::uint64_t> saturating_bytes = {};
};

/// The methods that ran. `least` is the rate that saturates.
std::vector<MethodCases> methods_of(std::span<const Outcome> outcomes, double least) {
  constexpr std::pair<CopyMethod, const char*> methods[] = {{CopyMethod::bulk, "by the bulk copy engine"},
                                                            {CopyMethod::cp_async, "by cp.async"},
                                                            {CopyMethod::registers, "through registers"}};
  std::vector<MethodCases> found;
  for (const auto& [way, words] : methods) {
    MethodCases method{.words = words, .outcomes = outcomes_with(outcomes, axis::copied_by, way)};
    for (const Outcome& outcome : method.outcomes) {
      if (outcome.headline < least) continue;
      method.saturating_bytes =
          std::min(method.saturating_bytes.value_or(in_flight_of(outcome)), in_flight_of(outcome));
    }
    if (!method.outcomes.empty()) found.push_back(std::move(method));
  }
  return found;
}

/// Concludes for the cases of one number of threads. The cases of a method get saturating_in_flight_bytes, the fewest
/// bytes that saturate the best bandwidth of all methods, unless the method never does.
Conclusion conclude_async_copy(std::span<const Outcome> outcomes) {
  const Outcome& best = best_of(outcomes);
  std::vector<MethodCases> methods = methods_of(outcomes, saturated_share * best.headline);
  Conclusion conclusion;
  for (const MethodCases& method : methods) {
    if (!method.saturating_bytes) continue;
    conclusion.quantities.push_back(
        {"saturating_in_flight_bytes", static_cast<double>(*method.saturating_bytes), indices_of(method.outcomes)});
  }
  std::ranges::stable_sort(methods, {}, &MethodCases::saturating_bytes);  // those that take least come first
  Fact saturated{FactKind::saturates_at,
                 {},
                 "For nearly {rate_gb_per_s} a multiprocessor with {block_threads} threads needs in flight: "
                 "{in_flight_bytes method}.",
                 {{"block_threads", best.tested[axis::block_threads]},
                  headline_value("rate_gb_per_s", best),
                  {"in_flight_bytes", std::vector<double>{}},
                  {"method", std::vector<std::string>{}}}};
  std::vector<Fact> missed;
  for (const MethodCases& method : methods) {
    if (method.saturating_bytes) {
      std::ranges::copy(indices_of(method.outcomes), std::back_inserter(saturated.outcomes));
      saturated.values[2].items.emplace_back(static_cast<double>(*method.saturating_bytes));
      saturated.values[3].items.emplace_back(method.words);
      continue;
    }
    const Outcome& most = best_of(method.outcomes);
    missed.push_back({FactKind::limit,
                      indices_of(method.outcomes),
                      "Copies {method} stay at {rate_gb_per_s}, with {in_flight_bytes} in flight.",
                      {{"method", method.words},
                       headline_value("rate_gb_per_s", most),
                       {"in_flight_bytes", static_cast<double>(in_flight_of(most))}}});
  }
  conclusion.facts = {std::move(saturated)};
  conclusion.facts.insert(conclusion.facts.end(), missed.begin(), missed.end());
  const Outcome& fewest = *std::ranges::min_element(outcomes, {}, in_flight_of);
  const bool always = std::ranges::find(methods, in_flight_of(fewest), &MethodCases::saturating_bytes) != methods.end();
  if (!always || outcomes.size() == 1) return conclusion;
  conclusion.facts.push_back({FactKind::saturates_at,
                              {fewest.index},
                              "Less in flight than the {fewest_bytes} that were tried may do as well.",
                              {{"fewest_bytes", static_cast<double>(in_flight_of(fewest))}}});
  return conclusion;
}

Probe async_copy_probe() {
  Probe probe;
  probe.name = "async-copy";
  probe.purpose = "global to shared memory: which way needs the least in flight";
  probe.family = Family::shared;
  probe.axes = {
      axis::in_flight_bytes(
          {.flag = "in-flight",
           .unit = "bytes",
           .purpose = "bytes that each multiprocessor has on their way at once; bandwidth is that over latency",
           .defaults = "4KiB..128KiB*2",
           .quick = "8KiB,32KiB,128KiB",
           .numbers = {4096, 8192, 16384, 32768, 65536, most_in_flight}}),
      axis::copied_by({.flag = "async-copy",
                       .purpose = "loads and stores, cp.async past the registers, or the bulk copy engine (sm_90)",
                       .value_optional = true}),
      axis::block_threads(
          {.flag = "block-threads",
           .unit = "threads",
           .purpose = "threads of the one block of a multiprocessor; the bulk engine needs one of them to copy",
           .defaults = "256",
           .numbers = {32, 64, 128, 256, 512, 1024}})};
  probe.compared = axis::copied_by.name;
  probe.baseline = std::string("registers");
  probe.concluded = {{"saturating_in_flight_bytes",
                      "fewest bytes in flight per multiprocessor that reach 95 % of the best bandwidth of the table",
                      Better::less}};
  probe.describe = describe_async_copy;
  probe.validate = validate;
  probe.prepare = prepared<AsyncCopyExperiment>;
  probe.conclude = conclude_async_copy;
  return probe;
}

GPUMEM_PROBE(async_copy_probe);

}  // namespace

}  // namespace gpumem::shared
