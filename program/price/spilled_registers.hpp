#pragma once
// Registers that the compiler spilled to local memory, of which no callback tells, by the machine code.

#include <vector>

#include "program/price/pricing.hpp"
#include "program/watch/raw_format.hpp"

namespace gpumem::program {

struct SpilledRegisters {
  std::vector<inject::Site> sites;  ///< one for each load or store that ran, raw_assumed
  double threads_share = 0;         ///< of what the launch's threads could spill, what they do
};

/// Each access to a constant place on the stack that no callback told of runs as often as its block of instructions
/// does, as far as what was seen tells (block_counts.hpp); one with a predicate as if it always held. All lanes of a
/// warp go to the same row, so that no request touches more sectors than it needs. Elements of arrays that are
/// addressed likewise have callbacks: what shares its place with an access that was seen is none. `launch` has the
/// sites that were seen, the code and what it was launched with; `major` is of the compute capability that the code is
/// for.
[[nodiscard]] SpilledRegisters spilled_registers(const LaunchSums& launch, unsigned major);

}  // namespace gpumem::program
