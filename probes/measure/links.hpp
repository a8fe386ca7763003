#pragma once
// What joins the GPUs of this machine: NVLinks that are up, PCI Express paths, and who may address whose memory.

#include <vector>

#include "probes/device.hpp"

namespace gpumem::measure {

/// Fills the links of each device to each; they are those of this machine, in CUDA's order (query_devices). What the
/// driver or NVML does not tell stays unknown.
void add_links(std::vector<Device>& devices);

}  // namespace gpumem::measure
