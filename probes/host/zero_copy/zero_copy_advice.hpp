#pragma once
// From how many passes over host memory it pays to copy it to the device first.

#include <span>

#include "probes/probe.hpp"

namespace gpumem::host {

/// For the cases of one op and pattern in the placements `mapped` and `copied`. Either's time is affine in the passes,
/// so between two numbers of passes that ran in both the break-even lies on a line, and beyond them it is extrapolated.
/// All outcomes get copying_pays_from_passes, the smallest whole number of passes from which copying is faster; none
/// does if there is no such number, or if the passes that ran do not tell.
[[nodiscard]] Conclusion conclude_zero_copy(std::span<const Outcome> outcomes);

}  // namespace gpumem::host
