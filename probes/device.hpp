#pragma once
// Plain data about a GPU: from the runtime when there is one, from a profile when there is not.

#include <cstdint>
#include <optional>
#include <string>

namespace gpumem {

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
  std::optional<std::string> driver_version;
  std::optional<std::string> runtime_version;
  std::optional<std::uint64_t> free_memory_bytes;  ///< at the start; not part of a report's contract

  /// Theoretical bandwidth, bytes/s: memory clock x 2 (DDR) x bus width / 8.
  [[nodiscard]] double theoretical_bandwidth_bytes_per_s() const {
    return static_cast<double>(memory_clock_hz) * 2.0 * memory_bus_bits / 8.0;
  }
  /// Shared-memory peak of the whole GPU, bytes/s: 32 banks x 4 bytes per cycle and multiprocessor.
  [[nodiscard]] double shared_peak_bytes_per_s() const {
    return static_cast<double>(sm_clock_hz) * 128.0 * multiprocessors;
  }
};

}  // namespace gpumem
