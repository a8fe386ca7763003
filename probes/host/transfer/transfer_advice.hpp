#pragma once
// What transfers of several sizes from several kinds of host memory show together.

#include <span>

#include "probes/probe.hpp"

namespace gpumem::host {

/// For the cases of one direction. Every kind of host memory whose sizes support it gets fixed_cost_us,
/// asymptotic_gb_per_s (both ways together, if they are) and half_size_bytes, in all of its cases: see
/// measure::fit_linear_cost. The advice compares the kinds at the largest size that all have.
[[nodiscard]] Conclusion conclude_transfer(std::span<const Outcome> outcomes);

}  // namespace gpumem::host
