#pragma once
// Rows of CSV as leaves of JSON: a column is named where it stands in there, and its value cannot be another's.

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

namespace gpumem::report {

/// Where a value stands in JSON: {"device", "name"} for the column "device.name".
using CsvPath = std::vector<std::string>;

/// Adds a path for each of the names, below `of`, that is not there yet.
void add_paths(std::vector<CsvPath>& paths, const CsvPath& of, const std::vector<std::string>& names);

/// The names of columns, for the header.
[[nodiscard]] std::string csv_names(std::span<const CsvPath> paths);

/// What stands there, as fields of a row: nothing for what is absent or null, numbers so that they read back the same
/// and floats as floats ("1.0"), a list joined by ';'. A text that a spreadsheet would compute (it begins with =, +, -
/// or
/// @), or that reads as a number, has a ' before it, and so has one that begins with '.
[[nodiscard]] std::string csv_fields(const nlohmann::ordered_json& object, std::span<const CsvPath> paths);

}  // namespace gpumem::report
