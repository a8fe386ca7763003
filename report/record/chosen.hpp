#pragma once
// A report of some of its cases.

#include <cstddef>
#include <span>

#include "report/record/record.hpp"

namespace gpumem::report {

/// The report with these results alone, by their indices in ascending order. Advice stays that is about one of them.
/// Conclusions, findings and checks are about whole tables, and are left out.
[[nodiscard]] Report chosen(Report report, std::span<const std::size_t> indices);

}  // namespace gpumem::report
