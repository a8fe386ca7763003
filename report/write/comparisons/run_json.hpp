#pragma once
// A run, as the JSON of comparisons names it.

#include "report/write/json_values.hpp"

namespace gpumem::report {

/// Returns the report's name, and what tells runs apart: program, machine, versions and time.
[[nodiscard]] json_values::Json run_json(const NamedReport& named);

}  // namespace gpumem::report
