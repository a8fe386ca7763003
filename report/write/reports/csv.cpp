// CSV: one row per case. The columns have the same order for every probe. Absent is an empty field.

#include <algorithm>
#include <ostream>
#include <string_view>

#include "report/text/text.hpp"
#include "report/write/case_table.hpp"
#include "report/write/writers.hpp"

namespace gpumem::report {

namespace {

/// True for columns that only some probes or runs have.
bool is_of_some(const CsvPath& path) {
  static constexpr std::string_view groups[] = {"parameters", "metrics", "metrics_predicted", "counters"};
  return std::ranges::find(groups, path.front()) != std::end(groups);
}

/// The columns to write. Without a choice, parameters, metrics and counters that no case has are left out.
std::vector<std::size_t> written_columns(const CaseTable& table, const std::vector<std::string>& chosen) {
  if (!chosen.empty() && !is_all_columns(chosen)) return table.chosen(chosen, "columns");
  std::vector<std::size_t> columns;
  for (std::size_t column = 0; column < table.columns().size(); ++column) {
    const bool written = !chosen.empty() || table.holds(column) || !is_of_some(table.columns()[column]);
    if (written) columns.push_back(column);
  }
  return columns;
}

void write_table_as_csv(std::ostream& out, const CaseTable& table, const std::vector<std::size_t>& columns) {
  std::vector<CsvPath> paths;
  for (const std::size_t column : columns) paths.push_back(table.columns()[column]);
  out << csv_names(paths) << '\n';
  for (std::size_t row = 0; row < table.rows(); ++row) {
    std::vector<std::string> fields;
    for (const std::size_t column : columns) fields.push_back(csv_field(table.value(row, column)));
    out << join(fields, ",") << '\n';
  }
}

}  // namespace

void write_csv(std::ostream& out, const Report& report, const std::vector<std::string>& columns) {
  const CaseTable table(report);
  write_table_as_csv(out, table, written_columns(table, columns));
}

void write_csv_of_several(std::ostream& out, std::span<const NamedReport> reports,
                          const std::vector<std::string>& columns) {
  std::vector<const Report*> all;
  std::vector<std::string> names;
  for (const auto& [name, report] : reports) {
    all.push_back(&report);
    names.push_back(name);
  }
  const CaseTable table(all, names);
  std::vector<std::size_t> written = written_columns(table, columns);
  if (written.empty() || written.front() != 0) written.insert(written.begin(), 0);  // the report
  write_table_as_csv(out, table, written);
}

}  // namespace gpumem::report
