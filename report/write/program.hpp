#pragma once
// The page of a user's program: its kernels, ranked by what could be saved.

#include <string>
#include <vector>

#include "report/write/blocks.hpp"

namespace gpumem::report {

/// Of a report with a program.
[[nodiscard]] Page program_page(const Report& report);

/// Names of kernels for a narrow column, without return types, namespaces, arguments and parameters of templates; those
/// that would then be alike keep the first name in their templates that only they have: "elementwise_kernel<Copy>".
[[nodiscard]] std::vector<std::string> short_kernel_names(const std::vector<std::string>& names);

}  // namespace gpumem::report
