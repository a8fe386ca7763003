#include "program/watch/devices.hpp"

#include <cuda.h>

#include <cstring>

#include "program/watch/driver.hpp"

namespace gpumem::inject {

namespace {

std::uint64_t attribute(CUdevice device, CUdevice_attribute which) {
  int value = 0;
  if (driver().cuDeviceGetAttribute(&value, which, device) != CUDA_SUCCESS || value < 0) return 0;
  return static_cast<std::uint64_t>(value);
}

DeviceEvent describe(CUdevice device) {
  constexpr std::uint64_t hz_per_khz = 1000;
  DeviceEvent event;
  event.device = static_cast<std::uint32_t>(device);
  const auto small = [&](CUdevice_attribute which) { return static_cast<std::uint32_t>(attribute(device, which)); };
  event.compute_capability_major = small(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  event.compute_capability_minor = small(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  event.multiprocessors = small(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  std::size_t memory = 0;
  if (driver().cuDeviceTotalMem(&memory, device) == CUDA_SUCCESS) event.memory_bytes = memory;
  event.l2_bytes = attribute(device, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  event.memory_clock_hz = attribute(device, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE) * hz_per_khz;
  event.sm_clock_hz = attribute(device, CU_DEVICE_ATTRIBUTE_CLOCK_RATE) * hz_per_khz;
  event.memory_bus_bits = small(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
  event.shared_bytes_per_block = small(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  event.shared_bytes_per_multiprocessor = small(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
  event.threads_per_multiprocessor = small(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
  event.integrated = small(CU_DEVICE_ATTRIBUTE_INTEGRATED);
  int version = 0;
  if (driver().cuDriverGetVersion(&version) == CUDA_SUCCESS) event.driver_version = static_cast<std::uint32_t>(version);
  CUuuid uuid{};
  if (driver().cuDeviceGetUuid(&uuid, device) == CUDA_SUCCESS) std::memcpy(event.uuid, uuid.bytes, sizeof(event.uuid));
  static_cast<void>(driver().cuDeviceGetPCIBusId(event.pci_bus_id, sizeof(event.pci_bus_id), device));
  static_cast<void>(driver().cuDeviceGetName(event.name, sizeof(event.name), device));
  return event;
}

std::string uuid_text(const DeviceEvent& device) {
  std::string text = "GPU";
  for (std::size_t i = 0; i < sizeof(device.uuid); ++i) {
    if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    constexpr char digits[] = "0123456789abcdef";
    text += digits[device.uuid[i] >> 4U];
    text += digits[device.uuid[i] & 15U];
  }
  return text;
}

}  // namespace

std::uint32_t Devices::current() {
  CUdevice device = 0;
  if (driver().cuCtxGetDevice(&device) != CUDA_SUCCESS) return 0;
  const auto number = static_cast<std::uint32_t>(device);
  note(number);
  return number;
}

void Devices::note(std::uint32_t device) {
  if (seen_.contains(device)) return;
  const DeviceEvent event = seen_.emplace(device, describe(static_cast<CUdevice>(device))).first->second;
  output_.write_event(EventKind::device, {part_of(event)});
}

bool Devices::is_wanted(std::uint32_t device, const std::string& wanted) const {
  if (wanted.empty() || wanted == std::to_string(device)) return true;
  const DeviceEvent& event = seen_.at(device);
  const std::string bus = event.pci_bus_id;
  const bool is_bus =
      bus.size() >= wanted.size() && bus.compare(bus.size() - wanted.size(), wanted.size(), wanted) == 0;
  return is_bus || (wanted.size() > 3 && uuid_text(event).rfind(wanted, 0) == 0);
}

}  // namespace gpumem::inject
