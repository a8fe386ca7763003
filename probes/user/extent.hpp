#pragma once
// The number of elements of a launch's arrays, if the user gives it (--extent).

#include "probes/probe.hpp"

namespace gpumem::global {

namespace axis {
inline constexpr Number extent_elements{"extent_elements"};
}

/// Throws a usage error where an array of --extent elements is larger than the device's memory.
void require_extent(const Case& tested, const Device& device);

}  // namespace gpumem::global
