#pragma once
// The number of blocks that a multiprocessor holds at once, and the resource that keeps it from holding more.

#include <cstdint>
#include <string_view>

#include "engine/machine/device.hpp"
#include "engine/model/workload.hpp"

namespace gpumem::model {

struct Occupancy {
  unsigned blocks = 1;          ///< of a multiprocessor
  std::uint64_t of_device = 1;  ///< of the whole GPU, in whole clusters
  double share = 0;             ///< resident warps over the most there can be
  std::string_view limited_by;  ///< "threads", "blocks", "registers" or "shared memory"
};

/// By the workload's threads, shared memory and (where it says so) registers. CUDA C++ Programming Guide, technical
/// specifications per compute capability: whole warps are resident, each takes registers in units of 256, of 65536 that
/// a multiprocessor has; from 8.0 on every block takes 1 KiB of shared memory more than it asks for. For a launch whose
/// block does not fit, it returns one block.
[[nodiscard]] Occupancy occupancy_of(const Workload& workload, const Device& device);

/// Clusters of so many blocks that a GPU holds at once, a multiprocessor holding `blocks` of them. All blocks of a
/// cluster are on one GPC (CUDA C++ Programming Guide, "Thread Block Clusters"), and what is left of a GPC stays idle.
/// A device does not tell its GPCs. They are taken to have 18 multiprocessors (9.x; NVIDIA H100 Tensor Core GPU
/// Architecture: nine TPCs of two), 16 (12.x) or 20, less a TPC for each that the device has fewer: as evenly as that
/// goes. 132 multiprocessors are six GPCs of 16 and two of 18.
[[nodiscard]] std::uint64_t clusters_at_once(unsigned cluster_blocks, unsigned blocks, const Device& device);

}  // namespace gpumem::model
