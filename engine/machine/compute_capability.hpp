#pragma once
// Checks that a GPU has the instructions that a kernel needs.

#include "engine/machine/device.hpp"

namespace gpumem {

/// Returns the compiler's number for the architecture: 90 for "9.0".
[[nodiscard]] unsigned compute_capability_number(const Device& device);

/// Throws unless the device's compute capability is at least `least`, 80 being 8.0. `what` names the feature that needs
/// it: "cp.async".
void require_compute_capability(const Device& device, unsigned least, const char* what);

/// Throws unless blocks of the device can form clusters, which read each other's shared memory.
void require_clusters(const Device& device);

}  // namespace gpumem
