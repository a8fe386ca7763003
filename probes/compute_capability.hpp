#pragma once
// Which instructions a GPU has.

#include "probes/device.hpp"

namespace gpumem {

/// Throws unless the device's compute capability is at least so much, 80 being 8.0. `what` takes it: "cp.async".
void require_compute_capability(const Device& device, unsigned least, const char* what);

}  // namespace gpumem
