#pragma once
// A row of CSV with the names of its columns.

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gpumem::report {

/// Appends a name and a value together, so that the header cannot drift from the rows.
class CsvRow {
 public:
  void add(const std::string& name, const std::string& value);
  [[nodiscard]] std::string header() const;
  [[nodiscard]] std::string line() const;

 private:
  std::vector<std::string> names_;
  std::vector<std::string> values_;
};

/// Where a value stands in JSON: {"device", "name"} for the column "device.name".
using CsvPath = std::vector<std::string>;
/// What stands at the paths, as fields of a row: nothing for what is absent or null, a list joined by ';'.
[[nodiscard]] std::string csv_fields(const nlohmann::ordered_json& object, std::span<const CsvPath> paths);
/// Their names, for the header, with a prefix.
[[nodiscard]] std::string csv_names(std::span<const CsvPath> paths, const std::string& prefix = "");

/// A number that reads back the same; empty where absent or not finite.
[[nodiscard]] std::string csv_number(std::optional<double> value);

}  // namespace gpumem::report
