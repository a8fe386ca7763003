// Divergence: lanes of a warp that take different paths. A multiprocessor executes one path of a warp at a time, so the
// warp takes as long as all of its paths together, although each lane does no more than on one path alone.

#include <array>
#include <span>
#include <string>

#include "engine/measure/timing.hpp"
#include "engine/model/arithmetic.hpp"
#include "probes/experiment.hpp"
#include "probes/kernels/divergence/divergence.hpp"
#include "probes/kernels/divergence/divergence_kernels.cuh"

namespace gpumem::kernels {

constexpr unsigned warps_per_block = divergent_block_threads / access::warp_lanes;

/// The units that part: lanes, whole warps, lanes in loops of unequal length or for a predicated load, or lanes that
/// __syncwarp() brings together.
enum class DivergenceMode { lanes, warps, loops, predicated, syncwarp };

namespace axis {
constexpr Number<unsigned> paths{"paths"};
constexpr Choice<DivergenceMode> divergence{"divergence", {"lanes", "warps", "loops", "predicated", "syncwarp"}};
}  // namespace axis

/// A case in numbers.
struct Divergence {
  DivergenceMode mode;
  unsigned paths;

  explicit Divergence(const Case& decided) : mode(decided[axis::divergence]), paths(decided[axis::paths]) {}

  [[nodiscard]] auto compiled_paths() const { return one_of<1, 2, 4, 8, 16, 32>(paths); }
  [[nodiscard]] bool loads_words() const { return mode == DivergenceMode::predicated; }
  [[nodiscard]] Branching walk() const {
    if (loads_words()) return Branching::loads;
    if (mode == DivergenceMode::loops) return Branching::unequal;
    return mode == DivergenceMode::warps ? Branching::by_warp : Branching::by_lane;
  }
};

static std::string kernel_of(const Divergence& divergence) {
  return dispatch(divergence.compiled_paths(), [&](auto paths) {
    if (divergence.mode == DivergenceMode::predicated) return measure::kernel_name<&predicated_loads<paths()>>();
    if (divergence.mode == DivergenceMode::loops) return measure::kernel_name<&unequal_loops<paths()>>();
    if (divergence.mode == DivergenceMode::warps) return measure::kernel_name<&split_paths<ByWarp, paths()>>();
    if (divergence.mode == DivergenceMode::syncwarp)
      return measure::kernel_name<&split_paths<ByLaneAndSync, paths()>>();
    return measure::kernel_name<&split_paths<ByLane, paths()>>();
  });
}

static access::WarpRequest table_request(unsigned paths, std::uint64_t k) {
  const auto step = static_cast<unsigned>(k % divergence_steps);
  access::WarpRequest request;
  for (unsigned lane = 0; lane < access::warp_lanes; ++lane) {
    if (!loads(lane, step, paths)) continue;
    request.address[lane] = table_word(lane, step) * sizeof(std::uint32_t);
    request.active |= std::uint32_t{1} << lane;
  }
  return request;
}

/// Cycles that steps of a warp keep its scheduler busy, paths one after another: a multiply-add of integers goes
/// through a pipe of 16 lanes (CUDA C++ Programming Guide, "Throughput of Native Arithmetic Instructions").
static double scheduler_cycles_of(const Divergence& divergence, std::uint64_t warps) {
  constexpr double of_step = 2;
  double passes = divergence.paths;
  if (divergence.mode == DivergenceMode::warps) passes = 1;
  if (divergence.mode == DivergenceMode::loops)
    passes = static_cast<double>(unequal_trips(divergence.paths - 1, divergence.paths)) / trips;
  return static_cast<double>(warps * divergence_steps) * passes * of_step;
}

static Workload describe_divergence(const Case& decided, const Device& device) {
  const Divergence divergence(decided);
  Workload workload;
  workload.kernel = kernel_of(divergence);
  workload.blocks = device.multiprocessors;
  workload.block_threads = divergent_block_threads;
  workload.allocated_bytes =
      workload.blocks * (divergent_block_threads * sizeof(std::uint32_t) + sizeof(std::uint64_t));
  if (!divergence.loads_words()) {
    workload.scheduler_cycles = scheduler_cycles_of(divergence, workload.blocks * warps_per_block);
    return workload;
  }
  workload.unmodelled = "the compiler decides how many instructions a predicate takes";

  workload.allocated_bytes += table_words * sizeof(std::uint32_t);
  const std::uint64_t requests = workload.blocks * warps_per_block * divergence_steps;
  workload.sites.push_back(
      {.name = "table",
       .op = access::Op::load,
       .word_bytes = sizeof(std::uint32_t),
       .instructions = steps_at_once,
       .requests = requests,
       .extent_bytes = table_words * sizeof(std::uint32_t),
       .request = [paths = divergence.paths](std::uint64_t k) { return table_request(paths, k); }});
  workload.useful_bytes_read = requests * (access::warp_lanes / divergence.paths) * sizeof(std::uint32_t);
  return workload;
}

class DivergenceExperiment final : public measure::Experiment {
 public:
  DivergenceExperiment(const Case& decided, measure::Session& session)
      : case_(decided),
        blocks_(session.device().multiprocessors),
        table_(case_.loads_words() ? session.random_source(table_words) : nullptr),
        results_(std::size_t{blocks_} * divergent_block_threads * sizeof(std::uint32_t)),
        cycles_(std::size_t{blocks_} * sizeof(std::uint64_t)),
        mismatches_(session) {}

  void launch(cudaStream_t stream) override {
    auto* results = results_.as<std::uint32_t>();
    auto* cycles = cycles_.as<std::uint64_t>();
    dispatch(case_.compiled_paths(), [&](auto paths) {
      constexpr unsigned block = divergent_block_threads;
      if (case_.mode == DivergenceMode::predicated) {
        predicated_loads<paths()><<<blocks_, block, 0, stream>>>(results, cycles, table_);
      } else if (case_.mode == DivergenceMode::loops) {
        unequal_loops<paths()><<<blocks_, block, 0, stream>>>(results, cycles);
      } else if (case_.mode == DivergenceMode::warps) {
        split_paths<ByWarp, paths()><<<blocks_, block, 0, stream>>>(results, cycles);
      } else if (case_.mode == DivergenceMode::syncwarp) {
        split_paths<ByLaneAndSync, paths()><<<blocks_, block, 0, stream>>>(results, cycles);
      } else {
        split_paths<ByLane, paths()><<<blocks_, block, 0, stream>>>(results, cycles);
      }
    });
    measure::check(cudaGetLastError(), "launch the kernel");
  }

  measure::Verification verify(cudaStream_t stream) override {
    measure::poison(results_, stream);
    mismatches_.reset(stream);
    launch(stream);
    check_walks<<<blocks_, divergent_block_threads, 0, stream>>>(results_.as<std::uint32_t>(), case_.walk(),
                                                                 case_.paths, mismatches_.data());
    return {.mismatches = mismatches_.read(stream), .what = "threads' results"};
  }

  double sample() override { return measure::middle_cycles(cycles_) / (double{warps_per_block} * divergence_steps); }

 private:
  Divergence case_;
  unsigned blocks_;
  const std::uint32_t* table_;
  measure::DeviceBuffer results_;
  measure::DeviceBuffer cycles_;
  measure::MismatchCount mismatches_;
};

static std::optional<double> predicted_cycles(const Workload& workload, const model::Prediction&,
                                              const model::Profile&) {
  if (!workload.scheduler_cycles) return std::nullopt;
  return *workload.scheduler_cycles /
         (static_cast<double>(workload.blocks) * warps_per_block * divergence_steps * schedulers);
}

/// The sentences for many paths that take longer than one, and for those that do not.
struct SaidOfParting {
  DivergenceMode mode;
  const char* longer;
  const char* no_longer;
};

constexpr std::array<SaidOfParting, 5> partings = {{
    {DivergenceMode::lanes,
     "Arrange work so that the lanes of a warp take the same path: {paths} paths, one after another, take "
     "{slowdown_ratio} the time of one.",
     "Lanes of a warp on {paths} paths take no longer than on one."},
    {DivergenceMode::syncwarp,
     "__syncwarp() brings lanes together and saves no path: {paths} take {slowdown_ratio} the time of one.",
     "With __syncwarp() after them, {paths} paths take no longer than one."},
    {DivergenceMode::warps,
     "Warps that each have one of {paths} paths take {slowdown_ratio} the time of one path: their code may exceed the "
     "instruction cache.",
     "Warps that each have one of {paths} paths take no longer than on one path."},
    {DivergenceMode::loops,
     "Lanes in loops of {paths} lengths take {slowdown_ratio} the time of equal loops with as many trips in all: the "
     "warp waits for its longest.",
     "Lanes in loops of {paths} lengths take no longer than in equal loops with as many trips in all."},
    {DivergenceMode::predicated,
     "Loads by one lane in {paths} at a time take {slowdown_ratio} the time of loads by all lanes, although they move "
     "fewer sectors.",
     "Loads by one lane in {paths} at a time take no longer than loads by all lanes."},
}};

/// Compares, for each mode, the most paths with one path.
static Conclusion conclude_divergence(std::span<const Outcome> outcomes) {
  Conclusion conclusion;
  for (const auto& [mode, longer, no_longer] : partings) {
    const OutcomesByNumber by_paths = by_number(outcomes, axis::divergence, mode, axis::paths);
    if (by_paths.size() < 2 || by_paths.begin()->first != 1) continue;
    const Outcome* single = by_paths.begin()->second;
    const auto& [paths, most] = *by_paths.rbegin();
    if (!(single->headline > 0)) continue;
    const bool costs = better(*single, *most);
    conclusion.facts.push_back({costs ? FactKind::costs : FactKind::as_fast_as,
                                {single->index, most->index},
                                costs ? longer : no_longer,
                                {{"paths", paths}, gain_value("slowdown_ratio", *most, *single)}});
    conclusion.quantities.push_back({"times_of_one_path", gain(*most, *single), {single->index, most->index}});
  }
  return conclusion;
}

static Probe divergence_probe() {
  Probe probe;
  probe.name = "divergence";
  probe.purpose = "lanes of a warp on different paths: what parting them costs";
  probe.family = Family::kernels;
  probe.axes = {axis::paths({.flag = "paths",
                             .unit = "paths",
                             .purpose = "different paths of equal work; each lane takes one of them at a time",
                             .defaults = "1..32*2",
                             .quick = "1,32",
                             .numbers = {1, 2, 4, 8, 16, 32}}),
                axis::divergence({.flag = "divergence",
                                  .purpose = "units that part: lanes, whole warps, lanes in loops of unequal length or "
                                             "for a predicated load, or lanes that __syncwarp() brings together",
                                  .quick = "lanes,warps",
                                  .value_optional = true})};
  probe.compared = axis::divergence.name;
  probe.baseline = std::string("warps");
  probe.headline = {
      .quantity = {"cycles_per_step",
                   "a multiprocessor's cycles for a step of every lane of a warp, with 32 warps at work", Better::less},
      .predict = predicted_cycles};
  probe.concluded = {{"times_of_one_path", "time on the most paths over that on one", Better::less}};
  probe.describe = describe_divergence;
  probe.prepare = prepared<DivergenceExperiment>;
  probe.conclude = conclude_divergence;
  return probe;
}

GPUMEM_PROBE(divergence_probe);

}  // namespace gpumem::kernels
