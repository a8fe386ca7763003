// Cases as one list with the columns that the user chose.

#include <algorithm>
#include <optional>

#include "report/text/names.hpp"
#include "report/text/text.hpp"
#include "report/write/blocks.hpp"
#include "report/write/case_table.hpp"
#include "report/write/cells.hpp"

namespace gpumem::report {

namespace {

/// "offset" over "elements" for a parameter, "bandwidth, measured" over "GB/s" for a reading.
Heading heading_of(const CsvPath& path) {
  if (path.size() == 1) return quantity_heading(path.front());
  if (path.front() == "parameters") return parameter_heading(path.back());
  if (path.front() == "metrics" || path.front() == "counters") return quantity_heading(path.back());
  if (path.front() == "metrics_predicted") return {"predicted", unit_of(path.back())};
  Heading heading = quantity_heading(path.front());
  for (const std::string& part : std::vector(path.begin() + 1, path.end())) heading.name += " " + part;
  std::ranges::replace(heading.name, '_', ' ');
  return heading;
}

/// Fractions are rounded, and everything else is as the CSV has it.
std::vector<std::string> cells_of(const CaseTable& table, std::size_t column) {
  constexpr int digits = 4;
  constexpr int most_decimals = 9;
  std::vector<std::optional<double>> fractions;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto& value = table.value(row, column);
    fractions.push_back(value.is_number_float() ? std::optional(value.get<double>()) : std::nullopt);
  }
  std::vector<std::string> cells = aligned(fractions, digits, most_decimals);
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (!fractions[row]) cells[row] = one_line(csv_field(table.value(row, column)));
  }
  return cells;
}

bool has_texts(const CaseTable& table, std::size_t column) {
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (table.value(row, column).is_string()) return true;
  }
  return false;
}

}  // namespace

Page case_list(const Report& report, std::span<const std::string> columns) {
  Page page;
  for (const std::string& line : preamble(report)) page.before.push_back({line, Tint::none});
  const CaseTable table(report);
  Block block;
  block.title = counted(table.rows(), "case");
  block.rows.resize(table.rows());
  for (const std::size_t column : table.chosen(columns, "columns")) {
    block.columns.push_back({.heading = heading_of(table.columns()[column]), .names = has_texts(table, column)});
    const std::vector<std::string> cells = cells_of(table, column);
    for (std::size_t row = 0; row < table.rows(); ++row) block.rows[row].cells.push_back(cells[row]);
  }
  page.blocks.push_back(std::move(block));
  return page;
}

}  // namespace gpumem::report
