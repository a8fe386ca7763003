#pragma once
// The part of the way through a kernel that follows from its launch: branches that depend on nothing but its
// parameters, its block and its grid, and loops whose rounds follow from these.

#include <cstddef>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "program/machine_code/instructions.hpp"
#include "program/read/constant_bank.hpp"

namespace gpumem::program {

/// Empty if nothing can be told.
struct ConstantBranches {
  std::vector<bool> runs;                  ///< of each instruction, whether control may ever come there
  std::vector<bool> skipped;               ///< and whether no thread then does it
  std::vector<std::optional<bool>> taken;  ///< of each branch and end, whether all threads take it, or none
  /// By the first instruction of a loop, each time it is entered. If they depend on the thread, the mean over some
  /// warps of the launch.
  std::map<std::size_t, double> rounds;
};

/// `instructions` are those of the code, for compute capability `major`.x.
[[nodiscard]] ConstantBranches constant_branches(std::string_view code,
                                                 const std::vector<MachineInstruction>& instructions, unsigned major,
                                                 const LaunchConstants& launch);

}  // namespace gpumem::program
