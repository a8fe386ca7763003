#pragma once
// Counts of a launch that repeats itself further on in memory: exact, although only a part of it is evaluated.

#include <cstdint>

#include "engine/access/exact.hpp"

namespace gpumem::access {

/// How a launch repeats itself: for all k with k + requests < regular, request k + requests has the active lanes of
/// request k, each at its address there plus `growth_bytes`. What the requests from `regular` on access is not said.
struct Period {
  std::uint64_t requests = 1;
  std::int64_t growth_bytes = 0;  ///< upwards, downwards, or on the spot
  std::uint64_t regular = 0;      ///< of the launch's requests, from the first on; all where it has fewer
};

/// What summarise_exactly(launch) gives, and throws, of a launch for which the period is proved: it is not checked.
/// Evaluates as many periods as it takes until addresses are as far into a round of the DRAM channels as they were, 512
/// bytes, times as many of these as overlap, three times over, and the launch's end; or all of the launch, where that
/// would be half of it or more; but where periods are a few words further on each, and the extent is known, one to see
/// which runs accesses go along, and as many as it takes until addresses are as far into a round as they were. Launches
/// that touch too much memory for `limits` are counted where that part does not.
[[nodiscard]] ExactSummary summarise_periodic(const Requests& launch, const Period& period,
                                              const CountingLimits& limits = {});

}  // namespace gpumem::access
