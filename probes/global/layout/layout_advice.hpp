#pragma once
// Which layouts of structures are as fast as any, and what the others cost.

#include <span>

#include "probes/probe.hpp"

namespace gpumem::global {

/// For the cases of one op and choice of fields, structures of several sizes in several layouts.
[[nodiscard]] Conclusion conclude_layout(std::span<const Outcome> outcomes);

}  // namespace gpumem::global
