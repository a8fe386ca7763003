#pragma once
// Stores that a multiprocessor merges before they reach L2.
//
// On an H100, a multiprocessor holds about 28 lines that it stores to. A store to one of them goes to L2 together with
// the stores before it. When a store goes to one line more, all of them leave. Measured: the requests that L2 counted
// for stores to 1 to 64 lines, by all blocks or by each block alone (configs/reference/h100/store-merging.json).

#include "engine/machine/device.hpp"
#include "engine/model/workload.hpp"

namespace gpumem::model {

/// The stores of a launch that are left, and those that wait.
struct StoreMerging {
  double lines_share = 1;      ///< of the lines of its requests, those that reach L2
  double few_share = 1;        ///< of the lines of its requests, those of lines that two requests at most share
  double sectors_share = 1;    ///< of the sectors of its requests, those that reach L2
  double contended_share = 0;  ///< of its requests, those merged while another multiprocessor stores to the same lines
};

/// Cycles that each contended request takes of its multiprocessor: 5 to 12 were measured for 1 to 28 lines, as above.
inline constexpr double contended_cycles = 6.5;

/// Plays the first stores of two multiprocessors. Two requests that share a line stay two: another rule says when these
/// are combined (docs/patterns.md). All sites in device memory that store must have Site::fill.
[[nodiscard]] StoreMerging store_merging(const Workload& workload, const Device& device);

}  // namespace gpumem::model
