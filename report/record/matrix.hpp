#pragma once
// A table whose cases stand side by side as a matrix: a row for each value of the swept parameter, a column for each
// value of the parameter across. Examples are pairs of GPUs, and the cases of a probe that several GPUs ran.

#include <string>
#include <vector>

#include "engine/statistics/outliers.hpp"
#include "report/record/cases.hpp"

namespace gpumem::report {

/// The cases of one alternative.
struct CaseMatrix {
  std::vector<Parameter> rows;     ///< values of the swept parameter, numbers in rising order
  std::vector<Parameter> columns;  ///< values of the parameter across, likewise
  std::vector<Cases> cells;        ///< by row and column; null where there is no case

  /// All cases, row by row.
  [[nodiscard]] Cases cases() const;
};

/// Returns a matrix for each alternative, in the order in which they come. Empty if a row for each case reads as well:
/// with fewer than `fewest_rows` rows or three columns, or if the cases differ in other parameters too. Also empty if
/// two cases claim one cell.
[[nodiscard]] std::vector<CaseMatrix> matrices(const Cases& cases, std::size_t fewest_rows = 2);

/// Returns a key that is the same for cases that differ only in the parameters of a matrix and its alternatives, and in
/// what `auto` decided.
[[nodiscard]] std::string table_key(const Record& record);

/// The readings of a quantity, which is the case's headline or one of its metrics; none if the case did not run.
[[nodiscard]] MetricRecord quantity_of(const Record& record, std::string_view quantity);

/// A case that is unlike those that should be like it.
struct UnlikeCase {
  const Record* record = nullptr;
  measure::Deviation by;
};

/// True if the matrix is of pairs of GPUs: the indices of the rows are among those of the columns, and no case has the
/// same GPU twice.
[[nodiscard]] bool is_of_pairs(const CaseMatrix& matrix);

struct MatrixJudgement {
  std::size_t judged = 0;          ///< cases that had enough others to compare with
  std::vector<UnlikeCase> unlike;  ///< among them
};

/// Finds the cases that are unlike comparable ones. Measured cases with the same prediction are comparable: all of them
/// in a matrix of pairs, otherwise those of one row, which differ only in the parameter across. Pairs without a
/// prediction are compared with pairs that are as near (measure::islands_of). Finds none if neither more nor less is
/// better.
[[nodiscard]] MatrixJudgement judge_matrix(const CaseMatrix& matrix, std::string_view quantity, Better better,
                                           double tolerance = measure::outlier_tolerance);

}  // namespace gpumem::report
