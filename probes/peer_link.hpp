#pragma once
// What joins a GPU to another one of its machine: from the driver where there are several, from a node's profile where
// there are not.

#include <optional>
#include <string>

namespace gpumem {

struct PeerLink {
  /// The nearest thing that both hang on, nearest first.
  enum class Path {
    unknown,
    itself,         ///< no other GPU
    nvlink,         ///< links of their own, straight or through NVSwitch
    board,          ///< two GPUs of one board
    pcie_switch,    ///< one PCI Express switch
    pcie_switches,  ///< several of them
    host_bridge,    ///< the host's bridge (root complex)
    numa_node,      ///< bridges of one NUMA node
    system          ///< what joins the host's NUMA nodes
  };

  Path path = Path::unknown;
  unsigned nvlinks = 0;                         ///< NVLinks that are up and lead there
  unsigned nvlinks_down = 0;                    ///< those that this GPU has and that are not up
  std::optional<unsigned> nvlink_version = {};  ///< 4 of an H200
  double bytes_per_nvlink_s = 0;                ///< one way
  std::optional<bool> access = {};              ///< whether kernels of this GPU can address the other's memory
  std::string no_access = {};                   ///< why not, as far as the driver says; empty where they can

  /// Theoretical bandwidth of the NVLinks, bytes/s and way; absent where none leads there.
  [[nodiscard]] std::optional<double> nvlink_bytes_per_s() const {
    return nvlinks == 0 ? std::nullopt : std::optional(nvlinks * bytes_per_nvlink_s);
  }
};

}  // namespace gpumem
