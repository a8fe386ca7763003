#include "inject/kernels.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "inject/libraries.hpp"
#include "inject/modules.hpp"
#include "inject/output.hpp"
#include "inject/ranges.hpp"

namespace gpumem::inject {

namespace {

std::unordered_map<CUfunction, Kernel> kernels;
std::map<std::tuple<std::uint32_t, std::uint32_t, std::array<std::uint32_t, 6>>, Slot> slots;
std::map<std::uint32_t, DeviceEvent> devices;
std::uint32_t kernels_seen = 0;
std::set<std::uint32_t> ranges_written;

std::string demangled(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                         &std::free);
  return status == 0 && text != nullptr ? text.get() : name;
}

std::uint32_t attribute(CUfunction function, CUfunction_attribute which) {
  int value = 0;
  if (driver().cuFuncGetAttribute(&value, which, function) != CUDA_SUCCESS || value < 0) return 0;
  return static_cast<std::uint32_t>(value);
}

void forget_dropped_modules() {
  for (CUmodule module : dropped_modules()) {
    std::erase_if(kernels, [&](const auto& entry) { return entry.second.module == module; });
  }
}

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

void write_range(const Range& range) {
  if (!ranges_written.insert(range.number).second) return;
  write_event(EventKind::range, {part_of(RangeEvent{.range = range.number}), part_of(std::string_view(range.name))});
  if (range.name == other_names) {
    write_problem(false, "the program marks more than " + std::to_string(most_names) +
                             " ranges of different names: those that came later are shown as " + range.name);
  }
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

Kernel* kernel_of(CUfunction function, const char* symbol, const Options& options) {
  forget_dropped_modules();
  if (const auto found = kernels.find(function); found != kernels.end()) return &found->second;
  Kernel kernel;
  kernel.function = function;
  if (driver().cuFuncGetModule(&kernel.module, function) != CUDA_SUCCESS) {
    // What is launched may be a kernel that no context has yet, and the symbol then that of a stub.
    if (driver().cuKernelGetFunction == nullptr ||
        driver().cuKernelGetFunction(&kernel.function, reinterpret_cast<CUkernel>(function)) != CUDA_SUCCESS ||
        driver().cuFuncGetModule(&kernel.module, kernel.function) != CUDA_SUCCESS) {
      return nullptr;
    }
  }
  const char* name = nullptr;
  if (driver().cuFuncGetName == nullptr || driver().cuFuncGetName(&name, kernel.function) != CUDA_SUCCESS)
    name = symbol;
  if (name == nullptr) return nullptr;
  kernel.name = name;
  kernel.number = ++kernels_seen;
  const std::string readable = demangled(kernel.name);
  kernel.collective = readable.rfind("nccl", 0) == 0 || readable.rfind("void nccl", 0) == 0;
  kernel.wanted = options.wants_kernel(readable.c_str());
  kernel.static_shared_bytes = attribute(kernel.function, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  return &kernels.emplace(function, std::move(kernel)).first->second;
}

Slot* slot_of(const Kernel& kernel, const Launch& launch, std::uint32_t device) {
  const std::array shape{launch.grid[0],  launch.grid[1],  launch.grid[2],
                         launch.block[0], launch.block[1], launch.block[2]};
  const auto [found, is_new] = slots.try_emplace({kernel.number, device, shape});
  Slot& slot = found->second;
  if (!is_new) return slot.counts == nullptr ? nullptr : &slot;
  slot.counts = new_slot(slot.number);
  if (slot.counts == nullptr) return nullptr;
  slot.counts->device = device;
  std::copy_n(launch.grid, 3, slot.counts->grid);
  std::copy_n(launch.block, 3, slot.counts->block);
  slot.counts->dynamic_shared_bytes = launch.dynamic_shared_bytes;
  slot.counts->kernel = kernel.number;
  ++totals().slots;
  return &slot;
}

void write_kernel(Kernel& kernel) {
  if (kernel.written) return;
  kernel.written = true;
  const KernelEvent event{
      .kernel = kernel.number,
      .image = image_of(kernel.module),
      .registers_per_thread = attribute(kernel.function, CU_FUNC_ATTRIBUTE_NUM_REGS),
      .static_shared_bytes = kernel.static_shared_bytes,
      .local_bytes_per_thread = attribute(kernel.function, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES),
  };
  write_event(EventKind::kernel, {part_of(event), part_of(std::string_view(kernel.name))});
}

void count_range(LaunchSlot& counts) {
  const Range* range = current_range();
  if (range == nullptr) return;
  for (RangeLaunches& one : counts.ranges) {
    if (one.range == 0) {
      write_range(*range);
      one.range = range->number;
    }
    if (one.range == range->number) {
      ++one.launches;
      return;
    }
  }
  ++counts.in_other_ranges;
}

std::uint32_t current_device() {
  CUdevice device = 0;
  if (driver().cuCtxGetDevice(&device) != CUDA_SUCCESS) return 0;
  const auto number = static_cast<std::uint32_t>(device);
  if (!devices.contains(number)) {
    const DeviceEvent event = devices.emplace(number, describe(device)).first->second;
    write_event(EventKind::device, {part_of(event)});
  }
  return number;
}

const DeviceEvent& device_event(std::uint32_t device) { return devices.at(device); }

bool wants_device(std::uint32_t device, const std::string& wanted) {
  if (wanted.empty() || wanted == std::to_string(device)) return true;
  const DeviceEvent& event = devices.at(device);
  const std::string bus = event.pci_bus_id;
  const bool is_bus =
      bus.size() >= wanted.size() && bus.compare(bus.size() - wanted.size(), wanted.size(), wanted) == 0;
  return is_bus || (wanted.size() > 3 && uuid_text(event).rfind(wanted, 0) == 0);
}

}  // namespace gpumem::inject
