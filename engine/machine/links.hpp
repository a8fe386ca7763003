#pragma once
// The links between the GPUs of this machine: NVLinks that are up, PCI Express paths, and access to each other's
// memory.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/machine/device.hpp"
#include "engine/machine/nvml.hpp"

namespace gpumem::measure {

/// Fills in the links of each device to every other. `devices` are those of this machine, in CUDA's order
/// (query_devices). Anything that the driver or NVML does not tell stays unknown.
void add_links(std::vector<Device>& devices);

// The pure part of the above.

/// The facts about a GPU by itself.
struct GpuFacts {
  std::string name = {};
  std::optional<std::string> pci_bus_id = {};
  std::string compute_capability = {};
  bool mig = false;  ///< it is a part of a GPU
  Nvlinks nvlinks = {};
  std::optional<Fabric> fabric = {};
  std::optional<double> pcie_bytes_per_s = {};  ///< of its link to the host, one way, when not idle
};

/// Returns how many NVLinks of a GPU are down: not up, although something is known to be at their other end. Either
/// NVML still names a GPU of the machine or a switch for the link, or the link of the same number leads to a switch on
/// another GPU of the same name (boards with switches are wired alike). Other links that are not up do not count,
/// because it is not known if they should be: the links of a card without a bridge look like broken ones. `machine`
/// holds all GPUs, this one included.
[[nodiscard]] unsigned nvlinks_down(const GpuFacts& gpu, std::span<const GpuFacts> machine);

/// Returns the link from a GPU to another one, from the facts about both and about the pair, without the number of
/// NVLinks that are down. `access` is CUDA's answer if `from` can address the memory of `to`.
[[nodiscard]] PeerLink link_between(const GpuFacts& from, const GpuFacts& to, const PeerFacts& pair,
                                    std::optional<bool> access);

}  // namespace gpumem::measure
