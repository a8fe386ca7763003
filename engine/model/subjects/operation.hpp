#pragma once
// Pieces of work beside launches. engine/model/schedule.hpp simulates them.

#include <cstdint>
#include <string>

namespace gpumem {

/// One piece of work in a stream of a case that is more than a launch. Work in one stream runs in its order; work in
/// different streams runs at once where different engines do it, and one piece after another on the same engine.
struct Operation {
  enum class Work {
    copy_to_device,  ///< by a copy engine, or from pageable memory staged by the host
    copy_to_host,
    launch,       ///< the workload's kernel, as its sites describe it
    busy_kernel,  ///< a kernel that takes as long as copying `bytes` to the device from pinned memory does
    pack,         ///< the host gathers `count` chunks into one buffer, or scatters them from one
    busy_host     ///< the host computes for as long as copying `bytes` to the device from pinned memory takes
  };
  Work work = Work::launch;
  std::string stage;  ///< in the timeline: "copy in"
  unsigned stream = 0;
  std::uint64_t bytes = 0;  ///< in all
  std::uint64_t count = 1;  ///< copies, launches or chunks of equal size, one after another
  bool pageable = false;    ///< of a copy: the host memory is not page-locked, and the caller waits for the copy
  bool one_call = false;    ///< of a copy: all are handed over in one call
};

}  // namespace gpumem
