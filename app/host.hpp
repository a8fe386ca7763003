#pragma once

#include "report/record.hpp"

namespace gpumem::app {

/// This machine: host name, distribution and kernel, processor, memory. What cannot be read stays empty or 0.
[[nodiscard]] report::Host describe_host();

}  // namespace gpumem::app
