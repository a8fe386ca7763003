#pragma once
// The GPUs that the program uses.

#include <cstdint>
#include <string>

#include "inject/raw_format.hpp"

namespace gpumem::inject {

// One thread at a time calls these.

/// The device of the current context, whose event is written when it is first seen.
[[nodiscard]] std::uint32_t current_device();
/// Writes the device's event if it was not.
void note_device(std::uint32_t device);
[[nodiscard]] const DeviceEvent& device_event(std::uint32_t device);
/// Whether --device means it.
[[nodiscard]] bool wants_device(std::uint32_t device, const std::string& wanted);

}  // namespace gpumem::inject
