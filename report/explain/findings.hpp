#pragma once

#include <span>
#include <string>
#include <vector>

#include "report/record/record.hpp"

namespace gpumem::report {

/// A few sentences per table (report/record/sweep.hpp), computed from its records: what its probe concludes or, where
/// that is nothing, where it is best, what it costs elsewhere and why.
[[nodiscard]] std::vector<std::string> findings(const std::vector<Record>& results,
                                                std::span<const ConclusionRecord> conclusions);

}  // namespace gpumem::report
