#pragma once

#include "report/record.hpp"

namespace gpumem::app {

/// The tool's version, commit, compilers and build type, as recorded at configuration.
[[nodiscard]] report::Tool build_information();

}  // namespace gpumem::app
