#pragma once

#include <span>

#include "probes/probe.hpp"

namespace gpumem::hierarchy {

/// How much slower each level is than the one above it, and how close device memory comes to what it could do.
[[nodiscard]] Conclusion conclude_hierarchy(std::span<const Outcome> outcomes);

}  // namespace gpumem::hierarchy
