#include <algorithm>

#include "report/record/matrix.hpp"
#include "report/text/names.hpp"
#include "report/text/text.hpp"
#include "report/write/blocks.hpp"

namespace gpumem::report {

Block matrix_block(const Cases& cases, const std::string& what,
                   const std::function<Matrix::Cell(const Record&)>& cell_of) {
  Block block;
  const std::vector<CaseMatrix> all = matrices(cases);
  if (all.empty()) return block;
  const Record& first = *cases.front();
  for (const CaseMatrix& of_alternative : all) {
    const Parameter* alternative = find_parameter(*of_alternative.cases().front(), first.compared);
    const bool several = all.size() > 1 && alternative != nullptr;
    Matrix matrix = empty_matrix(of_alternative, (several ? parameter_phrase(*alternative) + ": " : "") + what);
    for (const Cases& row : of_alternative.cells) {
      std::vector<Matrix::Cell>& cells = matrix.cells.emplace_back();
      for (const Record* record : row) cells.push_back(record == nullptr ? Matrix::Cell{{}, "-"} : cell_of(*record));
    }
    block.matrices.push_back(std::move(matrix));
  }
  block.title = one_line(first.probe);
  for (const Parameter& parameter : first.parameters) {
    if (varies(cases, parameter.name) || !is_said(first.probe, parameter)) continue;
    block.constants.push_back(parameter_phrase(parameter));
  }
  return block;
}

}  // namespace gpumem::report
