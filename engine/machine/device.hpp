#pragma once
// Plain data about a GPU: from the runtime when there is one, from a profile when there is not.

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "engine/machine/peer_link.hpp"

namespace gpumem {

/// Bytes/s that `lanes` of a PCI Express generation carry each way after line coding: 2.5, 5 (8b/10b), 8, 16, 32
/// (128b/130b) and 64 GT/s (PAM4 in flits of 242 bytes for 256) per lane, PCI Express Base Specification 6.0, 1.1 and
/// 4.2. Packet headers come off that. Absent for an unknown generation.
[[nodiscard]] constexpr std::optional<double> pcie_bytes_per_s(unsigned generation, unsigned lanes) {
  constexpr double giga = 1e9 / 8;
  constexpr double per_lane[] = {2.5 * 8 / 10,     5.0 * 8 / 10,     8.0 * 128 / 130,
                                 16.0 * 128 / 130, 32.0 * 128 / 130, 64.0 * 242 / 256};
  if (generation < 1 || generation > 6) return std::nullopt;
  return per_lane[generation - 1] * giga * lanes;
}

struct Device {
  std::string name;
  std::optional<std::string> uuid;        ///< "GPU-xxxxxxxx-..."; absent in a profile
  std::optional<std::string> pci_bus_id;  ///< "00000000:01:00.0"
  std::string compute_capability;         ///< "9.0"
  unsigned multiprocessors = 0;
  std::uint64_t l2_bytes = 0;
  std::uint64_t memory_bytes = 0;
  unsigned memory_bus_bits = 0;
  std::uint64_t memory_clock_hz = 0;
  std::uint64_t sm_clock_hz = 0;  ///< maximum, not current
  std::uint64_t shared_bytes_per_block = 0;
  std::uint64_t shared_bytes_per_multiprocessor = 0;
  unsigned threads_per_multiprocessor = 0;
  std::optional<bool> ecc;
  std::optional<bool> mig;
  std::optional<unsigned> pcie_generation;  ///< current link, not its maximum
  std::optional<unsigned> pcie_width;
  unsigned copy_engines = 0;     ///< cudaDevAttrAsyncEngineCount: copies that can run beside kernels and each other
  bool integrated = false;       ///< shares the host's memory, so that there is no link to cross
  bool maps_host_memory = true;  ///< kernels can address host memory
  bool link_is_pcie = true;      ///< false where the host is reached over NVLink-C2C
  std::optional<unsigned> numa_node;  ///< the host's memory node closest to the GPU
  /// To each GPU of its machine, by the index that CUDA gives it, its own place included; empty where nobody asked.
  std::vector<PeerLink> links = {};
  std::optional<std::string> driver_version;
  std::optional<std::string> runtime_version;
  std::optional<std::uint64_t> free_memory_bytes;  ///< at the start; not part of a report's contract
  std::optional<unsigned> index = {};              ///< CUDA's, where cases tell several GPUs apart by it

  /// 9 of "9.0"; 0 where it is not known.
  [[nodiscard]] unsigned compute_capability_major() const {
    return static_cast<unsigned>(std::atoi(compute_capability.c_str()));
  }
  /// Theoretical bandwidth, bytes/s: memory clock x 2 (DDR) x bus width / 8.
  [[nodiscard]] double theoretical_bandwidth_bytes_per_s() const {
    return static_cast<double>(memory_clock_hz) * 2.0 * memory_bus_bits / 8.0;
  }
  /// Theoretical bandwidth of the host link, bytes/s and way; absent when generation or width is not known, or when
  /// host memory is not behind PCI Express at all.
  [[nodiscard]] std::optional<double> link_bytes_per_s() const {
    if (integrated || !link_is_pcie || !pcie_generation || !pcie_width) return std::nullopt;
    return pcie_bytes_per_s(*pcie_generation, *pcie_width);
  }
  /// Shared-memory peak of the whole GPU, bytes/s: 32 banks x 4 bytes per cycle and multiprocessor.
  [[nodiscard]] double shared_peak_bytes_per_s() const {
    return static_cast<double>(sm_clock_hz) * 128.0 * multiprocessors;
  }
};

}  // namespace gpumem
