#pragma once
// The kernels of the process, numbered as they appear, and their launches' slots.

#include <cuda.h>

#include <cstdint>
#include <string>

#include "inject/options.hpp"
#include "inject/raw_format.hpp"

namespace gpumem::inject {

struct Kernel {
  std::uint32_t number = 0;
  CUfunction function = nullptr;
  CUmodule module = nullptr;
  std::string name;  ///< as the linker knows it
  std::uint32_t static_shared_bytes = 0;
  bool wanted = true;       ///< by --kernel
  bool collective = false;  ///< waits for other GPUs
  bool unpatchable = false;
  bool written = false;
};

/// A launch as its caller described it.
struct Launch {
  CUfunction function = nullptr;  ///< or a CUkernel
  std::uint32_t grid[3] = {};
  std::uint32_t block[3] = {};
  std::uint32_t dynamic_shared_bytes = 0;
  CUstream stream = nullptr;
  bool cooperative = false;
};

/// Launches of one slot, and what of them was sampled.
struct Slot {
  LaunchSlot* counts = nullptr;
  std::uint32_t number = 0;
  std::uint64_t samples = 0;
};

// One thread at a time calls these.

/// Null where the driver does not tell what it is. `symbol` is the name as the callback has it.
[[nodiscard]] Kernel* kernel_of(CUfunction function, const char* symbol, const Options& options);
/// Null where there is no room.
[[nodiscard]] Slot* slot_of(const Kernel& kernel, const Launch& launch, std::uint32_t device);
/// Writes the kernel's event, once.
void write_kernel(Kernel& kernel);

/// Counts a launch of the calling thread for the range it is in, if it is in one.
void count_range(LaunchSlot& counts);

/// The device of the current context, whose event is written when it is first seen.
[[nodiscard]] std::uint32_t current_device();
[[nodiscard]] const DeviceEvent& device_event(std::uint32_t device);
/// Whether --device means it.
[[nodiscard]] bool wants_device(std::uint32_t device, const std::string& wanted);

}  // namespace gpumem::inject
