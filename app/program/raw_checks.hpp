#pragma once
// What numbers in raw files can be at all: whatever is computed from others would be nonsense.

#include "inject/raw_format.hpp"

namespace gpumem::app {

[[nodiscard]] bool is_possible(const inject::Site& site);
/// Of one in use.
[[nodiscard]] bool is_possible(const inject::LaunchSlot& slot);

}  // namespace gpumem::app
