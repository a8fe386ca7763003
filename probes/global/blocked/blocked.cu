// Blocked: each thread has a run of consecutive elements to itself, as when an array is shared out like slices of a
// loop among the threads of a processor. On a GPU a warp's lanes then lie a run apart, where interleaved threads would
// share sectors. The guide's matrix of 3 x 4 elements read by 4 threads is a run of 3.

#include <string>
#include <utility>

#include "engine/base/error.hpp"
#include "probes/global/blocked/blocked.hpp"
#include "probes/global/blocked/blocked_advice.hpp"
#include "probes/global/placement.cuh"

namespace gpumem::global {

template <>
struct KernelsOf<BlockedPlacement> {
  using Shapes = ShapeList<Shape<std::uint32_t, BlockedPlacement::turns>, Shape<uint2, BlockedPlacement::turns>,
                           Shape<uint4, BlockedPlacement::turns>>;
};

static BlockedPlacement blocked_placement(const Case& sized) {
  const auto word_bytes = static_cast<std::uint32_t>(sized.number("word_bytes"));
  const std::uint64_t warp_bytes = BlockedPlacement::warp_elements * word_bytes;
  return {static_cast<std::uint32_t>(sized.number("run_elements")), word_bytes,
          sized.number("buffer_bytes") / warp_bytes};
}

static void validate_blocked(const Case& chosen) {
  if (chosen.is_auto("buffer_bytes")) return;
  const std::uint64_t warp_bytes = BlockedPlacement::warp_elements * chosen.number("word_bytes");
  if (chosen.number("buffer_bytes") >= warp_bytes) return;
  throw usage_error("--buffer " + std::to_string(chosen.number("buffer_bytes")) + " is less than the " +
                    std::to_string(BlockedPlacement::warp_elements) + " elements that a warp takes; use at least " +
                    std::to_string(warp_bytes));
}

/// Of longer runs L1 loses sectors before they are read to their end, and stores of any run write them part by part.
static Modelling modelling_of_blocked(const Case& one) {
  constexpr std::uint64_t longest_read = 4;
  const std::uint64_t run = one.number("run_elements");
  if (run == 1) return Modelling::summed;
  if (op_of(one) != Op::read) return Modelling::none;
  return run <= longest_read ? Modelling::summed : Modelling::simulated;
}

static Probe blocked_probe() {
  Axis buffer = buffer_axis();
  buffer.purpose = "useful bytes per array, in multiples of 128 elements; auto is 16 times the L2";
  Probe probe;
  probe.name = "blocked";
  probe.purpose = "runs of elements for each thread against interleaved threads";
  probe.axes = {{.flag = "run",
                 .parameter = "run_elements",
                 .unit = "elements",
                 .purpose = "consecutive elements that one thread has to itself; 1 interleaves the threads",
                 .defaults = "1,2,3,4,8,16,32,64",
                 .quick = "1,2,8,32",
                 .minimum = 1,
                 .maximum = 64},
                op_axis(),
                word_bytes_axis(),
                std::move(buffer)};
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
