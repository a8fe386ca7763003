#pragma once
// A matrix of cases as text: what stands in its cells, and what is said below it.

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

  std::string title;  ///< which alternative, and what the numbers are of what
  Heading rows;       ///< what their names are
  std::vector<std::string> row_names;
  std::vector<std::string> column_names;
  std::vector<std::vector<Cell>> cells;  ///< by row and column
  std::vector<Said> notes;

  /// Whether any cell's mark ends in this one.
  [[nodiscard]] bool has_mark(char end) const;
  /// The cells as text, as aligned() in cells.hpp has numbers.
  [[nodiscard]] std::vector<std::vector<std::string>> texts(int digits, int most_decimals) const;
};

/// One without cells. `what` says what its numbers are: the title tells by which parameters, rows and columns.
[[nodiscard]] Matrix empty_matrix(const CaseMatrix& cases, const std::string& what);

/// What a matrix is made of.
struct MatrixWish {
  std::string quantity;  ///< the headline, below whose matrix is told what befell the cases, or a metric
  Better better = Better::more;
  std::string alternative;  ///< that these are the cases of, in words; empty where it is the only one
  bool why = false;         ///< whether to say what limits the cases
};

[[nodiscard]] Matrix make_matrix(const CaseMatrix& cases, const MatrixWish& wish);

/// What the cases of a matrix have in common: middle and range of the measured values, and what was predicted of them,
/// apart for each prediction where these are few; else of the predicted values. Of the headline also how sure it is,
/// and how it stands to the baseline's.
[[nodiscard]] std::vector<std::string> summary_of(const Cases& cases, std::string_view quantity);

/// Whether all read the same.
[[nodiscard]] bool reads_same(const std::vector<double>& values);

}  // namespace gpumem::report
