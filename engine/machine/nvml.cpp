#include "engine/machine/nvml.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "engine/machine/nvml_library.hpp"

namespace gpumem::measure {

namespace {

// Constants of nvml.h, with its names and values.
// NOLINTBEGIN(readability-identifier-naming)
constexpr nvmlReturn_t NVML_ERROR_NOT_SUPPORTED = 3;
constexpr nvmlReturn_t NVML_ERROR_INSUFFICIENT_SIZE = 7;
constexpr int NVML_MEMORY_ERROR_TYPE_CORRECTED = 0;
constexpr int NVML_MEMORY_ERROR_TYPE_UNCORRECTED = 1;
constexpr int NVML_VOLATILE_ECC = 0;
constexpr unsigned NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE = 80;
constexpr std::uint64_t nvmlClocksEventReasonSwPowerCap = 0x04;
constexpr std::uint64_t nvmlClocksThrottleReasonHwSlowdown = 0x08;
constexpr std::uint64_t nvmlClocksEventReasonSwThermalSlowdown = 0x20;
constexpr std::uint64_t nvmlClocksThrottleReasonHwThermalSlowdown = 0x40;
constexpr std::uint64_t nvmlClocksThrottleReasonHwPowerBrakeSlowdown = 0x80;
constexpr unsigned NVML_FI_DEV_CLOCKS_EVENT_REASON_SW_POWER_CAP = 74;
constexpr unsigned NVML_FI_DEV_CLOCKS_EVENT_REASON_SW_THERM_SLOWDOWN = 269;
constexpr unsigned NVML_FI_DEV_CLOCKS_EVENT_REASON_HW_THERM_SLOWDOWN = 270;
constexpr unsigned NVML_FI_DEV_CLOCKS_EVENT_REASON_HW_POWER_BRAKE_SLOWDOWN = 271;
// NOLINTEND(readability-identifier-naming)

void close_library(void* library) noexcept { dlclose(library); }

}  // namespace

template <typename Function>
void NvmlLibrary::find(Function*& function, const char* name, const char* older_name) {
  function = reinterpret_cast<Function*>(dlsym(library_.get(), name));
  if (function == nullptr && older_name != nullptr) find(function, older_name);
}

NvmlLibrary::NvmlLibrary(void* library) : library_(library, close_library) {
  find(init, "nvmlInit_v2");
  find(shutdown, "nvmlShutdown");
  find(driver_version, "nvmlSystemGetDriverVersion");
  find(handle_by_uuid, "nvmlDeviceGetHandleByUUID");
  find(handle_by_pci_bus_id, "nvmlDeviceGetHandleByPciBusId_v2");
  find(gpu_of_mig_device, "nvmlDeviceGetDeviceHandleFromMigDeviceHandle");
  find(mig_mode, "nvmlDeviceGetMigMode");
  find(pcie_generation, "nvmlDeviceGetCurrPcieLinkGeneration");
  find(pcie_width, "nvmlDeviceGetCurrPcieLinkWidth");
  find(max_pcie_generation, "nvmlDeviceGetMaxPcieLinkGeneration");
  find(max_pcie_width, "nvmlDeviceGetMaxPcieLinkWidth");
  find(clocks_event_reasons, "nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons");
  find(total_ecc_errors, "nvmlDeviceGetTotalEccErrors");
  find(field_values, "nvmlDeviceGetFieldValues");
  find(nvlink_state, "nvmlDeviceGetNvLinkState");
  find(nvlink_capability, "nvmlDeviceGetNvLinkCapability");
  find(nvlink_remote_type, "nvmlDeviceGetNvLinkRemoteDeviceType");
  find(nvlink_remote_pci, "nvmlDeviceGetNvLinkRemotePciInfo_v2");
  find(fabric_info, "nvmlDeviceGetGpuFabricInfo");
  find(common_ancestor, "nvmlDeviceGetTopologyCommonAncestor");
  find(p2p_status, "nvmlDeviceGetP2PStatus");
  // Both take the same structure; the unversioned function before them takes a smaller one.
  find(compute_processes, "nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2");
  initialised_ = init != nullptr && shutdown != nullptr && init() == NVML_SUCCESS;
}

NvmlLibrary::~NvmlLibrary() {
  if (initialised_) shutdown();
}

std::shared_ptr<const NvmlLibrary> load_nvml(const char* file) {
  void* library = dlopen(file, RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) return nullptr;
  auto nvml = std::make_shared<const NvmlLibrary>(library);
  return nvml->initialised() ? nvml : nullptr;
}

bool is_throttled(std::uint64_t clocks_event_reasons) {
  constexpr std::uint64_t harmful = nvmlClocksEventReasonSwPowerCap | nvmlClocksThrottleReasonHwSlowdown |
                                    nvmlClocksEventReasonSwThermalSlowdown | nvmlClocksThrottleReasonHwThermalSlowdown |
                                    nvmlClocksThrottleReasonHwPowerBrakeSlowdown;
  return (clocks_event_reasons & harmful) != 0;
}

unsigned count_other_processes(std::span<const unsigned> listed, unsigned own, bool holds_context) {
  const auto count = static_cast<unsigned>(listed.size());
  const bool one_is_ours = count > 0 && (holds_context || std::ranges::find(listed, own) != listed.end());
  return one_is_ours ? count - 1 : count;
}

std::vector<std::string> health_flags(const Health& before, const Health& after) {
  const auto grew = [](const auto& from, const auto& to) { return from && to && *to > *from; };
  std::vector<std::string> flags;

  bool throttled =
      is_throttled(before.clocks_event_reasons.value_or(0)) || is_throttled(after.clocks_event_reasons.value_or(0));
  if (grew(before.throttled_time, after.throttled_time)) {
    // A few milliseconds at the power limit while the clocks ramp up are normal and change no median.
    throttled |= *after.throttled_time - *before.throttled_time > 0.01 * (after.taken_at - before.taken_at);
  }
  if (throttled) flags.emplace_back("throttled");

  if (grew(before.corrected_ecc_errors, after.corrected_ecc_errors) ||
      grew(before.uncorrected_ecc_errors, after.uncorrected_ecc_errors)) {
    flags.emplace_back("ecc_errors");
  }
  if (before.other_processes.value_or(0) > 0 || after.other_processes.value_or(0) > 0) {
    flags.emplace_back("contended");
  }
  return flags;
}

std::vector<std::string> watched_flags(const Health& before, const Health& after) {
  const auto both = [](const auto& from, const auto& to) { return from && to; };
  std::vector<std::string> flags;
  if (before.clocks_event_reasons || after.clocks_event_reasons || both(before.throttled_time, after.throttled_time)) {
    flags.emplace_back("throttled");
  }
  if (both(before.corrected_ecc_errors, after.corrected_ecc_errors) ||
      both(before.uncorrected_ecc_errors, after.uncorrected_ecc_errors)) {
    flags.emplace_back("ecc_errors");
  }
  if (before.other_processes || after.other_processes) flags.emplace_back("contended");
  return flags;
}

Nvml::Nvml(std::shared_ptr<const NvmlLibrary> library, Handle* gpu, Handle* instance)
    : library_(std::move(library)), gpu_(gpu), instance_(instance) {}

std::optional<Nvml> Nvml::find(std::shared_ptr<const NvmlLibrary> library, const Device& device) {
  auto found = find(library, device.uuid.value_or(""));
  return found ? std::move(found) : find(std::move(library), device.pci_bus_id.value_or(""));
}

std::optional<Nvml> Nvml::find(std::shared_ptr<const NvmlLibrary> library, const std::string& identity) {
  if (library == nullptr) return std::nullopt;
  const bool is_uuid = identity.starts_with("GPU-") || identity.starts_with("MIG-");
  const auto instance =
      ask<Handle*>(is_uuid ? library->handle_by_uuid : library->handle_by_pci_bus_id, identity.c_str());
  if (!instance) return std::nullopt;
  Handle* gpu = *instance;
  if (identity.starts_with("MIG-")) gpu = ask<Handle*>(library->gpu_of_mig_device, *instance).value_or(gpu);
  return Nvml(std::move(library), gpu, *instance);
}

std::optional<std::string> Nvml::driver_version() const {
  std::array<char, NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE> version{};
  if (library_->driver_version == nullptr ||
      library_->driver_version(version.data(), NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE) != NVML_SUCCESS) {
    return std::nullopt;
  }
  return version.data();
}

std::optional<bool> Nvml::mig_enabled() const {
  unsigned current = 0;
  unsigned pending = 0;
  if (library_->mig_mode == nullptr) return std::nullopt;
  const nvmlReturn_t status = library_->mig_mode(gpu_, &current, &pending);
  if (status == NVML_ERROR_NOT_SUPPORTED) return false;
  if (status != NVML_SUCCESS) return std::nullopt;
  return current != 0;
}

PcieLink Nvml::pcie_link() const {
  return {.generation = ask<unsigned>(library_->pcie_generation, gpu_),
          .width = ask<unsigned>(library_->pcie_width, gpu_),
          .max_generation = ask<unsigned>(library_->max_pcie_generation, gpu_),
          .max_width = ask<unsigned>(library_->max_pcie_width, gpu_)};
}

std::optional<unsigned> Nvml::other_processes(bool holds_context) const {
  if (library_->compute_processes == nullptr) return std::nullopt;
  std::vector<nvmlProcessInfo_v2_t> processes(64);
  auto count = static_cast<unsigned>(processes.size());
  nvmlReturn_t status = library_->compute_processes(instance_, &count, processes.data());
  if (status == NVML_ERROR_INSUFFICIENT_SIZE) {
    count += 16;  // `count` is how many there were; some may have joined since
    processes.resize(count);
    status = library_->compute_processes(instance_, &count, processes.data());
  }
  if (status != NVML_SUCCESS) return std::nullopt;

  std::vector<unsigned> listed;
  for (unsigned i = 0; i < count && i < processes.size(); ++i) listed.push_back(processes[i].pid);
  return count_other_processes(listed, static_cast<unsigned>(getpid()), holds_context);
}

namespace {

/// Time spent throttled for power or heat. Reasons can overlap, so the sum may exceed the time that has passed.
template <typename Device>
std::optional<std::chrono::duration<double>> throttled_time(const NvmlLibrary& library, Device device) {
  if (library.field_values == nullptr) return std::nullopt;
  std::array<nvmlFieldValue_t, 4> fields{};
  fields[0].fieldId = NVML_FI_DEV_CLOCKS_EVENT_REASON_SW_POWER_CAP;
  fields[1].fieldId = NVML_FI_DEV_CLOCKS_EVENT_REASON_SW_THERM_SLOWDOWN;
  fields[2].fieldId = NVML_FI_DEV_CLOCKS_EVENT_REASON_HW_THERM_SLOWDOWN;
  fields[3].fieldId = NVML_FI_DEV_CLOCKS_EVENT_REASON_HW_POWER_BRAKE_SLOWDOWN;
  if (library.field_values(device, static_cast<int>(fields.size()), fields.data()) != NVML_SUCCESS) return std::nullopt;

  std::optional<std::chrono::duration<double>> total;
  for (const nvmlFieldValue_t& field : fields) {
    if (field.nvmlReturn != NVML_SUCCESS) continue;  // an older driver, which does not know this field
    total = total.value_or(std::chrono::duration<double>{}) +
            std::chrono::duration<double, std::nano>(static_cast<double>(field.value));
  }
  return total;
}

}  // namespace

Health Nvml::health(bool holds_context) const {
  Health health;
  health.taken_at = std::chrono::steady_clock::now();
  health.clocks_event_reasons = ask<unsigned long long>(library_->clocks_event_reasons, gpu_);
  health.throttled_time = throttled_time(*library_, gpu_);
  health.corrected_ecc_errors =
      ask<unsigned long long>(library_->total_ecc_errors, gpu_, NVML_MEMORY_ERROR_TYPE_CORRECTED, NVML_VOLATILE_ECC);
  health.uncorrected_ecc_errors =
      ask<unsigned long long>(library_->total_ecc_errors, gpu_, NVML_MEMORY_ERROR_TYPE_UNCORRECTED, NVML_VOLATILE_ECC);
  health.other_processes = other_processes(holds_context);
  return health;
}

}  // namespace gpumem::measure
