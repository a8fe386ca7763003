#pragma once
// The table of a program's kernels, one a row.

#include <functional>
#include <string>

#include "report/record/cases.hpp"
#include "report/write/blocks.hpp"

namespace gpumem::report {

using KernelText = std::function<std::string(const Record&)>;

/// The table of these kernels, with names for a page of that width. `why` gives a kernel's text for the last column.
[[nodiscard]] Block program_block(const Cases& rows, std::size_t width, const KernelText& why);
/// The same with the names that the page uses elsewhere, too.
[[nodiscard]] Block program_block(const Cases& rows, const KernelText& name, const KernelText& why);

}  // namespace gpumem::report
