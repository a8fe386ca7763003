#pragma once
// A table whose cases stand side by side as a matrix: a row for each value of the swept parameter, a column for each
// value of the one across. Pairs of GPUs are one, and the cases of a probe that several GPUs ran.

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

  /// All that there are, row by row.
  [[nodiscard]] Cases cases() const;
};

/// A matrix for each alternative, in the order in which they come. None where a row for each case reads as well: with
/// fewer rows or fewer than three columns, or where something else than these parameters tells the cases apart.
[[nodiscard]] std::vector<CaseMatrix> matrices(const Cases& cases, std::size_t fewest_rows = 2);

/// Alike for cases that differ in nothing but what a matrix and its alternatives may differ in, and what `auto`
/// decided.
[[nodiscard]] std::string table_key(const Record& record);

/// What a case says of a quantity, its headline or one of its metrics: nothing where it did not run.
[[nodiscard]] MetricRecord quantity_of(const Record& record, std::string_view quantity);

/// A case that is unlike those that should be like it.
struct UnlikeCase {
  const Record* record = nullptr;
  measure::Deviation by;
};

/// Whether it is of one GPU and another: the indices down are among those across, and no case has the same one in both.
[[nodiscard]] bool is_of_pairs(const CaseMatrix& matrix);

struct MatrixJudgement {
  std::size_t judged = 0;          ///< so many had enough others to be held against
  std::vector<UnlikeCase> unlike;  ///< of those
};

/// Held against each other are measured cases of which the same is predicted: of pairs all in the matrix, otherwise
/// those of a row, which differ in nothing but what stands across. Pairs of which nothing is predicted are held against
/// those that are as near (measure::islands_of). None where neither more nor less is better.
[[nodiscard]] MatrixJudgement judge_matrix(const CaseMatrix& matrix, std::string_view quantity, Better better);

}  // namespace gpumem::report
