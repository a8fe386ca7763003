#pragma once
// The link from a GPU to another one of its machine. It comes from the driver if the machine has several GPUs, else
// from a node's profile.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace gpumem {

struct PeerLink {
  /// The nearest thing that both GPUs are connected to, nearest first.
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
  /// The names in files, in the order of the enumerators.
  static constexpr std::string_view path_names[] = {"unknown",       "itself",      "nvlink",    "board", "pcie_switch",
                                                    "pcie_switches", "host_bridge", "numa_node", "system"};

  Path path = Path::unknown;
  unsigned nvlinks = 0;                         ///< NVLinks that are up and lead there
  unsigned nvlinks_down = 0;                    ///< those of this GPU that should be up and are not
  std::optional<unsigned> nvlink_version = {};  ///< 4 of an H200
  bool nvswitch = false;          ///< all links of a GPU lead to switches, and so to every other GPU at them
  double bytes_per_nvlink_s = 0;  ///< one way; 0 where that is not known
  /// Bandwidth of the slower of both GPUs' own PCI Express links, one way; absent if it is not known.
  std::optional<double> pcie_bytes_per_s = {};
  std::optional<bool> access = {};  ///< whether kernels of this GPU can address the other's memory
  std::string no_access = {};       ///< why not, as far as the driver says; empty where they can

  [[nodiscard]] bool is_pcie() const { return path >= Path::board; }
  /// Theoretical bandwidth of the NVLinks, bytes/s one way; absent if none leads there or their speed is not known.
  [[nodiscard]] std::optional<double> nvlink_bytes_per_s() const {
    const double all = nvlinks * bytes_per_nvlink_s;
    return all > 0 ? std::optional(all) : std::nullopt;
  }
  /// The same for whatever joins the GPUs: NVLinks or PCI Express.
  [[nodiscard]] std::optional<double> theoretical_bytes_per_s() const {
    if (nvlinks > 0) return nvlink_bytes_per_s();
    return is_pcie() ? pcie_bytes_per_s : std::nullopt;
  }
};

[[nodiscard]] constexpr std::string_view to_string(PeerLink::Path path) {
  return PeerLink::path_names[static_cast<std::size_t>(path)];
}

/// "18 NVLinks of version 4 through NVSwitch", "PCIe through the host's bridge".
[[nodiscard]] std::string in_words(const PeerLink& link);

/// Returns the name that `nvidia-smi topo -m` uses, for a matrix: "NV18", "PHB".
[[nodiscard]] std::string short_name(const PeerLink& link);

}  // namespace gpumem
