#pragma once
// A row of CSV with the names of its columns.

#include <optional>
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

/// A number that reads back the same; empty where absent or not finite.
[[nodiscard]] std::string csv_number(std::optional<double> value);

}  // namespace gpumem::report
