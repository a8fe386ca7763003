#pragma once
// Computes how long a launch waits for its accesses: a block keeps its place on a multiprocessor until all of them are
// through (Little's law).

#include "engine/model/demand.hpp"
#include "engine/model/profile.hpp"
#include "engine/model/workload.hpp"

namespace gpumem::model {

/// Seconds that a launch waits.
struct Waiting {
  double even_s = 0;    ///< if all warps had equally many accesses
  double uneven_s = 0;  ///< with the accesses of each warp; equals `even_s` if those are not known
  /// Further seconds, because the threads of a block wait for each other: for the last warp. If `Workload::chains` is
  /// known, they are instead the seconds that memory waits until the threads load again.
  double barriers_s = 0;
};

/// Returns the waiting of one launch. `memory_s` is the time that device memory takes for it: the larger its share of
/// the launch, the longer loads wait. With `cached`, L2 has all that is loaded.
[[nodiscard]] Waiting waiting_of(const Workload& workload, const Demand& demand, const Profile& profile,
                                 double memory_s, bool cached);

}  // namespace gpumem::model
