#pragma once
// Cases as a table: every reading of a case under the name that the CSV gives it.

#include <cstddef>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "report/record/record.hpp"
#include "report/write/csv_row.hpp"

namespace gpumem::report {

/// The cases of one or more reports, a row each. The columns are the same for every probe, in the order of the CSV.
class CaseTable {
 public:
  /// With names, one for each report, a first column "report" has that of a row.
  explicit CaseTable(std::span<const Report* const> reports, std::span<const std::string> names = {});
  explicit CaseTable(const Report& report);

  [[nodiscard]] const std::vector<CsvPath>& columns() const { return columns_; }
  [[nodiscard]] std::size_t rows() const { return rows_.size(); }
  /// True if the column has a value in some row.
  [[nodiscard]] bool holds(std::size_t column) const { return holds_[column]; }
  /// The value of a row in a column; null if there is none.
  [[nodiscard]] const nlohmann::ordered_json& value(std::size_t row, std::size_t column) const;

  /// The columns that a user means, in this order: by name ("bandwidth_gb_per_s.measured"), by a part of it ("median"),
  /// or by a word of it ("offset"), which means the first such column that holds something. Throws a usage error of
  /// `--option` for a name that is no column's.
  [[nodiscard]] std::vector<std::size_t> chosen(std::span<const std::string> asked, const std::string& option) const;

 private:
  using Cell = std::pair<std::size_t, nlohmann::ordered_json>;  ///< by its column

  std::vector<CsvPath> columns_;
  std::vector<bool> holds_;
  std::vector<std::vector<Cell>> rows_;  ///< most cells are empty, and left out
};

}  // namespace gpumem::report
