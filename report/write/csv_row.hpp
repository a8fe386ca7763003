#pragma once
// Rows of CSV as leaves of JSON: the name of a column is the place of its value in the JSON.

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

namespace gpumem::report {

/// The place of a value in JSON: {"device", "name"} for the column "device.name".
using CsvPath = std::vector<std::string>;

/// Adds a path for each of the names, below `of`, unless it is there already.
void add_paths(std::vector<CsvPath>& paths, const CsvPath& of, const std::vector<std::string>& names);

/// The names of columns, for the header.
[[nodiscard]] std::string csv_names(std::span<const CsvPath> paths);

/// The value at this place; null if there is none.
[[nodiscard]] const nlohmann::ordered_json& value_at(const nlohmann::ordered_json& object, const CsvPath& path);

/// A value as a field of a row. An absent or null value is an empty field. Numbers read back the
/// same, and floats as floats ("1.0"). The items of a list are joined by ';'. A text that a spreadsheet would compute
/// (it begins with =, +, - or @), or that reads as a number, has a ' before it, and so has one that begins with '.
[[nodiscard]] std::string csv_field(const nlohmann::ordered_json& value);
/// The values at these places, separated by commas.
[[nodiscard]] std::string csv_fields(const nlohmann::ordered_json& object, std::span<const CsvPath> paths);

}  // namespace gpumem::report
