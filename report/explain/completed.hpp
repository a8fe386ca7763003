#pragma once

#include "report/record/record.hpp"

namespace gpumem::report {

/// The report with what follows from all of its records together: ratios to baselines, conclusions and findings of
/// tables, explanations. Whatever of these it had is made anew.
[[nodiscard]] Report completed(Report report);

}  // namespace gpumem::report
