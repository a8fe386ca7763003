#pragma once
// The bytes that a launch hands its kernel. Branches of most kernels depend on them.

#include <cuda.h>

#include <cstddef>
#include <vector>

#include "inject/launches.hpp"

namespace gpumem::inject {

/// The parameters side by side as the kernel finds them in its constant bank. Empty where the driver does not tell how
/// they lie. Called while the launch's own call lasts.
[[nodiscard]] std::vector<std::byte> parameters_of(CUfunction function, const Launch& launch);

}  // namespace gpumem::inject
