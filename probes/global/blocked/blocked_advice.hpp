#pragma once
// Up to which length a run per thread costs nothing, and what longer ones cost.

#include <span>

#include "probes/probe.hpp"

namespace gpumem::global {

/// For the cases of one op and word size, against a run of 1 element if that ran.
[[nodiscard]] Conclusion conclude_blocked(std::span<const Outcome> outcomes);

}  // namespace gpumem::global
