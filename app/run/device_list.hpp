#pragma once
// The value of --device where it may mean several GPUs.

#include <span>
#include <string>
#include <vector>

#include "engine/machine/device.hpp"

namespace gpumem::app {

/// Splits the value of --device into the parts of its list, or "all" alone. Throws a usage error for a malformed list.
[[nodiscard]] std::vector<std::string> device_list(const std::string& text);

/// True if the value of --device may mean more than one GPU.
[[nodiscard]] bool may_be_several(const std::string& text);

/// Returns the GPUs of the machine that the value of --device means, with their indices. Throws a no-GPU error for one
/// that is not there, and a usage error for one that is named twice.
[[nodiscard]] std::vector<Device> devices_of(const std::string& text, std::span<const Device> gpus);

}  // namespace gpumem::app
