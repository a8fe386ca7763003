#pragma once
// Simulates the operations of a workload: when each one runs, what it waits for and what it shares.
//
// Modelled:
// - One host thread issues the operations in their order. A call that queues a copy or launch takes it some time, once
//   per copy unless one call hands over all; a pageable copy, packing and computing hold it until they end.
// - Work in one stream runs in its order, the host's included. Work of different streams waits only for its engine: to
//   copy to the device, to copy to the host, to run kernels, and the host itself. An engine works on one part at a
//   time, first come first served.
// - A device with one copy engine has the same for both directions; with none, copies run where kernels run.
// - A copy is a fixed cost, then bytes over the link. While bytes move both ways, both are slowed so that their sum is
//   pcie_both_ways_bytes_per_s. From pageable memory the host's staging comes in between.
//
// Not modelled: kernels that run side by side, kernels over mapped memory slowed by copies, a full queue that makes the
// host wait, what one stream waiting for another's engine costs on top, and the host's memory as something to share.

#include <vector>

#include "engine/measure/experiment.hpp"
#include "engine/model/profile.hpp"
#include "engine/model/stage_time.hpp"
#include "engine/model/workload.hpp"

namespace gpumem::model {

struct Schedule {
  double seconds = 0;                        ///< from the first call until the last operation has ended
  std::vector<measure::StageSpan> timeline;  ///< one per operation: from its first part's start to its last one's end
  /// Seconds of each kind of work, as if nothing ran beside it: "pcie" (bytes over the link, in the direction that
  /// takes longer), "copies" (fixed costs of the copy engine that has the most, or the host's calls if those take
  /// longer), "host_copy" (staging and packing), "kernel" (busy kernels) and "host" (computing). Kinds without work are
  /// left out. So are launches, whose stages the caller adds.
  std::vector<StageTime> stages;
};

/// Simulates the workload's operations. `launch_seconds` is the time of one launch of its kernel. With the host's
/// clock, the result includes the host's calls and its wait for the end. With the device's clock, all work was queued
/// before, but several streams have to be started from one and joined again.
[[nodiscard]] Schedule schedule(const Workload& workload, const Profile& profile, double launch_seconds);

}  // namespace gpumem::model
