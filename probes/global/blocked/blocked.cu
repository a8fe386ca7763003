// Blocked: each thread has a run of consecutive elements to itself, as when an array is shared out like slices of a
// loop among the threads of a processor. On a GPU a warp's lanes then lie a run apart, where interleaved threads would
// share sectors. The guide's matrix of 3 x 4 elements read by 4 threads is a run of 3.

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.hpp"
#include "probes/comparison.hpp"
#include "probes/global/blocked/blocked.hpp"
#include "probes/global/placement.cuh"

namespace gpumem::global {

template <>
struct KernelsOf<BlockedPlacement> {
  using Shapes = ShapesOfAllWords<BlockedPlacement::turns>;
};

namespace axis {
constexpr Number<std::uint32_t> run_elements{"run_elements"};
}

static BlockedPlacement blocked_placement(const Case& sized) {
  const auto word_bytes = sized[axis::word_bytes];
  const std::uint64_t warp_bytes = BlockedPlacement::warp_elements * word_bytes;
  return {sized[axis::run_elements], word_bytes, sized[axis::buffer_bytes] / warp_bytes};
}

static void validate_blocked(const Case& chosen) {
  if (!has_buffer(chosen)) return;
  const std::uint64_t buffer = chosen[axis::buffer_bytes];
  const std::uint64_t word_bytes = chosen[axis::word_bytes];
  if (buffer < BlockedPlacement::warp_elements * word_bytes) {
    throw usage_error("--buffer " + std::to_string(buffer) + " is less than the " +
                      std::to_string(BlockedPlacement::warp_elements) + " elements that a warp takes; use at least " +
                      std::to_string(BlockedPlacement::warp_elements * word_bytes));
  }
  if (buffer / word_bytes > BlockedPlacement::most_elements) {
    throw usage_error("--buffer " + std::to_string(buffer) +
                      " is more than the 2^36 elements that the kernel counts; " + "use at most " +
                      std::to_string(BlockedPlacement::most_elements * word_bytes));
  }
}

/// Reads of runs longer than 4 are simulated, because L1 loses sectors before they are read to the end. Stores of runs
/// write sectors part by part, and the model does not know how L1 combines them.
static Modelling modelling_of_blocked(const Case& tested) {
  constexpr std::uint32_t longest_read = 4;
  const std::uint32_t run = tested[axis::run_elements];
  if (run == 1) return Modelling::summed;
  if (tested[axis::op] != Op::read) return Modelling::none;
  return run <= longest_read ? Modelling::summed : Modelling::simulated;
}

static std::uint32_t run_of(const Outcome& outcome) { return outcome.tested[axis::run_elements]; }

static FactValue run_value(const Outcome& outcome) { return {"run", run_of(outcome)}; }

static Fact best_run(const Outcome& best, const char* interleaved_says) {
  return {
      FactKind::fastest,
      {best.index},
      run_of(best) == 1 ? interleaved_says : "{doing} in runs of {run} elements per thread reaches {rate_gb_per_s}.",
      {{"doing", doing(best.tested)}, run_value(best), headline_value("rate_gb_per_s", best)}};
}

static Fact run_cost(const Outcome& slow, const Outcome& fast) {
  return {FactKind::costs,
          {slow.index, fast.index},
          "Runs of {run} elements per thread take {slowdown_ratio} as long: {rate_gb_per_s}.",
          {run_value(slow), gain_value("slowdown_ratio", slow, fast), headline_value("rate_gb_per_s", slow)}};
}

/// Concludes from cases of one op and word size up to which length runs cost nothing, and what longer ones cost,
/// against a run of 1 element if that ran.
static Conclusion conclude_blocked(std::span<const Outcome> outcomes) {
  constexpr const char* interleaved_reach = "{doing} by interleaved threads reaches {rate_gb_per_s}.";
  const Outcome* interleaved = find_outcome(outcomes, axis::run_elements, 1);
  const Outcome& best = best_of(outcomes);
  const Outcome& worst = worst_of(outcomes);
  if (interleaved == nullptr || outcomes.size() == 1) {
    std::vector<Fact> facts = {best_run(best, interleaved_reach)};
    facts.front().says +=
        interleaved == nullptr
            ? " Interleaved threads show what runs cost: add --run 1."
            : " Longer runs show what they cost: --run 1,2,4,8. The model predicts them for --op read.";
    if (better(best, worst)) facts.push_back(run_cost(worst, best));
    return {.facts = std::move(facts)};
  }
  std::vector<Outcome> runs(outcomes.begin(), outcomes.end());
  std::ranges::sort(runs, {}, run_of);
  const auto costly = std::ranges::find_if(runs, [&](const Outcome& run) { return !as_good(run, *interleaved); });
  const std::vector<Outcome> harmless(runs.begin(), costly);
  std::vector<Fact> facts = {best_run(
      as_good(*interleaved, best) ? *interleaved : best,
      costly == runs.end() ? interleaved_reach : "Interleave the threads: {doing} then reaches {rate_gb_per_s}.")};
  if (costly != runs.end()) facts.push_back(run_cost(as_good(worst, *interleaved) ? *costly : worst, *interleaved));
  if (harmless.size() > 1) {
    facts.push_back({FactKind::as_fast_as,
                     indices_of(harmless),
                     "Runs of up to {run} elements per thread are as fast as interleaved threads.",
                     {run_value(harmless.back())}});
  }
  return {.facts = std::move(facts),
          .quantities = {{"harmless_run_elements", static_cast<double>(run_of(harmless.back())), all_of(outcomes)}}};
}

static Probe blocked_probe() {
  Axis buffer = buffer_axis();
  buffer.purpose = "useful bytes per array, in multiples of 128 elements; auto is 16 times the L2";
  Probe probe;
  probe.name = "blocked";
  probe.purpose = "runs of elements for each thread against interleaved threads";
  probe.family = Family::global;
  probe.axes = {
      axis::run_elements({.flag = "run",
                          .unit = "elements",
                          .purpose = "consecutive elements that one thread has to itself; 1 interleaves the threads",
                          .defaults = "1,2,3,4,8,16,32,64",
                          .quick = "1,2,8,32",
                          .minimum = 1,
                          .maximum = 64}),
      op_axis(), word_bytes_axis(), std::move(buffer)};
  probe.baseline = std::uint64_t{1};
  probe.concluded = {
      {"harmless_run_elements", "longest run for each thread that is as fast as interleaved threads", Better::neither}};
  probe.validate = validate_blocked;
  run_placed(probe, blocked_placement, modelling_of_blocked);
  probe.conclude = conclude_blocked;
  return probe;
}

GPUMEM_PROBE(blocked_probe);

}  // namespace gpumem::global
