// CSV: one row per case. The columns have the same order for every probe. Absent is an empty field.

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string_view>
#include <utility>

#include "report/text/text.hpp"
#include "report/write/case_columns.hpp"
#include "report/write/writers.hpp"

namespace gpumem::report {

namespace {

/// True if the baseline's value is a name in any of the reports: then its column is one of texts.
bool relates_to_names(const std::vector<const Report*>& reports) {
  return std::ranges::any_of(reports, [](const Report* report) {
    return std::ranges::any_of(report->results, [](const Record& record) {
      return std::holds_alternative<std::string>(record.baseline) && !std::get<std::string>(record.baseline).empty();
    });
  });
}

/// True for columns that only some probes or runs have.
bool is_of_some(const CsvPath& path) {
  static constexpr std::string_view groups[] = {"parameters", "metrics", "metrics_predicted", "counters"};
  return std::ranges::find(groups, path.front()) != std::end(groups);
}

/// The rows of a table, of which most cells are empty: the others by their column.
class Rows {
 public:
  explicit Rows(std::vector<CsvPath> columns) : columns_(std::move(columns)), holds_(columns_.size(), false) {}

  void add(const nlohmann::ordered_json& values) {
    std::vector<Cell>& row = rows_.emplace_back();
    for (std::size_t column = 0; column < columns_.size(); ++column) {
      std::string field = csv_field(values, columns_[column]);
      if (field.empty()) continue;
      holds_[column] = true;
      row.emplace_back(column, std::move(field));
    }
  }

  /// Leaves out parameters, metrics and counters that no row has, unless `all`.
  void write(std::ostream& out, bool all) const {
    std::vector<CsvPath> shown;
    std::vector<std::size_t> place(columns_.size());
    for (std::size_t column = 0; column < columns_.size(); ++column) {
      place[column] = shown.size();
      if (all || holds_[column] || !is_of_some(columns_[column])) shown.push_back(columns_[column]);
    }
    out << csv_names(shown) << '\n';
    for (const std::vector<Cell>& row : rows_) {
      std::vector<std::string> fields(shown.size());
      for (const auto& [column, field] : row) fields[place[column]] = field;
      out << join(fields, ",") << '\n';
    }
  }

 private:
  using Cell = std::pair<std::size_t, std::string>;
  std::vector<CsvPath> columns_;
  std::vector<bool> holds_;
  std::vector<std::vector<Cell>> rows_;
};

void write_reports(std::ostream& out, const std::vector<const Report*>& reports, std::span<const std::string> names,
                   const std::vector<std::string>& columns) {
  std::vector<CsvPath> paths = case_columns(reports);
  const bool all = is_all_columns(columns);
  if (!all && !columns.empty()) paths = chosen_columns(reports, columns, "columns");
  if (!names.empty()) paths.insert(paths.begin(), {"report"});
  const bool baselines_are_texts = relates_to_names(reports);
  Rows rows(std::move(paths));
  for (std::size_t i = 0; i < reports.size(); ++i) {
    for (const Record& record : reports[i]->results) {
      nlohmann::ordered_json row = case_row(*reports[i], record);
      if (!names.empty()) row["report"] = names[i];
      if (baselines_are_texts && row["baseline"].is_number()) row["baseline"] = row["baseline"].dump();
      rows.add(row);
    }
  }
  rows.write(out, all || !columns.empty());
}

}  // namespace

void write_csv(std::ostream& out, const Report& report, const std::vector<std::string>& columns) {
  write_reports(out, {&report}, {}, columns);
}

void write_csv_of_several(std::ostream& out, std::span<const NamedReport> reports,
                          const std::vector<std::string>& columns) {
  std::vector<const Report*> all;
  std::vector<std::string> names;
  for (const auto& [name, report] : reports) {
    all.push_back(&report);
    names.push_back(name);
  }
  write_reports(out, all, names, columns);
}

}  // namespace gpumem::report
