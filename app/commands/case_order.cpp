#include "app/commands/case_order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <span>

#include "engine/base/error.hpp"
#include "engine/base/words.hpp"
#include "report/record/cases.hpp"
#include "report/text/text.hpp"
#include "report/write/case_table.hpp"

namespace gpumem::app {

CaseOrder CaseOrder::parse(const std::string& text) {
  CaseOrder order{.column = text};
  const std::size_t mark = text.find(':');
  if (mark != std::string::npos) {
    const std::string direction = text.substr(mark + 1);
    if (direction != "up" && direction != "down") {
      throw usage_error(fmt::format("--sort: '{}' is neither up nor down; give COLUMN, or COLUMN:up", direction));
    }
    order = {.column = text.substr(0, mark), .rising = direction == "up"};
  }
  if (order.column.empty()) throw usage_error("--sort needs a column, e.g. --sort seconds");
  return order;
}

std::vector<std::string> column_names(const std::string& text) {
  std::vector<std::string> names = report::split(text, ',');
  if (std::ranges::find(names, "") != names.end()) {
    throw usage_error(fmt::format("--columns: '{}' has an empty name; give names such as offset,op,bandwidth", text));
  }
  if (names.size() > 1 && std::ranges::find(names, "all") != names.end()) {
    throw usage_error("--columns: 'all' stands alone");
  }
  return names;
}

std::vector<std::size_t> in_order(const report::Report& report, const std::optional<CaseOrder>& order) {
  std::vector<std::size_t> cases(report.results.size());
  std::iota(cases.begin(), cases.end(), std::size_t{0});
  if (!order || cases.empty()) return cases;
  const report::CaseTable table(report);
  const std::size_t column = table.chosen(std::span(&order->column, 1), "sort").front();
  std::ranges::stable_sort(cases, [&](std::size_t a, std::size_t b) {
    const auto& one = table.value(a, column);
    const auto& other = table.value(b, column);
    if (one.is_null() || other.is_null()) return !one.is_null() && other.is_null();
    return order->rising ? one < other : other < one;
  });
  return cases;
}

std::vector<std::string> columns_in_order(const report::Report& report, const CaseOrder& order) {
  if (report.results.empty()) return {};
  const report::Cases cases = report::cases_of(report.results);
  const std::set<std::string> varying = report::varying(cases);
  const auto differs = [&](std::string report::HeadlineRecord::*part) {
    return std::ranges::any_of(report.results, [&](const report::Record& record) {
      return record.headline.*part != report.results.front().headline.*part;
    });
  };
  std::vector<std::string> wished;
  const std::string& probe = report.results.front().probe;
  if (!std::ranges::all_of(report.results, [&](const auto& record) { return record.probe == probe; })) {
    wished.emplace_back("probe");
  }
  for (const std::string& parameter : report.parameter_columns) {
    if (varying.contains(parameter)) wished.push_back("parameters." + parameter);
  }
  const std::string quantity = report.results.front().headline.quantity;
  if (differs(&report::HeadlineRecord::quantity)) {
    wished.insert(wished.end(), {"headline.quantity", "headline.measured", "headline.predicted"});
  } else if (quantity == bandwidth_name) {
    wished.insert(wished.end(), {quantity + ".measured", quantity + ".predicted"});
  } else {
    wished.insert(wished.end(), {"metrics." + quantity, "metrics_predicted." + quantity});
  }
  wished.insert(wished.end(), {"fraction_of_peak", "time_seconds.median"});

  const report::CaseTable table(report);
  const std::size_t sorted_by = table.chosen(std::span(&order.column, 1), "sort").front();
  std::vector<std::string> columns;
  for (std::size_t column = 0; column < table.columns().size(); ++column) {
    std::string name = report::join(table.columns()[column], ".");
    const bool is_wished = column == sorted_by || std::ranges::find(wished, name) != wished.end();
    if (is_wished && table.holds(column)) columns.push_back(std::move(name));
  }
  return columns;
}

}  // namespace gpumem::app
