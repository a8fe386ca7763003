#pragma once
// Names of kernels as people say them. A demangled name holds arguments and the parameters of templates, and may be
// longer than a page is wide.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace gpumem::report {

/// Each name in the fullest form that fits into `width` columns: without arguments; without namespaces too; with that
/// parameter of its template alone that fewest of the others have; without any. Different names stay different, even
/// where that takes a number.
[[nodiscard]] std::vector<std::string> short_kernel_names(std::span<const std::string> demangled, std::size_t width);

}  // namespace gpumem::report
