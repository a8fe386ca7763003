#pragma once
// Reports made of others: of some cases of one, or of two of the same program, one that saw launches access by access
// and one that counted them.

#include <cstddef>
#include <span>

#include "report/record/record.hpp"

namespace gpumem::report {

/// True if the report is of a program (`gpumem run`) that this engine watched.
[[nodiscard]] bool is_watched_by(const Report& report, std::string_view engine);

/// Joins the reports kernel by kernel: two kernels are the same if name, grid, block and device are. Times, savings and
/// sites are those of `sites`. Counts, the stages' times by them and occupancy come from `counters`, and so do kernels
/// that `sites` lacks. The explanations have to be written anew, and so has the advice, which is left out. A kernel
/// whose sites and counts are more than 1 % apart has the flag "counts_differ".
[[nodiscard]] Report joined(const Report& sites, const Report& counters);

/// The report with these results alone, by their indices, in this order. Advice stays that is about one of them.
/// Conclusions, findings and checks are about whole tables, and are left out.
[[nodiscard]] Report chosen(Report report, std::span<const std::size_t> indices);

}  // namespace gpumem::report
