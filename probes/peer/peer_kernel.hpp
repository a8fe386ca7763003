#pragma once
// The kernel that copies from one GPU to another: which array lies far away is the caller's business.

#include <cstdint>

#include "probes/global/launch.hpp"
#include "probes/probe.hpp"

struct CUstream_st;

namespace gpumem::peer {

/// Sites "source" and "target", both in global memory, and the grid.
[[nodiscard]] Workload describe_copy(const global::Launch& launch);

/// Queues it. The stream's device is the current one and can address both arrays.
void queue_copy(const global::Launch& launch, const std::uint32_t* source, std::uint32_t* target, CUstream_st* stream);

}  // namespace gpumem::peer
