#pragma once
// From how many copies on it pays to pack them.

#include <span>

#include "probes/probe.hpp"

namespace gpumem::host {

/// For the cases of one size and direction. All outcomes get packing_pays_from_copies, the smallest number of copies
/// that ran from which packing is faster at every larger one; none does if there is no such number.
[[nodiscard]] Conclusion conclude_batching(std::span<const Outcome> outcomes);

}  // namespace gpumem::host
