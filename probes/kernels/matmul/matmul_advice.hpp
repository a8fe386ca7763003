#pragma once
// What each step of a matrix product gains, and why.

#include <span>

#include "probes/probe.hpp"

namespace gpumem::kernels {

/// For the cases of one type; of several sizes the largest is spoken of, for small ones do not fill a GPU.
[[nodiscard]] Conclusion conclude_matmul(std::span<const Outcome> outcomes);

}  // namespace gpumem::kernels
