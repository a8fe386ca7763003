#pragma once
// A matrix of cases as text: its cells, and the notes below it.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/record/matrix.hpp"
#include "report/text/names.hpp"
#include "report/write/tint.hpp"

namespace gpumem::report {

struct Matrix {
  struct Cell {
    std::optional<double> value;
    std::string mark;  ///< instead of it: "-" for what was not run
    Tint tint = Tint::none;
  };

  std::string title;  ///< the alternative, the quantity, and the parameters of rows and columns
  Heading rows;       ///< heading of the row names
  std::vector<std::string> row_names;
  std::vector<std::string> column_names;
  std::vector<std::vector<Cell>> cells;  ///< by row and column
  std::vector<Note> notes;

  /// True if the mark of any cell ends in this character.
  [[nodiscard]] bool has_mark(char end) const;
  /// The cells as text, with numbers as aligned() in cells.hpp writes them.
  [[nodiscard]] std::vector<std::vector<std::string>> texts(int digits, int most_decimals) const;
};

/// A matrix without cells. `what` names its numbers; the title also names the parameters of its rows and columns.
[[nodiscard]] Matrix empty_matrix(const CaseMatrix& cases, const std::string& what);

/// The choice of what a matrix shows.
struct MatrixWish {
  std::string quantity;  ///< the headline or a metric; only the headline's matrix has notes on the cases
  Better better = Better::more;
  std::string alternative;  ///< the one that the cases belong to, in words; empty if it is the only one
  bool why = false;         ///< adds notes on what limits the cases
};

[[nodiscard]] Matrix make_matrix(const CaseMatrix& cases, const MatrixWish& wish);

/// Sums up the cases of a matrix: the median and range of the measured values, and their predictions. Values are apart
/// for each prediction if there are few. If nothing was measured, the predicted values are summed up. For the headline
/// it also says how sure it is, and how it compares to the baseline's.
[[nodiscard]] std::vector<std::string> summary_of(const Cases& cases, std::string_view quantity);

/// True if the values are the same in three significant digits.
[[nodiscard]] bool reads_same(const std::vector<double>& values);

}  // namespace gpumem::report
