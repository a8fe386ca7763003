#pragma once
// Which of the STREAM kernels moves the most bytes.

#include <span>

#include "probes/probe.hpp"

namespace gpumem::global {

/// For the kernels of one type and launch shape.
[[nodiscard]] Conclusion conclude_stream(std::span<const Outcome> outcomes);

}  // namespace gpumem::global
