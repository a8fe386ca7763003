#pragma once
// Writers of a comparison: pure functions of it.

#include <iosfwd>
#include <vector>

#include "report/compare/compare.hpp"
#include "report/write/tint.hpp"
#include "report/write/writers.hpp"

namespace gpumem::report {

/// `changed_only` leaves the cases that are the same out of the rows of tables and Markdown; they are counted all the
/// same. JSON and CSV hold every case.
void write_comparison(std::ostream& out, const Comparison& comparison, Format format, const TableStyle& style = {},
                      bool changed_only = false);

void write_comparison_json(std::ostream& out, const Comparison& comparison);
/// One row per case and NEW.
void write_comparison_csv(std::ostream& out, const Comparison& comparison);

// Sentences of the table and of Markdown.

/// Names the reports and the differences between the runs: one paragraph each.
[[nodiscard]] std::vector<Note> comparison_preamble(const Comparison& comparison);
/// Cases on one side only, and the counts of each NEW.
[[nodiscard]] std::vector<Note> comparison_closing(const Comparison& comparison);

}  // namespace gpumem::report
