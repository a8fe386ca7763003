#pragma once
// Whether rows are worth padding.

#include <span>

#include "probes/probe.hpp"

namespace gpumem::global {

/// For the cases of one walk, op and word size, rows plain and pitched.
[[nodiscard]] Conclusion conclude_pitch(std::span<const Outcome> outcomes);

}  // namespace gpumem::global
