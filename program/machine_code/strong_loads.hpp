#pragma once
// Loads that see what other blocks have stored: volatile ones, atomic ones, and those that bypass L1.

#include <cstddef>
#include <string_view>
#include <vector>

#include "program/machine_code/instructions.hpp"
#include "program/watch/raw_format.hpp"

namespace gpumem::program {

/// Returns true if the load at `index` is in a loop whose rounds all load from one address, as a warp does that waits
/// until another one has stored. `instructions` are those of the code.
[[nodiscard]] bool loads_again(std::string_view code, const std::vector<MachineInstruction>& instructions,
                               std::size_t index);

/// Returns true if most requests of the site were made because another block had not stored yet. Their number is that
/// of the launch while it was watched.
[[nodiscard]] bool waits_for_others(const inject::Site& site, const MachineInstruction& instruction);

/// Adds to the sums of loads past L1 what the simulated L1s held: all their sectors and lines come from L2. A chain of
/// volatile loads takes 271 cycles each on an H100 however often it comes to a line, as one of ld.cg does, and one of
/// plain loads 39. Loads that wait for others stay as they are.
void load_from_l2(std::vector<inject::Site>& sites, const std::vector<MachineInstruction>& code);

}  // namespace gpumem::program
