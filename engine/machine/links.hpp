#pragma once
// What joins the GPUs of this machine: NVLinks that are up, PCI Express paths, and who may address whose memory.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/machine/device.hpp"
#include "engine/machine/nvml.hpp"

namespace gpumem::measure {

/// Fills the links of each device to each; they are those of this machine, in CUDA's order (query_devices). What the
/// driver or NVML does not tell stays unknown.
void add_links(std::vector<Device>& devices);

// The pure part of the above.

/// What is known of a GPU by itself.
struct GpuFacts {
  std::string name = {};
  std::optional<std::string> pci_bus_id = {};
  std::string compute_capability = {};
  bool mig = false;  ///< it is a part of a GPU
  Nvlinks nvlinks = {};
  std::optional<Fabric> fabric = {};
  std::optional<double> pcie_bytes_per_s = {};  ///< of its link to the host, one way, when not idle
};

/// How many NVLinks of a GPU are down: not up, although something is known to be at their other end. That is a GPU of
/// the machine or a switch that NVML names for the link all the same, or the switch to which the link of the same
/// number leads on another GPU of the same name, since boards with switches are wired alike. Of other links that are
/// not up nobody knows whether they should be: those of a card without a bridge look like broken ones. `machine` holds
/// all GPUs, this one included.
[[nodiscard]] unsigned nvlinks_down(const GpuFacts& gpu, std::span<const GpuFacts> machine);

/// What joins a GPU to another one, from what is known of both and of the pair, but for NVLinks that are down. `access`
/// is what CUDA says.
[[nodiscard]] PeerLink link_between(const GpuFacts& from, const GpuFacts& to, const PeerFacts& pair,
                                    std::optional<bool> access);

}  // namespace gpumem::measure
