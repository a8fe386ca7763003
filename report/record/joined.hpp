#pragma once
// Two reports of the same program put together: one that saw launches access by access, and one that counted them.

#include "report/record/record.hpp"

namespace gpumem::report {

/// Whether the report is of a program (`gpumem run`) and this engine watched it.
[[nodiscard]] bool is_watched_by(const Report& report, std::string_view engine);

/// Kernels are the same by name, grid, block and device, what has several of these in its order. Times, savings and
/// sites are those of `sites`; counts, stages by them and occupancy come from `counters`, as do kernels that the other
/// has not seen; what explains them is to be written anew, and so is the advice, which it lacks. A kernel whose sites
/// and counts are more than 1 % apart has the flag "counts_differ".
[[nodiscard]] Report joined(const Report& sites, const Report& counters);

}  // namespace gpumem::report
