#include "engine/machine/devices.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <utility>

#include "engine/base/error.hpp"
#include "engine/machine/nvml.hpp"

namespace gpumem::measure {

namespace {

std::string with_case(std::string_view text, int (*convert)(int)) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(convert(static_cast<unsigned char>(c)));
  return result;
}

/// 12040 is "12.4".
std::string version_text(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

DriverState driver_state(cudaError_t status) {
  DriverState state{.status = status};
  if (cudaDriverGetVersion(&state.driver_version) != cudaSuccess) state.driver_version = 0;
  if (void* driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL)) {
    state.driver_library_found = true;
    dlclose(driver);
  }
  if (const char* visible = std::getenv("CUDA_VISIBLE_DEVICES")) state.visible_devices = visible;
  return state;
}

int count_devices() {
  int count = 0;
  cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaSuccess && count == 0) status = cudaErrorNoDevice;
  if (status != cudaSuccess) throw no_gpu_error(no_gpu_reason(driver_state(status)));
  return count;
}

/// A GPU that cannot even be asked about itself is not usable.
void require(cudaError_t status, int index) {
  if (status == cudaSuccess) return;
  throw no_gpu_error(
      fmt::format("GPU {} does not answer: {} ({})", index, cudaGetErrorName(status), cudaGetErrorString(status)));
}

std::uint64_t attribute(cudaDeviceAttr name, int index) {
  int value = 0;
  require(cudaDeviceGetAttribute(&value, name, index), index);
  return static_cast<std::uint64_t>(value);
}

/// Returns what CUDA knows of a device without a context.
Device query_cuda(int index) {
  constexpr std::uint64_t hz_per_khz = 1000;
  cudaDeviceProp properties{};
  require(cudaGetDeviceProperties(&properties, index), index);
  std::array<char, 32> bus_id{};
  require(cudaDeviceGetPCIBusId(bus_id.data(), static_cast<int>(bus_id.size()), index), index);

  Device device;
  device.name = properties.name;
  std::array<unsigned char, sizeof(properties.uuid.bytes)> uuid{};
  std::memcpy(uuid.data(), properties.uuid.bytes, uuid.size());
  device.uuid = uuid_text(uuid, device.name);
  device.pci_bus_id = canonical_pci_bus_id(bus_id.data());
  device.compute_capability = fmt::format("{}.{}", properties.major, properties.minor);
  device.memory_bytes = properties.totalGlobalMem;
  device.multiprocessors = static_cast<unsigned>(attribute(cudaDevAttrMultiProcessorCount, index));
  device.l2_bytes = attribute(cudaDevAttrL2CacheSize, index);
  device.memory_bus_bits = static_cast<unsigned>(attribute(cudaDevAttrGlobalMemoryBusWidth, index));
  device.memory_clock_hz = attribute(cudaDevAttrMemoryClockRate, index) * hz_per_khz;
  device.sm_clock_hz = attribute(cudaDevAttrClockRate, index) * hz_per_khz;
  device.shared_bytes_per_block = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, index);
  device.shared_bytes_per_multiprocessor = attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor, index);
  device.threads_per_multiprocessor = static_cast<unsigned>(attribute(cudaDevAttrMaxThreadsPerMultiProcessor, index));
  device.ecc = attribute(cudaDevAttrEccEnabled, index) != 0;
  device.copy_engines = static_cast<unsigned>(attribute(cudaDevAttrAsyncEngineCount, index));
  device.integrated = attribute(cudaDevAttrIntegrated, index) != 0;
  device.maps_host_memory = attribute(cudaDevAttrCanMapHostMemory, index) != 0;
  // Only a coherent link (NVLink-C2C) lets the GPU walk the host's own page tables.
  device.link_is_pcie = attribute(cudaDevAttrPageableMemoryAccessUsesHostPageTables, index) == 0;
  device.numa_node = host_numa_node(index);

  int version = 0;
  if (cudaRuntimeGetVersion(&version) == cudaSuccess) device.runtime_version = version_text(version);
  if (cudaDriverGetVersion(&version) == cudaSuccess) device.driver_version = "CUDA " + version_text(version);
  return device;
}

std::vector<Device> query_cuda_devices() {
  const int count = count_devices();
  std::vector<Device> devices;
  for (int index = 0; index < count; ++index) devices.push_back(query_cuda(index));
  return devices;
}

/// Adds what only NVML knows, if NVML is there.
void add_nvml(Device& device, const std::shared_ptr<const NvmlLibrary>& library) {
  const auto nvml = Nvml::find(library, device);
  if (!nvml) return;
  device.mig = nvml->mig_enabled();
  const PcieLink link = nvml->pcie_link();
  device.pcie_generation = link.generation;
  device.pcie_width = link.width;
  if (auto version = nvml->driver_version()) device.driver_version = std::move(version);
}

std::string describe(std::span<const Device> devices) {
  std::string text;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    text += fmt::format("{}{} ({}, {})", i == 0 ? "" : ", ", i, devices[i].name, devices[i].uuid.value_or("no UUID"));
  }
  return text;
}

bool is_hexadecimal(std::string_view text, std::size_t longest) {
  return !text.empty() && text.size() <= longest &&
         std::ranges::all_of(text, [](unsigned char c) { return std::isxdigit(c) != 0; });
}

}  // namespace

std::vector<Device> query_devices() {
  std::vector<Device> devices = query_cuda_devices();
  const auto library = load_nvml();
  for (Device& device : devices) add_nvml(device, library);
  return devices;
}

Device query_device(int index, FreeMemory free_memory) {
  const std::vector<Device> devices = query_cuda_devices();
  Device device = devices[match_device(std::to_string(index), devices)];
  add_nvml(device, load_nvml());
  if (free_memory == FreeMemory::query) {
    std::size_t free_bytes = 0;
    std::size_t total_bytes = 0;
    require(cudaSetDevice(index), index);
    require(cudaMemGetInfo(&free_bytes, &total_bytes), index);
    device.free_memory_bytes = free_bytes;
  }
  return device;
}

std::optional<unsigned> host_numa_node(int index) {
  // By its number, which is the driver's: older toolkits do not name it, and older drivers refuse it.
  constexpr auto host_numa_id = static_cast<cudaDeviceAttr>(134);
  int node = -1;
  if (cudaDeviceGetAttribute(&node, host_numa_id, index) != cudaSuccess) static_cast<void>(cudaGetLastError());
  if (node >= 0) return static_cast<unsigned>(node);

  std::array<char, 32> bus_id{};
  if (cudaDeviceGetPCIBusId(bus_id.data(), static_cast<int>(bus_id.size()), index) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    return std::nullopt;
  }
  const auto canonical = canonical_pci_bus_id(bus_id.data());
  if (!canonical) return std::nullopt;
  std::ifstream file("/sys/bus/pci/devices/" + sysfs_pci_name(*canonical) + "/numa_node");
  if (!(file >> node) || node < 0) return std::nullopt;  // the kernel writes -1 when the firmware did not tell
  return static_cast<unsigned>(node);
}

int select_device(std::string_view selector) { return static_cast<int>(match_device(selector, query_cuda_devices())); }

std::string uuid_text(std::span<const unsigned char, 16> bytes, std::string_view device_name) {
  // CUDA gives the bytes alone. A MIG instance has a UUID of its own kind, and "MIG" and its profile in its name.
  std::string text = device_name.find(" MIG ") == std::string_view::npos ? "GPU" : "MIG";
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", bytes[i]);
  }
  return text;
}

std::optional<std::string> canonical_pci_bus_id(std::string_view text) {
  std::string_view function = "0";  // what a GPU has when nothing is said
  if (const auto dot = text.rfind('.'); dot != std::string_view::npos) {
    function = text.substr(dot + 1);
    text = text.substr(0, dot);
  }
  const auto last_colon = text.rfind(':');
  if (last_colon == std::string_view::npos) return std::nullopt;
  const std::string_view slot = text.substr(last_colon + 1);
  std::string_view bus = text.substr(0, last_colon);
  std::string_view domain = "0";
  if (const auto colon = bus.find(':'); colon != std::string_view::npos) {
    domain = bus.substr(0, colon);
    bus = bus.substr(colon + 1);
  }
  if (!is_hexadecimal(domain, 8) || !is_hexadecimal(bus, 2) || !is_hexadecimal(slot, 2) ||
      !is_hexadecimal(function, 1)) {
    return std::nullopt;
  }
  return with_case(fmt::format("{:0>8}:{:0>2}:{:0>2}.{}", domain, bus, slot, function), std::toupper);
}

std::string sysfs_pci_name(std::string_view canonical) {
  // The kernel writes a domain with 4 digits, and with more only where it has more.
  std::string name = with_case(canonical, std::tolower);
  for (int i = 0; i < 4 && name.starts_with('0'); ++i) name.erase(0, 1);
  return name;
}

std::size_t match_device(std::string_view selector, std::span<const Device> devices) {
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(selector.data(), selector.data() + selector.size(), index);
  if (error == std::errc{} && end == selector.data() + selector.size() && index < devices.size()) return index;

  const auto bus_id = canonical_pci_bus_id(selector);
  const std::string uuid_beginning = with_case(selector, std::tolower);
  const bool may_be_uuid = uuid_beginning.starts_with("gpu-") || uuid_beginning.starts_with("mig-");
  std::vector<std::size_t> matches;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const Device& device = devices[i];
    const bool same_bus_id = bus_id && device.pci_bus_id && bus_id == canonical_pci_bus_id(*device.pci_bus_id);
    const bool same_uuid =
        may_be_uuid && device.uuid && with_case(*device.uuid, std::tolower).starts_with(uuid_beginning);
    if (same_bus_id || same_uuid) matches.push_back(i);
  }
  if (matches.size() == 1) return matches.front();
  throw no_gpu_error(fmt::format("{} {}: this machine has {}", matches.empty() ? "no GPU" : "more than one GPU is",
                                 selector, describe(devices)));
}

std::string no_gpu_reason(const DriverState& state) {
  const int runtime_major = state.runtime_version / 1000;
  switch (state.status) {
    case cudaErrorInsufficientDriver:
      if (!state.driver_library_found) return "no NVIDIA driver is loaded (libcuda.so.1 not found)";
      if (state.driver_version == 0) return "no NVIDIA driver is loaded (libcuda.so.1 is there but does not answer)";
      // Any driver of the runtime's major version runs it (CUDA's minor version compatibility).
      return fmt::format("the NVIDIA driver supports CUDA {}, this program needs CUDA {}.0 or later: update the driver",
                         version_text(state.driver_version), runtime_major);
    case cudaErrorNoDevice:
      if (state.visible_devices) {
        return fmt::format("no GPU is visible: CUDA_VISIBLE_DEVICES is \"{}\"", *state.visible_devices);
      }
      return "the NVIDIA driver finds no GPU";
    case cudaErrorStubLibrary:
      return "the libcuda.so.1 that is found is the CUDA Toolkit's stub, not the NVIDIA driver: check LD_LIBRARY_PATH";
    case cudaErrorSystemDriverMismatch:
      return "the NVIDIA kernel driver and libcuda.so.1 are of different versions: reload the driver or reboot";
    case cudaErrorSystemNotReady:
      return "the NVIDIA driver is not ready: on machines with NVSwitch, check that nvidia-fabricmanager runs";
    case cudaErrorCompatNotSupportedOnDevice:
      return "CUDA forward compatibility is in use and this GPU does not support it: update the driver instead";
    case cudaErrorOperatingSystem:
      return "the NVIDIA driver cannot be reached: check that this user may open /dev/nvidia*";
    default:
      return fmt::format("CUDA cannot be started: {} ({})", cudaGetErrorName(state.status),
                         cudaGetErrorString(state.status));
  }
}

}  // namespace gpumem::measure
