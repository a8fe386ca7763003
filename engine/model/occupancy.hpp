#pragma once
// How many blocks a multiprocessor holds at once, and what keeps it from holding more.

#include <string_view>

#include "engine/machine/device.hpp"
#include "engine/model/workload.hpp"

namespace gpumem::model {

struct Occupancy {
  unsigned blocks = 1;          ///< of a multiprocessor
  double share = 0;             ///< resident warps over the most there can be
  std::string_view limited_by;  ///< "threads", "blocks", "registers" or "shared memory"
};

/// By the workload's threads, shared memory and (where it says so) registers. CUDA C++ Programming Guide, technical
/// specifications per compute capability: whole warps are resident, each takes registers in units of 256, of 65536 that
/// a multiprocessor has; from 8.0 on every block takes 1 KiB of shared memory more than it asks for. A launch whose
/// block does not fit is not this function's business: it says one block.
[[nodiscard]] Occupancy occupancy_of(const Workload& workload, const Device& device);

}  // namespace gpumem::model
