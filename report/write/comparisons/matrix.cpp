// The changes between two reports as matrices: pair by pair.

#include <map>

#include "report/write/comparisons/comparison.hpp"

namespace gpumem::report {

namespace {

Matrix::Cell cell_of(const Comparison& comparison, const CaseChange& change) {
  const bool ambiguous = change.outcome == CaseVerdict::ambiguous;
  const Tint tint = change.outcome == CaseVerdict::same ? Tint::none : tint_of(change.outcome);
  if (!change.speed) return {{}, "!", tint};
  return {{}, change_cell(comparison, change.speed->value) + (ambiguous ? "?" : ""), tint};
}

}  // namespace

Block change_matrices(const Comparison& comparison, const ShownCases& cases) {
  if (comparison.new_reports() != 1) return {};
  Cases records;
  std::map<const Record*, const CaseChange*> changes;
  for (const ComparedCase* compared : cases) {
    records.push_back(compared->record);
    changes[compared->record] = &compared->changes.front();
  }
  Block block = matrix_block(records, "change in %",
                             [&](const Record& record) { return cell_of(comparison, *changes.at(&record)); });
  for (Matrix& matrix : block.matrices) {
    if (matrix.has_mark('?')) matrix.notes.push_back({"?: ambiguous", Tint::yellow});
    if (matrix.has_mark('!')) matrix.notes.push_back({"!: did not run, or not well", Tint::red});
  }
  return block;
}

}  // namespace gpumem::report
