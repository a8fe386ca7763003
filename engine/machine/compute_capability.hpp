#pragma once
// Which instructions a GPU has.

#include "engine/machine/device.hpp"

namespace gpumem {

/// As architectures of a compiler are numbered: 90 of "9.0".
[[nodiscard]] unsigned compute_capability_number(const Device& device);

/// Throws unless the device's compute capability is at least so much, 80 being 8.0. `what` takes it: "cp.async".
void require_compute_capability(const Device& device, unsigned least, const char* what);

/// Throws unless blocks of the device can form clusters, which read each other's shared memory.
void require_clusters(const Device& device);

}  // namespace gpumem
