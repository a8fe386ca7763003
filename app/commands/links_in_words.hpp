#pragma once
// What joins the GPUs of a machine, as `gpumem devices` shows it.

#include <span>
#include <string>

#include "engine/machine/device.hpp"

namespace gpumem::app {

/// A matrix with a row for each GPU and a column for each that its links lead to, what its short names mean, and what
/// is wrong: links that are down, and GPUs that cannot address each other's memory. Empty unless there are several.
[[nodiscard]] std::string links_in_words(std::span<const Device> devices);

}  // namespace gpumem::app
