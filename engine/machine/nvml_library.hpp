#pragma once
// The part of NVML that is used here, loaded at run time: for the sources of Nvml alone. Any function may be missing.

#include <memory>
#include <optional>

#include "engine/machine/nvml.hpp"

namespace gpumem::measure {

// Types and constants of nvml.h, with its names and values.
// NOLINTBEGIN(readability-identifier-naming)
using nvmlReturn_t = int;
constexpr nvmlReturn_t NVML_SUCCESS = 0;

struct nvmlProcessInfo_v2_t {
  unsigned pid;
  unsigned long long usedGpuMemory;
  unsigned gpuInstanceId;
  unsigned computeInstanceId;
};
static_assert(sizeof(nvmlProcessInfo_v2_t) == 24);

struct nvmlFieldValue_t {
  unsigned fieldId;
  unsigned scopeId;
  long long timestamp;
  long long latencyUsec;
  int valueType;
  nvmlReturn_t nvmlReturn;
  unsigned long long value;  // a union in nvml.h; the fields read here are unsigned, of 4 or 8 bytes
};
static_assert(sizeof(nvmlFieldValue_t) == 40);

struct nvmlPciInfo_t {
  char busIdLegacy[16];
  unsigned domain;
  unsigned bus;
  unsigned device;
  unsigned pciDeviceId;
  unsigned pciSubSystemId;
  char busId[32];
};
static_assert(sizeof(nvmlPciInfo_t) == 68);

struct nvmlGpuFabricInfo_t {
  unsigned char clusterUuid[16];
  nvmlReturn_t status;
  unsigned cliqueId;
  unsigned char state;
};
static_assert(sizeof(nvmlGpuFabricInfo_t) == 28);
// NOLINTEND(readability-identifier-naming)

class NvmlLibrary {
 public:
  using Device = Nvml::Handle*;

  explicit NvmlLibrary(void* library);
  NvmlLibrary(const NvmlLibrary&) = delete;
  NvmlLibrary& operator=(const NvmlLibrary&) = delete;
  ~NvmlLibrary();

  [[nodiscard]] bool initialised() const { return initialised_; }

  nvmlReturn_t (*init)() = nullptr;
  nvmlReturn_t (*shutdown)() = nullptr;
  nvmlReturn_t (*driver_version)(char*, unsigned) = nullptr;
  nvmlReturn_t (*handle_by_uuid)(const char*, Device*) = nullptr;
  nvmlReturn_t (*handle_by_pci_bus_id)(const char*, Device*) = nullptr;
  nvmlReturn_t (*gpu_of_mig_device)(Device, Device*) = nullptr;
  nvmlReturn_t (*mig_mode)(Device, unsigned* current, unsigned* pending) = nullptr;
  nvmlReturn_t (*pcie_generation)(Device, unsigned*) = nullptr;
  nvmlReturn_t (*pcie_width)(Device, unsigned*) = nullptr;
  nvmlReturn_t (*max_pcie_generation)(Device, unsigned*) = nullptr;
  nvmlReturn_t (*max_pcie_width)(Device, unsigned*) = nullptr;
  nvmlReturn_t (*clocks_event_reasons)(Device, unsigned long long*) = nullptr;
  nvmlReturn_t (*total_ecc_errors)(Device, int error_type, int counter_type, unsigned long long*) = nullptr;
  nvmlReturn_t (*field_values)(Device, int count, nvmlFieldValue_t*) = nullptr;
  nvmlReturn_t (*nvlink_state)(Device, unsigned link, int* enabled) = nullptr;
  nvmlReturn_t (*nvlink_capability)(Device, unsigned link, int capability, unsigned*) = nullptr;
  nvmlReturn_t (*nvlink_remote_type)(Device, unsigned link, int*) = nullptr;
  nvmlReturn_t (*nvlink_remote_pci)(Device, unsigned link, nvmlPciInfo_t*) = nullptr;
  nvmlReturn_t (*fabric_info)(Device, nvmlGpuFabricInfo_t*) = nullptr;
  nvmlReturn_t (*common_ancestor)(Device, Device, int* level) = nullptr;
  nvmlReturn_t (*p2p_status)(Device, Device, int index, int* status) = nullptr;
  nvmlReturn_t (*compute_processes)(Device, unsigned* count, nvmlProcessInfo_v2_t*) = nullptr;

 private:
  template <typename Function>
  void find(Function*& function, const char* name, const char* older_name = nullptr);

  std::unique_ptr<void, void (*)(void*)> library_;
  bool initialised_ = false;
};

/// A call that returns one value through its last argument; absent when the function is missing or refuses.
template <typename T, typename Function, typename... Arguments>
std::optional<T> ask(Function* function, Arguments... arguments) {
  T value{};
  if (function == nullptr || function(arguments..., &value) != NVML_SUCCESS) return std::nullopt;
  return value;
}

}  // namespace gpumem::measure
