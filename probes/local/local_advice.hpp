#pragma once
// What an indexed array costs beside the same work in registers.

#include <span>

#include "probes/probe.hpp"

namespace gpumem::local {

/// For arrays of one or several sizes. Compares local memory with registers at the sizes that ran in both, and says
/// what the compiler reported of the largest. Nothing where no size ran in local memory.
[[nodiscard]] Conclusion conclude_local(std::span<const Outcome> outcomes);

}  // namespace gpumem::local
