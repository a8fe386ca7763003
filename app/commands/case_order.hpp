#pragma once
// Cases of a report in an order that the user asks for, and as a list with columns of his choice.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "report/record/record.hpp"

namespace gpumem::app {

/// The order of cases by a column of the CSV: the largest value first, or if `rising` the smallest. Cases without a
/// value come last.
struct CaseOrder {
  std::string column;
  bool rising = false;

  /// Reads "seconds" or "seconds:up". Throws a usage error.
  [[nodiscard]] static CaseOrder parse(const std::string& text);
};

/// The names in the value of --columns, such as "offset,op,bandwidth". Throws a usage error for an empty one.
[[nodiscard]] std::vector<std::string> column_names(const std::string& text);

/// The indices of the report's cases in this order; without one, as they are. Throws a usage error for an unknown
/// column.
[[nodiscard]] std::vector<std::size_t> in_order(const report::Report& report, const std::optional<CaseOrder>& order);

/// The columns of a list in this order: the parameters in which the cases differ, the readings that they are about, and
/// the column of the order.
[[nodiscard]] std::vector<std::string> columns_in_order(const report::Report& report, const CaseOrder& order);

}  // namespace gpumem::app
