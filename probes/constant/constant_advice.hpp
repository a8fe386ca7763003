#pragma once
// What look-ups at several addresses say about where a table belongs.

#include <span>

#include "probes/probe.hpp"

namespace gpumem::constant {

/// For cases in one or several spaces. Where at least three numbers of addresses ran in constant memory and their cost
/// is near a straight line, those cases get its fixed_cycles and cycles_per_address. The advice compares the spaces at
/// the numbers of addresses that they share.
[[nodiscard]] Conclusion conclude_constant(std::span<const Outcome> outcomes);

}  // namespace gpumem::constant
