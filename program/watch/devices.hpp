#pragma once
// The GPUs that the program uses.

#include <cstdint>
#include <string>

#include "program/watch/raw_format.hpp"

namespace gpumem::inject {

// One thread at a time calls these.

/// Returns the device of the current context. Writes its event when it is first seen.
[[nodiscard]] std::uint32_t current_device();
/// Writes the event of the device, unless it was written before.
void note_device(std::uint32_t device);
[[nodiscard]] const DeviceEvent& device_event(std::uint32_t device);
/// True if `wanted`, the value of --device, means the device: its number, the end of its PCI bus ID, or the beginning
/// of its UUID. An empty value means all.
[[nodiscard]] bool wants_device(std::uint32_t device, const std::string& wanted);

}  // namespace gpumem::inject
