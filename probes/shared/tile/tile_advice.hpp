#pragma once
// Which layout of a tile has no bank conflicts, and what it costs.

#include <span>

#include "probes/probe.hpp"

namespace gpumem::shared {

/// For the cases of one walk, word size and op in several layouts.
[[nodiscard]] Conclusion conclude_tile(std::span<const Outcome> outcomes);

}  // namespace gpumem::shared
