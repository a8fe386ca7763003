#pragma once

#include <string>

#include "report/record/record.hpp"

namespace gpumem::app {

/// One line: "gpumem 0.1.0 (commit 8405842c1b5e, CUDA 13.0, built by GNU 12.2.0, Release)".
[[nodiscard]] std::string version_line(const report::Tool& tool);

}  // namespace gpumem::app
