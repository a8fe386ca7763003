#pragma once
// The GPUs of this machine, and which of them the user means. Nothing here creates a CUDA context unless it says so.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/machine/device.hpp"

namespace gpumem::measure {

/// Every GPU that CUDA shows this process, by CUDA index. Throws a no-GPU error that says in one line why there is
/// none.
[[nodiscard]] std::vector<Device> query_devices();

enum class FreeMemory { skip, query };

/// The GPU with this CUDA index. Asking for its free memory makes it the calling thread's current device and creates
/// its context (a few hundred milliseconds). Throws a no-GPU error, also for an index that does not exist.
[[nodiscard]] Device query_device(int index, FreeMemory free_memory = FreeMemory::skip);

/// The node of the host's memory that is nearest to the GPU with this CUDA index; absent when neither CUDA nor the
/// kernel knows, or there is no such GPU.
[[nodiscard]] std::optional<unsigned> host_numa_node(int index);

/// The CUDA index of the GPU that `selector` names: an index ("0"), a UUID or a unique beginning of one ("GPU-1234"),
/// or a PCI bus id ("01:00.0", "0000:01:00.0"). Throws a no-GPU error that lists what there is.
[[nodiscard]] int select_device(std::string_view selector);

// The pure parts of the above.

/// A UUID as tools print it, "GPU-xxxxxxxx-...", from its bytes; of a MIG instance, which its name tells, "MIG-...".
[[nodiscard]] std::string uuid_text(std::span<const unsigned char, 16> bytes, std::string_view device_name);

/// A PCI bus id as the driver spells it, "00000000:01:00.0", from any usual spelling: domain of up to 8 digits or none,
/// function or none, either case. Absent when it is not one.
[[nodiscard]] std::optional<std::string> canonical_pci_bus_id(std::string_view text);

/// The folder name of a PCI device below /sys/bus/pci/devices, "0000:1b:00.0", from its id as the driver spells it.
[[nodiscard]] std::string sysfs_pci_name(std::string_view canonical);

/// select_device among these devices, whose index is their place.
[[nodiscard]] std::size_t match_device(std::string_view selector, std::span<const Device> devices);

/// The state of the driver when CUDA offers no GPU.
struct DriverState {
  cudaError_t status = cudaErrorNoDevice;           ///< of cudaGetDeviceCount
  int runtime_version = CUDART_VERSION;             ///< 13000 is CUDA 13.0
  int driver_version = 0;                           ///< newest CUDA the driver supports; 0 without a driver
  bool driver_library_found = false;                ///< libcuda.so.1 can be loaded
  std::optional<std::string> visible_devices = {};  ///< CUDA_VISIBLE_DEVICES
};

/// Says in one line why there is no usable GPU.
[[nodiscard]] std::string no_gpu_reason(const DriverState& state);

}  // namespace gpumem::measure
