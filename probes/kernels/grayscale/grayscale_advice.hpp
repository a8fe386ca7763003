#pragma once
// How close to its speed of light an image is made grey, and from which layout of its pixels.

#include <span>

#include "probes/probe.hpp"

namespace gpumem::kernels {

[[nodiscard]] Conclusion conclude_grayscale(std::span<const Outcome> outcomes);

}  // namespace gpumem::kernels
