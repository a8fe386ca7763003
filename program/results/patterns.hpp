#pragma once
// Describes the addresses of an access site in words, from the requests shown of it.

#include <span>
#include <string>

#include "program/watch/raw_format.hpp"

namespace gpumem::program {

/// Describes the lanes of the requests shown: "lanes 8192 elements (32 KiB) apart; 16 of 32 lanes active". Says nothing
/// of how one request lies to the next, because requests shown lie far apart in the launch. `sites` are copies of one
/// access, at least one. Empty if no request was shown.
[[nodiscard]] std::string pattern_of(std::span<const inject::Site* const> sites);

}  // namespace gpumem::program
