#pragma once
// Counts a launch that repeats itself further on in memory: exactly, although only a part of it is evaluated.

#include <cstdint>

#include "engine/access/exact.hpp"

namespace gpumem::access {

/// The repetition of a launch: for all k with k + requests < regular, request k + requests has the active lanes of
/// request k, each at its address there plus `growth_bytes`. Requests from `regular` on may access anything.
struct Period {
  std::uint64_t requests = 1;
  std::int64_t growth_bytes = 0;  ///< upwards, downwards, or on the spot
  std::uint64_t regular = 0;      ///< of the launch's requests, from the first on; all if it has fewer
};

/// Returns and throws what summarise_exactly(launch) does. The period must be proved for the launch: it is not checked.
/// Evaluates the launch's end, and three times as many long periods as overlap; a long period takes addresses as far
/// into a round of the DRAM channels (512 bytes) as they were. If that would be half of the launch or more, evaluates
/// all of it. But if periods are a few words further on each and the extent is known, a period, which shows the runs
/// that accesses go along, and a long period are enough. Launches that touch too much memory for `limits` are counted
/// if the evaluated part does not.
[[nodiscard]] ExactSummary summarise_periodic(const Requests& launch, const Period& period,
                                              const CountingLimits& limits = {});

}  // namespace gpumem::access
