#pragma once
// Readings of a GPU from NVML, the driver's management library: its health, its links, and the other processes on it.
// NVML is loaded at run time and is optional: without it, or without one of its functions, the reading is absent and
// nothing fails. Names and meanings are those of the NVML API reference (docs.nvidia.com/deploy/nvml-api).

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/machine/device.hpp"

namespace gpumem::measure {

class NvmlLibrary;  ///< libnvidia-ml, loaded and initialised; released with its last owner

/// Loads and initialises NVML: tens of milliseconds the first time, so hold on to it. Null when that is not possible.
[[nodiscard]] std::shared_ptr<const NvmlLibrary> load_nvml(const char* file = "libnvidia-ml.so.1");

/// A GPU's PCI Express link. Many GPUs lower the current generation while idle.
struct PcieLink {
  std::optional<unsigned> generation;
  std::optional<unsigned> width;  ///< lanes
  std::optional<unsigned> max_generation;
  std::optional<unsigned> max_width;
};

/// One NVLink of a GPU, and what is at its other end, as far as NVML tells. NVML does not say if a link that is not up
/// should be: the links of a card without a bridge, and those that a board leaves open, look like broken ones.
struct Nvlink {
  enum class Remote { unknown, gpu, nvswitch, other };
  bool there = true;  ///< false where NVML says that this GPU has no link of this number
  bool up = false;
  Remote remote = Remote::unknown;
  std::optional<std::string> remote_pci_bus_id = {};  ///< "00000000:01:00.0"
};

struct Nvlinks {
  std::vector<Nvlink> links = {};          ///< by their number
  std::optional<double> bytes_per_s = {};  ///< of one, one way, its line coding included
};

/// The progress of a service on the host that makes a GPU part of a fabric of NVSwitches.
enum class Fabric { none, not_started, in_progress, completed };

/// NVML's answers about a GPU and another one of the machine.
struct PeerFacts {
  /// Says if one can use the other's memory, and if not, why.
  enum class Status {
    ok,
    chipset_not_supported,
    gpu_not_supported,
    topology_not_supported,
    disabled,
    not_supported,
    unknown
  };
  std::optional<PeerLink::Path> common_ancestor = {};
  std::optional<Status> read = {};
  std::optional<Status> write = {};
  std::optional<Status> nvlink = {};  ///< by way of NVLinks
};

/// A snapshot of conditions that can spoil a measurement. Absent values are not known.
struct Health {
  std::chrono::steady_clock::time_point taken_at;
  std::optional<std::uint64_t> clocks_event_reasons;            ///< nvmlClocksEventReason* bits in force
  std::optional<std::chrono::duration<double>> throttled_time;  ///< since the driver loaded, power and thermal together
  std::optional<std::uint64_t> corrected_ecc_errors;            ///< since the driver loaded
  std::optional<std::uint64_t> uncorrected_ecc_errors;
  std::optional<unsigned> other_processes;  ///< compute processes on the GPU besides this one
};

/// True if these nvmlClocksEventReason* bits mean that the GPU is slowed down against its will: hardware slowdown,
/// thermal slowdown by hardware or software, power brake, software power cap. Idle, application clocks, sync boost and
/// display clocks are somebody's choice and do not count.
[[nodiscard]] bool is_throttled(std::uint64_t clocks_event_reasons);

/// Compute processes besides this one, from the process ids that NVML lists. In a container that list may hold host
/// ids, among which our own cannot be recognised, or hide other containers' processes. So: our id if it is listed, else
/// any one entry if we hold a context on the GPU (one of them must be ours, or ours is hidden and the count is one too
/// low), else nothing is ours. The answer is a lower bound; it never counts this process as another.
[[nodiscard]] unsigned count_other_processes(std::span<const unsigned> listed, unsigned own, bool holds_context);

/// Returns the flags of a record for what happened between two snapshots: "throttled" (a harmful reason in force in
/// either, or for more than 1 % of the time between them), "ecc_errors" (any counted in between), "contended" (another
/// compute process in either).
[[nodiscard]] std::vector<std::string> health_flags(const Health& before, const Health& after);

/// Returns the flags that health_flags() could have raised: those for which NVML gives the readings.
[[nodiscard]] std::vector<std::string> watched_flags(const Health& before, const Health& after);

/// One GPU as NVML sees it. Found by identity, because NVML's order is not CUDA's and ignores CUDA_VISIBLE_DEVICES.
class Nvml {
 public:
  /// `identity` is a UUID ("GPU-...", "MIG-...") or a PCI bus id. Absent without the library or without that GPU.
  [[nodiscard]] static std::optional<Nvml> find(std::shared_ptr<const NvmlLibrary> library,
                                                const std::string& identity);
  /// The same for a device as CUDA describes it: by its UUID, else by its PCI bus id.
  [[nodiscard]] static std::optional<Nvml> find(std::shared_ptr<const NvmlLibrary> library, const Device& device);

  Nvml(Nvml&&) noexcept = default;
  Nvml& operator=(Nvml&&) noexcept = default;
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;
  ~Nvml() = default;

  [[nodiscard]] std::optional<std::string> driver_version() const;  ///< of the kernel driver, "580.82.07"
  [[nodiscard]] std::optional<bool> mig_enabled() const;            ///< false where the GPU cannot be partitioned
  [[nodiscard]] PcieLink pcie_link() const;
  [[nodiscard]] Nvlinks nvlinks() const;
  [[nodiscard]] std::optional<Fabric> fabric() const;
  [[nodiscard]] PeerFacts peer(const Nvml& other) const;

  /// A snapshot. `holds_context`: this process has a CUDA context on the GPU, see count_other_processes.
  [[nodiscard]] Health health(bool holds_context) const;

 private:
  struct Handle;  // NVML's opaque device type
  Nvml(std::shared_ptr<const NvmlLibrary> library, Handle* gpu, Handle* instance);

  [[nodiscard]] std::optional<unsigned> other_processes(bool holds_context) const;

  std::shared_ptr<const NvmlLibrary> library_;
  Handle* gpu_;       // the physical GPU, which has the clocks, the link and the error counters
  Handle* instance_;  // the MIG instance when that is what was asked for, else the GPU
  friend class NvmlLibrary;
};

}  // namespace gpumem::measure
