#pragma once
// Where the way through a kernel follows from what it was launched with: branches that depend on nothing but its
// parameters, its block and its grid, and loops that go round as often as these say.

#include <cstddef>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "app/program/machine_code/constant_bank.hpp"
#include "app/program/machine_code/instructions.hpp"

namespace gpumem::app {

/// Without anything where nothing can be told.
struct ConstantBranches {
  std::vector<bool> runs;                  ///< of each instruction, whether control may ever come there
  std::vector<bool> skipped;               ///< and whether no thread then does it
  std::vector<std::optional<bool>> taken;  ///< of each branch and end, whether all threads take it, or none
  std::map<std::size_t, double> rounds;    ///< of loops by their first instruction, each time one is entered
};

/// `instructions` are those of the code, for compute capability `major`.x.
[[nodiscard]] ConstantBranches constant_branches(std::string_view code,
                                                 const std::vector<MachineInstruction>& instructions, unsigned major,
                                                 const LaunchConstants& launch);

}  // namespace gpumem::app
