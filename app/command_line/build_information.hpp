#pragma once

#include <string>

#include "report/record/record.hpp"

namespace gpumem::app {

/// The tool's version, commit, compilers and build type. The commit is that of the sources as they were built:
/// "-dirty" where they differ from it, "unknown" where they are not a git checkout.
[[nodiscard]] report::Tool build_information();

/// The architectures that the kernels are compiled for: "sm_90", or "sm_80, sm_90".
[[nodiscard]] std::string compiled_architectures();

/// The date of the commit, as "2026-11-21"; empty if there is none.
[[nodiscard]] std::string commit_date();

}  // namespace gpumem::app
