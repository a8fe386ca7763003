// Cases as one list with the columns that the user chose.

#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/text/names.hpp"
#include "report/text/text.hpp"
#include "report/write/blocks.hpp"
#include "report/write/case_columns.hpp"
#include "report/write/cells.hpp"

namespace gpumem::report {

namespace {

using Json = nlohmann::ordered_json;

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
std::vector<std::string> cells_of(const std::vector<Json>& rows, const CsvPath& path) {
  constexpr int digits = 4;
  constexpr int most_decimals = 9;
  std::vector<std::optional<double>> fractions;
  for (const Json& row : rows) {
    const Json& value = value_at(row, path);
    fractions.push_back(value.is_number_float() ? std::optional(value.get<double>()) : std::nullopt);
  }
  std::vector<std::string> cells = aligned(fractions, digits, most_decimals);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!fractions[i]) cells[i] = one_line(csv_field(rows[i], path));
  }
  return cells;
}

}  // namespace

Page case_list(const Report& report, std::span<const std::string> columns) {
  Page page;
  for (const std::string& line : preamble(report)) page.before.push_back({line, Tint::none});
  Block block;
  block.title = counted(report.results.size(), "case");
  std::vector<Json> rows;
  for (const Record& record : report.results) rows.push_back(case_row(report, record));
  block.rows.resize(rows.size());
  const Report* const reports[] = {&report};
  const std::vector<CsvPath> paths = chosen_columns(reports, columns, "columns");
  for (const CsvPath& path : paths) {
    const bool names = std::ranges::any_of(rows, [&](const Json& row) { return value_at(row, path).is_string(); });
    block.columns.push_back({.heading = heading_of(path), .names = names});
    const std::vector<std::string> cells = cells_of(rows, path);
    for (std::size_t i = 0; i < rows.size(); ++i) block.rows[i].cells.push_back(cells[i]);
  }
  page.blocks.push_back(std::move(block));
  return page;
}

}  // namespace gpumem::report
