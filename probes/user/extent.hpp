#pragma once
// How many elements the arrays of a launch have, where the user says it.

#include "probes/probe.hpp"

namespace gpumem::global {

namespace axis {
inline constexpr Number extent_elements{"extent_elements"};
}

/// Throws a usage error where an array of --extent elements is larger than the device's memory.
void require_extent(const Case& tested, const Device& device);

}  // namespace gpumem::global
