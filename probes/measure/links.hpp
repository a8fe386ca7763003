#pragma once
// What joins the GPUs of this machine: NVLinks that are up, PCI Express paths, and who may address whose memory.

#include <optional>
#include <string>
#include <vector>

#include "probes/device.hpp"
#include "probes/measure/nvml.hpp"

namespace gpumem::measure {

/// Fills the links of each device to each; they are those of this machine, in CUDA's order (query_devices). What the
/// driver or NVML does not tell stays unknown.
void add_links(std::vector<Device>& devices);

// The pure part of the above.

/// What is known of a GPU by itself.
struct GpuFacts {
  std::optional<std::string> pci_bus_id = {};
  std::string compute_capability = {};
  bool mig = false;  ///< it is a part of a GPU
  Nvlinks nvlinks = {};
  std::optional<Fabric> fabric = {};
  std::optional<double> pcie_bytes_per_s = {};  ///< of its link to the host, one way, when not idle
};

/// What joins a GPU to another one, from what is known of both and of the pair. `access` is what CUDA says.
[[nodiscard]] PeerLink link_between(const GpuFacts& from, const GpuFacts& to, const PeerFacts& pair,
                                    std::optional<bool> access);

}  // namespace gpumem::measure
