#pragma once
// The columns of cases: every reading of a case under the name that the CSV gives it.

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "report/record/record.hpp"
#include "report/write/csv_row.hpp"

namespace gpumem::report {

/// All columns of these reports' cases, the same for every probe, in the order of the CSV.
[[nodiscard]] std::vector<CsvPath> case_columns(std::span<const Report* const> reports);

/// The values of one of the report's cases, each at the path of its column. Absent is null or missing.
[[nodiscard]] nlohmann::ordered_json case_row(const Report& report, const Record& record);

/// The columns that hold something in some case.
[[nodiscard]] std::vector<CsvPath> held_columns(std::span<const Report* const> reports);

/// The columns that a user means, in this order: by name ("bandwidth_gb_per_s.measured"), by a part of it ("median"),
/// or by a word of it ("offset"), which means the first such column that holds something. Throws a usage error of
/// `--option` for a name that is no column's.
[[nodiscard]] std::vector<CsvPath> chosen_columns(std::span<const Report* const> reports,
                                                  std::span<const std::string> asked, const std::string& option);

}  // namespace gpumem::report
