#pragma once

#include <string>

#include "report/record/record.hpp"

namespace gpumem::app {

/// This machine: host name, distribution and kernel, processor, memory. What cannot be read stays empty or 0.
[[nodiscard]] report::Host describe_host();

/// Now, RFC 3339 in UTC to the second: "2026-01-31T12:00:00Z".
[[nodiscard]] std::string utc_now();

}  // namespace gpumem::app
