#pragma once

#include <string>
#include <vector>

#include "report/explain/conclusions.hpp"
#include "report/record/record.hpp"

namespace gpumem::report {

/// A few sentences per table (report/record/sweep.hpp), computed from its records: what its probe concludes or, where
/// that is nothing, where it is best, what it costs elsewhere and why.
[[nodiscard]] std::vector<std::string> findings(const std::vector<Record>& results,
                                                const ProbeLookup& find = find_probe);

}  // namespace gpumem::report
