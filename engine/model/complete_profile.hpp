#pragma once
// Rates that a profile leaves out: those of a measured GPU, scaled by what each is counted by.

#include <functional>
#include <string_view>

#include "engine/model/profile.hpp"

namespace gpumem::model {

/// Channels of the device's memory, each with rows of its own and 32 bytes a burst; 0 if it does not tell its bus or
/// its clock, by which the memory is told: HBM2 and HBM2E have pseudo channels of 64 bits (JESD235), HBM3 of 32
/// (JESD238); GDDR5 has channels of 32 (JESD212), GDDR6, GDDR6X and LPDDR5 of 16 (JESD250, JESD209-5), GDDR7 of 8
/// (JESD239).
[[nodiscard]] double memory_channels(const Device& device);

/// Takes the rates that a profile leaves out from the reference, scaled as their fields say, and says so in `how`. A
/// mix is guessed from what it is a mix of, and L2 keeps up with the memory.
void complete(Profile& profile, const Profile& reference);

/// A predicate: true if the rate of this name is a guess.
using IsGuess = std::function<bool(std::string_view)>;

/// Raises guessed rates of L2 until reads, writes and copies of whole arrays are as fast as memory is.
void keep_up(Profile& profile, const IsGuess& is_guess);

}  // namespace gpumem::model
