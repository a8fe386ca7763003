#pragma once
// How long a launch waits for its accesses: a block keeps its place on a multiprocessor until all of them are through
// (Little's law).

#include "engine/model/demand.hpp"
#include "engine/model/profile.hpp"
#include "engine/model/workload.hpp"

namespace gpumem::model {

/// Seconds that a launch waits.
struct Waiting {
  double even_s = 0;    ///< if all warps had as many accesses
  double uneven_s = 0;  ///< as they have them; as `even_s` where that is not known
  /// Besides, because the threads of a block wait for each other: for the last warp, or, where `Workload::chains` are
  /// known, that memory waits until they load again.
  double barriers_s = 0;
};

/// Of one launch. `memory_s` is what device memory takes for it: the larger its share of the time, the longer loads
/// wait. With `cached`, L2 has all that is loaded.
[[nodiscard]] Waiting waiting_of(const Workload& workload, const Demand& demand, const Profile& profile,
                                 double memory_s, bool cached);

}  // namespace gpumem::model
