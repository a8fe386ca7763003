#pragma once
// What a probe itself concludes from the cases of a table: advice in words, and metrics that only several cases
// together give, such as the fixed cost of a transfer.

#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "report/record/record.hpp"
#include "report/record/sweep.hpp"

namespace gpumem::report {

/// The probe of a name; null if there is none.
using ProbeLookup = std::function<const Probe*(std::string_view)>;

/// What the probe of a table concludes from the cases that ran and have a bandwidth, one outcome each. Absent if the
/// probe is not known or concludes nothing, or if no case ran. `outcomes` of the result's metrics are indices into the
/// results.
[[nodiscard]] std::optional<Conclusion> conclusion_of(std::span<const Record> results, const Members& table,
                                                      const ProbeLookup& find = find_probe);

/// Writes the metrics that every table's conclusion gives into its records, as far as they have one of the name.
void conclude(std::vector<Record>& results, const ProbeLookup& find = find_probe);

}  // namespace gpumem::report
