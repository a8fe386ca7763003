// Occupancy: the memory bandwidth that a number of resident warps reaches. The size of blocks, registers or shared
// memory limits their number.

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.hpp"
#include "probes/experiment.hpp"
#include "probes/kernels/occupancy/occupancy_case.hpp"
#include "probes/kernels/occupancy/occupancy_kernel.cuh"

namespace gpumem::kernels {

struct Kernel {
  void (*function)(const uint4*, std::uint32_t*, std::uint32_t, unsigned);
  std::string name;
};

template <std::size_t... classes>
static Kernel kernel_holding(unsigned held, std::index_sequence<classes...>) {
  Kernel found;
  const auto take = [&]<unsigned own>() {
    if (own == held) found = {&read_holding_registers<own>, measure::kernel_name<&read_holding_registers<own>>()};
  };
  (take.template operator()<register_classes[classes].held>(), ...);
  return found;
}

static Kernel kernel_of(const OccupancyCase& occupancy) {
  return kernel_holding(occupancy.registers.held, std::make_index_sequence<register_classes.size()>{});
}

/// Throws a probe error unless as many blocks are resident as the case says: the compiler may have taken another number
/// of registers.
static void require_residency(const OccupancyCase& occupancy, const Kernel& kernel) {
  cudaFuncAttributes attributes{};
  measure::check(cudaFuncGetAttributes(&attributes, kernel.function), "ask what the kernel was compiled to");
  int blocks = 0;
  measure::check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                     &blocks, kernel.function, static_cast<int>(occupancy.block_threads), occupancy.shared_bytes),
                 "ask how many blocks are resident");
  if (static_cast<unsigned>(blocks) == occupancy.resident_blocks) return;
  throw probe_error(std::to_string(blocks) + " blocks of " + std::to_string(occupancy.block_threads) +
                    " threads would be resident and not " + std::to_string(occupancy.resident_blocks) +
                    ": the kernel was compiled to " + std::to_string(attributes.numRegs) + " registers a thread, and " +
                    std::to_string(occupancy.registers.registers) + " are meant");
}

class OccupancyExperiment final : public measure::Experiment {
 public:
  OccupancyExperiment(const Case& decided, measure::Session& session)
      : case_(require_occupancy_case(decided, session.device())),
        kernel_(kernel_of(case_)),
        words_(session.random_source(case_.bytes() / sizeof(std::uint32_t))),
        sums_(case_.threads() * sizeof(std::uint32_t)),
        mismatches_(session) {
    measure::allow_all_shared_memory(reinterpret_cast<const void*>(kernel_.function));
    require_residency(case_, kernel_);
  }

  void launch(cudaStream_t stream) override { launch(never, stream); }

  measure::Verification verify(cudaStream_t stream) override {
    constexpr unsigned half_way = loads_of_thread / 2;
    measure::poison(sums_, stream);
    mismatches_.reset(stream);
    launch(half_way, stream);
    check_read<<<static_cast<unsigned>(case_.blocks), case_.block_threads, 0, stream>>>(
        sums_.as<std::uint32_t>(), case_.registers.held, seed, half_way, mismatches_.data());
    return {.mismatches = mismatches_.read(stream), .what = "threads' sums"};
  }

 private:
  static constexpr std::uint32_t seed = measure::random_word(3);
  static constexpr unsigned never = loads_of_thread;

  void launch(unsigned change, cudaStream_t stream) {
    kernel_.function<<<static_cast<unsigned>(case_.blocks), case_.block_threads, case_.shared_bytes, stream>>>(
        reinterpret_cast<const uint4*>(words_), sums_.as<std::uint32_t>(), seed, change);
    measure::check(cudaGetLastError(), "launch the kernel");
  }

  OccupancyCase case_;
  Kernel kernel_;
  const std::uint32_t* words_;
  measure::DeviceBuffer sums_;
  measure::MismatchCount mismatches_;
};

/// Concludes how many warps suffice, whatever limits them, and at which number of warps the limit matters most.
static Conclusion conclude_occupancy(std::span<const Outcome> outcomes) {
  std::map<unsigned, std::vector<Outcome>> by_warps;
  for (const Outcome& outcome : outcomes) {
    if (outcome.headline > 0) by_warps[outcome.tested[axis::resident_warps]].push_back(outcome);
  }
  if (by_warps.size() < 2) return {};
  const Outcome& best = best_of(outcomes);
  const auto most = by_warps.rbegin()->first;
  const auto enough = std::ranges::find_if(
      by_warps, [&](const auto& of_warps) { return gain(best, best_of(of_warps.second)) >= saturated_share; });
  const Outcome& saturated = best_of(enough->second);
  Conclusion conclusion;
  if (std::next(enough) != by_warps.end()) {
    conclusion.facts.push_back({FactKind::saturates_at,
                                {saturated.index, best.index},
                                "{enough_warps} of {most_warps} resident warps suffice: they reach {rate_gb_per_s} of "
                                "{best_gb_per_s}.",
                                {{"enough_warps", enough->first},
                                 {"most_warps", most},
                                 headline_value("rate_gb_per_s", saturated),
                                 headline_value("best_gb_per_s", best)}});
  } else {
    conclusion.facts.push_back({FactKind::limit,
                                {best.index},
                                "It takes all of {most_warps} resident warps: less in flight is less bandwidth.",
                                {{"most_warps", most}}});
  }
  const auto spread = [](const auto& of_warps) { return gain(worst_of(of_warps.second), best_of(of_warps.second)); };
  const auto& [warps, limits] = *std::ranges::max_element(by_warps, {}, spread);
  const Outcome& slowest = worst_of(limits);
  const Outcome& fastest = best_of(limits);
  if (better(fastest, slowest)) {
    conclusion.facts.push_back({FactKind::costs,
                                {slowest.index, fastest.index},
                                "The limit of residency matters too: {warps} warps read {slow_gb_per_s} with "
                                "{slow_limit} as the limit, and {fast_gb_per_s} with {fast_limit}.",
                                {{"warps", warps},
                                 headline_value("slow_gb_per_s", slowest),
                                 {"slow_limit", slowest.tested.name(axis::occupancy_limit)},
                                 headline_value("fast_gb_per_s", fastest),
                                 {"fast_limit", fastest.tested.name(axis::occupancy_limit)}}});
  }
  return conclusion;
}

static Probe occupancy_probe() {
  Probe probe;
  probe.name = "occupancy";
  probe.purpose = "bandwidth over resident warps: how many of them it takes";
  probe.family = Family::kernels;
  probe.axes = {axis::resident_warps(
                    {.flag = "resident-warps",
                     .unit = "warps",
                     .purpose = "warps of a multiprocessor at once, each with two loads of 16 bytes in flight a lane",
                     .defaults = "2..32*2,48,64",
                     .quick = "4,16,64",
                     .numbers = {2, 4, 8, 16, 32, 48, 64}}),
                axis::occupancy_limit({.flag = "occupancy-limit",
                                       .purpose = "resource that keeps other warps out",
                                       .quick = "shared-memory",
                                       .value_optional = true})};
  probe.compared = axis::occupancy_limit.name;
  probe.baseline = std::string("shared-memory");
  probe.describe = [](const Case& decided, const Device& device) {
    const OccupancyCase occupancy = require_occupancy_case(decided, device);
    Workload workload = occupancy_workload(occupancy);
    workload.kernel = kernel_of(occupancy).name;
    return workload;
  };
  probe.reported = {"achieved_occupancy"};
  probe.fits = [](const Case& tested, const Device& device) { return find_occupancy_case(tested, device).has_value(); };
  probe.prepare = prepared<OccupancyExperiment>;
  probe.conclude = conclude_occupancy;
  return probe;
}

GPUMEM_PROBE(occupancy_probe);

}  // namespace gpumem::kernels
